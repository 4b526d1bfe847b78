// SPDX-License-Identifier: MIT
#include "models/inventory/inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "models/inventory/access_pattern.h"
#include "models/inventory/dataflow.h"

namespace exh::models {
namespace ir = kernels::ir;
namespace {

bool IsArithmetic(ir::Op op) {
  return op == ir::Op::kAdd || op == ir::Op::kMul || op == ir::Op::kMax || op == ir::Op::kMad;
}

/// Does a GPU's compiler make an instruction of the pipe for reciprocals, roots and powers of 2 of
/// it, one at least? (NVRTC for sm_90; logarithms have none, nor have squares.)
bool IsSpecial(const ir::Instruction& inst) {
  if (ir::ComputeTypeOf(inst.computes) != ir::Type::kF32) return false;
  return inst.op == ir::Op::kDiv || inst.op == ir::Op::kSqrt || inst.op == ir::Op::kRsqrt ||
         inst.op == ir::Op::kExp || inst.op == ir::Op::kTanh;
}

NestAxis AxisOf(const ir::LogicalDim& logical) {
  return {logical.id,
          static_cast<double>(logical.total),
          static_cast<double>(logical.extent),
          false,
          false,
          logical.dims,
          0};
}

class InventoryTaker {
 public:
  explicit InventoryTaker(Inventory& inventory)
      : all_(inventory),
        function_(inventory.function),
        rates_(inventory.rates),
        flow_(function_, rates_.memory_sector_bytes) {}
  void Run();

 private:
  void AddDivision(const ir::Instruction& reduction);
  std::size_t AddNest(const ir::Instruction& inst);
  std::vector<NestAxis> DividedBefore(const ir::Instruction& inst) const;
  void AddComputation(const ir::Instruction& inst);
  bool MayShareReciprocal(const ir::Instruction& quotient, const Nest& nest);
  void AddOperands(const ir::Instruction& inst, std::size_t number);
  void AddAccess(const ir::Instruction& inst);
  void AddEdgesOfWaits();
  bool HasAxesOf(const ir::Instruction& product, const ir::Instruction& inst) const;
  bool HasAllBlocks(const ir::Instruction& product) const;
  void AddProducts();
  void AddDivisors();
  ArrayUse& UseOf(ir::ArrayId id);

  Inventory& all_;
  const ir::Target& function_;
  const DeviceRates& rates_;
  Dataflow flow_;
};

void InventoryTaker::Run() {
  all_.is_uneven = std::ranges::any_of(function_.logical_dims, &ir::LogicalDim::covers);
  all_.nest_of_inst.assign(function_.insts.size(), -1);
  for (const ir::Instruction& inst : function_.insts) {
    if (inst.is_reduction()) AddDivision(inst);
  }
  for (const ir::Instruction& inst : function_.insts) {
    if (flow_.IsOptional(inst)) continue;
    if (inst.op == ir::Op::kLoad || inst.op == ir::Op::kStore) AddAccess(inst);
    if (IsArithmetic(inst.op) || (rates_.specials_per_clk > 0 && IsSpecial(inst))) {
      AddComputation(inst);
    } else if (inst.is_reduction()) {
      AddNest(inst);  // How many blocks there are.
    }
  }
  AddEdgesOfWaits();
  AddDivisors();
  AddProducts();
  const auto needs_read = [&](std::size_t nest) {
    return flow_.NeedsRead(function_.inst(all_.nests[nest].inst));
  };
  all_.begins_with_read =
      std::ranges::any_of(all_.arrays, &ArrayUse::is_read) &&
      std::ranges::all_of(all_.computations, needs_read, &Computation::nest) &&
      std::ranges::all_of(all_.chains, needs_read) &&
      std::ranges::all_of(all_.waiting, [&](const Waiting& waiting) {
        return function_.inst(all_.nests[waiting.nest].inst).planned || needs_read(waiting.nest);
      });
  all_.is_uneven |= std::ranges::any_of(all_.nests, &Nest::is_uneven);
  for (const ArrayUse& use : all_.arrays) {
    (use.is_read ? all_.bytes_read : all_.bytes_written) +=
        use.sectors * rates_.memory_sector_bytes;
  }
  all_.steps = flow_.steps();
}

/// A sum begins with something read, and what was read last is still to be added.
void InventoryTaker::AddEdgesOfWaits() {
  for (Waiting& waiting : all_.waiting) {
    for (std::size_t i = 0; i < all_.operands.size(); ++i) {
      const OperandRead& read = all_.operands[i];
      if (!read.load.valid()) continue;
      const bool is_user = waiting.nest == read.nest, is_reader = waiting.operand == i;
      if (is_user || is_reader) waiting.before = rates_.read_latency_clk;
      const bool is_load = all_.nests[waiting.nest].inst == read.load;
      const ir::Instruction& user = function_.inst(all_.nests[read.nest].inst);
      if (user.op != ir::Op::kMad || !ir::IsFloat(user.computes)) continue;
      if (is_load || is_reader) waiting.after = rates_.fma_latency_clk;
    }
  }
}

/// Is there a way from the product to the instruction on which no axis of it begins? Each value is
/// looked at once, however many ways lead to it.
bool InventoryTaker::HasAxesOf(const ir::Instruction& product, const ir::Instruction& inst) const {
  std::vector<bool> is_seen(function_.insts.size(), false);
  std::vector<ir::InstId> next = {inst.id};
  while (!next.empty()) {
    const ir::Instruction& reader = function_.inst(next.back());
    next.pop_back();
    if (reader.id == product.id) return true;
    if (is_seen[reader.id.index()]) continue;
    is_seen[reader.id.index()] = true;
    for (const ir::Communication& comm : function_.comms) {
      if (comm.planned || comm.consumer != reader.id) continue;
      const auto is_paired = [&](ir::DimId dim) {
        return std::ranges::any_of(comm.pairs, [&](ir::PairId id) {
          return function_.dim(function_.pair(id).dst).logical == function_.dim(dim).logical;
        });
      };
      if (std::ranges::all_of(reader.dims, is_paired)) next.push_back(comm.producer);
    }
  }
  return false;
}

/// Do blocks have nothing but axes of the product? Otherwise several of them may have the same
/// points of it.
bool InventoryTaker::HasAllBlocks(const ir::Instruction& product) const {
  const auto is_of_another = [&](const Division& division) {
    return division.reduction != product.id;
  };
  return all_.first_once < all_.nests.size() &&
         std::ranges::none_of(all_.divisions, is_of_another) &&
         HasAxesOf(product, function_.inst(all_.nests[all_.first_once].inst));
}

void InventoryTaker::AddProducts() {
  for (std::size_t number = 0; number < all_.computations.size(); ++number) {
    const Computation& computation = all_.computations[number];
    const Nest& nest = all_.nests[computation.nest];
    const ir::Instruction& inst = function_.inst(nest.inst);
    if (inst.op != ir::Op::kMad || !computation.is_fma) continue;
    // Halves and whole numbers have units of their own.
    const ir::MatrixUnit unit = ir::UnitOf(function_, inst);
    if (unit != ir::MatrixUnit::kNone && !computation.is_of_doubles) continue;
    std::vector<std::size_t> operands;
    for (std::size_t i = 0; i < all_.operands.size(); ++i) {
      if (all_.operands[i].nest == computation.nest) operands.push_back(i);
    }
    // Of an array that is read apart an element of one operand may be one of the other.
    const auto is_apart = [&](std::size_t i) {
      const ir::InstId load = all_.operands[i].load;
      return load.valid() && flow_.IsReadApart(function_.inst(load).array);
    };
    if (operands.size() != 2 || std::ranges::any_of(operands, is_apart)) continue;
    // Along an axis on which nothing depends blocks have the same points.
    if (!std::ranges::all_of(nest.axes, &NestAxis::varies)) continue;
    // Nor do all blocks have the same where a mask hides some.
    if (std::ranges::any_of(nest.axes, &NestAxis::is_masked)) continue;
    BlockedProduct product{.computation = number, .operands = {operands[0], operands[1]}};
    for (std::size_t i = 0; i < nest.axes.size(); ++i) {
      const NestAxis& axis = nest.axes[i];
      bool is_reuse = false;
      for (std::size_t side = 0; side < 2; ++side) {
        if ((all_.operands[operands[side]].axes >> i & 1) != 0) continue;
        product.reuse[side] |= 1u << i;
        is_reuse = true;
      }
      if (is_reuse) product.reuse_points *= axis.total;
      if (!is_reuse && !axis.is_sum) product.other_points *= axis.total;
    }
    const bool has_both = product.reuse[0] != 0 && product.reuse[1] != 0;
    const bool is_apart_reuse = (product.reuse[0] & product.reuse[1]) == 0;
    if (has_both && is_apart_reuse && HasAllBlocks(inst)) all_.products.push_back(product);
  }
}

void InventoryTaker::AddDivisors() {
  const auto once =
      std::ranges::find_if(all_.nests, [](const Nest& nest) { return nest.once && !nest.planned; });
  if (once == all_.nests.end()) return;
  all_.first_once = static_cast<std::size_t>(once - all_.nests.begin());
  std::vector<double> axes;
  for (const NestAxis& axis : once->axes) axes.push_back(axis.extent);
  for (const NestAxis& axis : once->divided) axes.push_back(axis.extent);
  // Of a product they are products of those of its factors.
  const double most = kMostWaves * rates_.units;
  std::set<double> all = {1};
  for (const double points : axes) {
    std::vector<double> of_axis;
    for (double n = 1; n <= std::min(points, most); ++n) {
      if (std::fmod(points, n) == 0) of_axis.push_back(n);
    }
    std::set<double> products;
    for (const double a : all) {
      for (const double b : of_axis) {
        if (a * b <= most) products.insert(a * b);
      }
    }
    all = std::move(products);
  }
  all_.divisors.assign(all.begin(), all.end());
}

void InventoryTaker::AddDivision(const ir::Instruction& reduction) {
  Division division{.reduction = reduction.id};
  for (const ir::DimId id : reduction.dims) {
    const ir::Dimension& dim = function_.dim(id);
    if (function_.may_split(dim)) division.dims.push_back(id);
    if (!dim.is_reduction && dim.level == 0)
      division.points *= function_.logical(dim.logical).extent;
  }
  division.element_bytes = ir::BytesOf(ir::ComputeTypeOf(reduction.type));
  if (!division.dims.empty()) all_.divisions.push_back(std::move(division));
}

/// The axes along which blocks may divide the reductions whose values reach the instruction.
std::vector<NestAxis> InventoryTaker::DividedBefore(const ir::Instruction& inst) const {
  std::vector<NestAxis> divided;
  for (const Division& division : all_.divisions) {
    const ir::Instruction& reduction = function_.inst(division.reduction);
    if (reduction.is_scan()) continue;  // What comes after it has these axes itself.
    if (!function_.is_after(inst, reduction)) continue;
    for (const ir::DimId id : division.dims) {
      const ir::LogicalDim& logical = function_.logical(function_.dim(id).logical);
      divided.push_back(AxisOf(logical));
    }
  }
  return divided;
}

/// The nest's number, or kMaxNests when it is not counted.
std::size_t InventoryTaker::AddNest(const ir::Instruction& inst) {
  int& known = all_.nest_of_inst[inst.id.index()];
  if (known >= 0) return static_cast<std::size_t>(known);
  Nest nest{.inst = inst.id, .planned = inst.planned, .once = inst.executes_once()};
  nest.in_all_blocks = flow_.FeedsReduction(inst);
  nest.element_bytes = ir::BytesOf(inst.type);
  nest.is_product = ir::UnitOf(function_, inst) != ir::MatrixUnit::kNone;
  if (inst.is_reduction()) nest.most_splits = function_.max_splits(inst);
  if (inst.executes_once()) nest.divided = DividedBefore(inst);
  for (const ir::DimId dim : inst.dims) {
    const ir::LogicalDimId axis = function_.dim(dim).logical;
    const auto same = [&](const NestAxis& a) { return a.id == axis; };
    const ir::MatrixUnit unit = function_.dim(dim).matrix_unit;
    if (unit != ir::MatrixUnit::kNone) nest.unit = ir::ShapeOf(unit);
    if (std::any_of(nest.axes.begin(), nest.axes.end(), same)) continue;
    nest.axes.push_back(AxisOf(function_.logical(axis)));
    nest.axes.back().is_masked = function_.logical(axis).axis_name() == flow_.masked_axis();
  }
  if (all_.nests.size() == kMaxNests || nest.axes.size() > kMaxAxes) return kMaxNests;
  known = static_cast<int>(all_.nests.size());
  all_.nests.push_back(std::move(nest));
  return all_.nests.size() - 1;
}

void InventoryTaker::AddComputation(const ir::Instruction& inst) {
  const std::size_t number = AddNest(inst);
  if (number == kMaxNests) return;
  Nest& nest = all_.nests[number];
  double steps = 1;
  for (NestAxis& axis : nest.axes) {
    const std::optional<double> lost = flow_.LostAlong(inst, axis.id);
    axis.varies = lost.has_value();
    axis.lost = lost.value_or(0);
    if (axis.varies) nest.points *= axis.points() * (axis.is_masked ? flow_.seen() : 1);
    const bool reduced =
        std::any_of(inst.reduce_dims.begin(), inst.reduce_dims.end(),
                    [&](ir::DimId d) { return function_.dim(d).logical == axis.id; });
    if (reduced) steps *= axis.total;
    axis.is_sum = reduced;
  }
  // The rates are those of f32, and none for wider floats is better. Integers may be faster.
  const bool has_rates = ir::IsFloat(inst.computes);
  if (has_rates && inst.is_reduction() && inst.op != ir::Op::kMax) {
    all_.chains.push_back(number);
  }
  if (has_rates && inst.op == ir::Op::kMad) {
    all_.waiting.push_back({number, rates_.fma_latency_clk});
  }

  // What compilers may simplify or contract away: operations on constants, and a product that
  // becomes part of the sum that reads it.
  bool has_literal = false;
  for (const ir::Operand& operand : inst.operands) {
    has_literal |= operand.kind == ir::Operand::Kind::kLiteral;
  }
  bool may_merge = (has_literal && inst.op != ir::Op::kMax) || flow_.MayRepeat(inst);
  for (const ir::Communication& comm : function_.comms) {
    const ir::Op reader = function_.inst(comm.consumer).op;
    may_merge |= inst.op == ir::Op::kMul && comm.producer == inst.id &&
                 (reader == ir::Op::kAdd || reader == ir::Op::kSub);
  }
  const bool adds = inst.op == ir::Op::kAdd;
  const bool is_fma =
      inst.op == ir::Op::kMad || inst.op == ir::Op::kMul || (adds && rates_.adds_share_fma > 0);
  // The first step of a sum that starts from a constant may be no operation at all. (Slices of
  // threads and parts of lanes have one each, but what makes one value of them is operations of the
  // same block.)
  const double free = inst.is_reduction() && inst.op != ir::Op::kMad ? 1 / steps : 0;
  const bool is_special = IsSpecial(inst);
  may_merge |= is_special && MayShareReciprocal(inst, nest);
  if (has_rates && !may_merge) {
    const ir::MatrixUnit unit = ir::UnitOf(function_, inst);
    // Units that are twice as fast at floats of 8 bits are known, and none that is faster.
    const double share = ir::IsOfHalves(unit) ? 1 : unit == ir::MatrixUnit::kQmma ? 0.5 : 0;
    all_.computations.push_back(
        {number, is_fma, share, unit == ir::MatrixUnit::kDmma, is_special, free});
  }
  if (IsArithmetic(inst.op)) AddOperands(inst, number);
}

/// May a compiler make one reciprocal for several quotients? Of another division, or along an axis
/// along which the divisor stays the same.
bool InventoryTaker::MayShareReciprocal(const ir::Instruction& quotient, const Nest& nest) {
  if (quotient.op != ir::Op::kDiv) return false;
  if (std::ranges::count(function_.insts, ir::Op::kDiv, &ir::Instruction::op) > 1) return true;
  const ir::Operand& divisor = quotient.operands[1];
  if (divisor.kind != ir::Operand::Kind::kComm) return true;
  const ir::Communication& comm = function_.comm(divisor.comm);
  return !std::ranges::all_of(nest.axes, [&](const NestAxis& axis) {
    return !axis.varies || std::ranges::any_of(comm.pairs, [&](ir::PairId id) {
      const ir::DimPair& pair = function_.pair(id);
      return function_.dim(pair.dst).logical == axis.id &&
             flow_.LostAlong(function_.inst(comm.producer), function_.dim(pair.src).logical);
    });
  });
}

void InventoryTaker::AddOperands(const ir::Instruction& inst, std::size_t number) {
  for (const ir::Communication& comm : function_.comms) {
    if (comm.consumer != inst.id || comm.planned || comm.operand < 0) continue;
    const ir::Instruction& producer = function_.inst(comm.producer);
    OperandRead read{.nest = number, .comm = comm.id};
    read.element_bytes = ir::BytesOf(producer.type);
    if (producer.op == ir::Op::kLoad) read.load = producer.id;
    if (comm.lowered) {
      const std::size_t store = AddNest(function_.inst(comm.lowered->store));
      if (store != kMaxNests) {
        for (NestAxis& axis : all_.nests[store].axes) {
          if (!axis.varies) all_.nests[store].points *= axis.total;
          axis.varies = true;
        }
        read.block = comm.lowered->block;
        read.store = store;
        const std::size_t load = AddNest(function_.inst(comm.lowered->load));
        if (load != kMaxNests) {
          for (NestAxis& axis : all_.nests[load].axes) {
            if (!axis.varies) all_.nests[load].points *= axis.total;
            axis.varies = true;
          }
          all_.waiting.push_back({load, rates_.shared_latency_clk, 1, all_.operands.size()});
        }
      }
    }
    if (!read.load.valid() && !read.block.valid()) continue;
    const std::vector<NestAxis>& axes = all_.nests[number].axes;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      for (const ir::PairId id : comm.pairs) {
        const ir::DimPair& pair = function_.pair(id);
        if (function_.dim(pair.dst).logical != axes[i].id) continue;
        const ir::LogicalDimId axis = function_.dim(pair.src).logical;
        if (flow_.LostAlong(producer, axis).has_value()) read.axes |= 1u << i;
      }
    }
    read.is_widened = ir::UnitOf(function_, inst) == ir::MatrixUnit::kDmma && comm.operand < 2 &&
                      read.element_bytes < ir::BytesOf(ir::Type::kF64);
    read.what = fmt::format("{} for {}", producer.name(), inst.name());
    if (read.load.valid() && !flow_.IsReadApart(producer.array)) {
      UseOf(producer.array).operands.push_back(all_.operands.size());
    }
    all_.operands.push_back(std::move(read));
  }
}

ArrayUse& InventoryTaker::UseOf(ir::ArrayId id) {
  for (ArrayUse& use : all_.arrays) {
    if (use.id == id) return use;
  }
  const ir::Array& array = function_.array(id);
  all_.arrays.push_back({.id = id,
                         .is_read = array.role == ir::ArrayRole::kInput,
                         .element_bytes = static_cast<double>(ir::BytesOf(array.type))});
  return all_.arrays.back();
}

void InventoryTaker::AddAccess(const ir::Instruction& inst) {
  const AccessPattern pattern = PatternOf(function_, inst, rates_.memory_sector_bytes);
  ArrayUse& use = UseOf(inst.array);
  use.elements = std::max(use.elements, pattern.elements);
  use.sectors = std::max(use.sectors, pattern.sectors);
  const std::size_t number = AddNest(inst);
  if (number == kMaxNests) return;
  Nest& nest = all_.nests[number];
  nest.points = pattern.points;
  for (NestAxis& axis : nest.axes) {
    const auto moves = std::ranges::find(pattern.axes, axis.id, &MovingAxis::axis);
    axis.varies = moves != pattern.axes.end();
    axis.lost = axis.varies ? moves->lost : 0;
  }
  const bool is_counted = inst.op == ir::Op::kStore || use.accesses.empty();
  if (is_counted) use.accesses.push_back({number, Request(function_, inst)});
  if (inst.op != ir::Op::kLoad) return;
  // The first two reads of a loop may be under way together when one of them is ahead.
  const double shortened = function_.allows_advance(inst) ? 0.5 : 1;
  all_.waiting.push_back({number, rates_.read_latency_clk, shortened});
  for (const ir::MemBlock& block : function_.blocks) {
    const bool fills = function_.comm(block.comm).producer == inst.id && function_.may_turn(block);
    if (fills) all_.waiting.back().ring = block.id;
  }
}

}  // namespace

Inventory TakeInventory(const ir::Target& function, const DeviceRates& rates, CacheState caches) {
  Inventory inventory{.function = function, .rates = rates, .caches = caches};
  InventoryTaker(inventory).Run();
  return inventory;
}

}  // namespace exh::models

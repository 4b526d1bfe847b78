// SPDX-License-Identifier: MIT
#include "models/lower_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/access_pattern.h"

namespace exh::models {
namespace ir = kernels::ir;
namespace {

constexpr double kElementBytes = 4;
constexpr std::string_view kArithmetic = "arithmetic", kIssue = "issue", kThread = "thread",
                           kChain = "chain", kTraffic = "traffic", kMemory = "memory";

bool IsArithmetic(ir::Op op) {
  return op == ir::Op::kAdd || op == ir::Op::kMul || op == ir::Op::kMax || op == ir::Op::kMad;
}

/// How many iterations the busiest of `units` has at least for each of n, where n divides `most`
/// and is at most that: for n = q * m, ceil(q * m / units) <= q * ceil(m / units).
double BusiestShare(double divides, double most, double units) {
  return std::max(1 / std::min(most, units), std::ceil(divides / units) / divides);
}

/// The levels of an axis: those that may be of some kinds, and the others. All of them multiply to
/// the axis's total.
struct Levels {
  double may_max = 1;                   ///< Product over those that may be of the kinds.
  bool may_is_fixed = true;             ///< That product is known: it is `may_max`.
  double sure_min = 1;                  ///< … over those that must be.
  double never_min = 1, never_gcd = 1;  ///< … over those that cannot be.
  double unsure_max = 1;                ///< … over those that may be of other kinds.

  void Add(const ir::DimDomain& dim, ir::Kinds kinds) {
    if (dim.may_be(kinds)) {
      may_max *= dim.max;
      may_is_fixed &= dim.min == dim.max;
      if (dim.must_be(kinds)) {
        sure_min *= dim.min;
        return;
      }
    } else {
      never_min *= dim.min;
      never_gcd *= dim.gcd;
    }
    unsure_max *= dim.max;
  }
  /// Least and largest product of the levels that will not be of the kinds.
  double OthersMin(double total) const { return std::max(never_min, total / may_max); }
  double OthersMax(double total) const { return std::min(unsure_max, total / sure_min); }
  /// What the product of those that will be divides.
  double Multiple(double total) const { return may_is_fixed ? may_max : total / never_gcd; }
};

std::string KindsText(ir::Kinds kinds) {
  constexpr std::array<std::string_view, 5> names = {"LOOP", "UNROLL", "VECTOR", "THREAD", "BLOCK"};
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if ((kinds >> i & 1) == 0) continue;
    text += (text.empty() ? "" : " or ") + std::string(names[i]);
  }
  return text;
}

}  // namespace

struct LowerBound::Notes {
  std::vector<BoundPart> lanes, issues, of_thread, unit_bytes;

  void Add(const std::string& what, const Amount& amount) {
    Add(lanes, what, amount.lanes);
    Add(issues, what, amount.issues);
    Add(of_thread, what, amount.of_thread);
  }
  static void Add(std::vector<BoundPart>& to, const std::string& what, double amount) {
    if (amount > 0) to.push_back({what, amount});
  }
};

LowerBound::LowerBound(const ir::Function& function, const DeviceRates& rates, CacheState caches)
    : function_(function), rates_(rates), nest_of_inst_(function.insts.size(), -1) {
  for (const ir::Instruction& inst : function.insts) {
    if (inst.op == ir::Op::kLoad || inst.op == ir::Op::kStore) AddAccess(inst);
    if (IsArithmetic(inst.op)) AddArithmetic(inst);
  }
  double read = 0, written = 0;
  for (const ArrayUse& use : arrays_) {
    (use.is_read ? read : written) += use.sectors * rates.memory_sector_bytes;
  }
  // What a cache kept from the run before, or keeps for the next, does not move; it holds each byte
  // once, read or written.
  const double kept = rates.memory_cache_bytes;
  memory_bytes_ = caches == CacheState::kWarm ? std::max(0.0, read + written - kept)
                                              : read + std::max(0.0, written - kept);
}

/// The nest's number, or kMaxInsts when it is not counted.
std::size_t LowerBound::AddNest(const ir::Instruction& inst) {
  int& known = nest_of_inst_[inst.id.index()];
  if (known >= 0) return static_cast<std::size_t>(known);
  Nest nest{.inst = inst.id, .planned = inst.planned, .once = inst.executes_once()};
  for (const ir::DimId dim : inst.dims) {
    const ir::LogicalDimId axis = function_.dim(dim).logical;
    const auto same = [&](const NestAxis& a) { return a.id == axis; };
    if (std::any_of(nest.axes.begin(), nest.axes.end(), same)) continue;
    const ir::LogicalDim& logical = function_.logical(axis);
    nest.axes.push_back({axis, static_cast<double>(logical.total), false, logical.dims});
  }
  if (nests_.size() == kMaxInsts || nest.axes.size() > kMaxAxes) return kMaxInsts;
  known = static_cast<int>(nests_.size());
  nests_.push_back(std::move(nest));
  return nests_.size() - 1;
}

/// Does the value of the instruction (what it adds, for a sum) differ from point to point of the
/// axis? Where it does not, a compiler may compute it once.
bool LowerBound::Varies(const ir::Instruction& inst, ir::LogicalDimId axis) const {
  if (inst.op == ir::Op::kLoad) {
    const auto& axes = PatternOf(function_, inst, rates_.memory_sector_bytes).axes;
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
  }
  for (const ir::DimId dim : inst.reduce_dims) {
    if (function_.dim(dim).logical == axis) return true;  // No two steps of a sum are one.
  }
  for (const ir::Communication& comm : function_.comms) {
    if (comm.consumer != inst.id || comm.planned) continue;
    for (const ir::PairId id : comm.pairs) {
      const ir::DimPair& pair = function_.pair(id);
      if (function_.dim(pair.dst).logical != axis) continue;
      if (Varies(function_.inst(comm.producer), function_.dim(pair.src).logical)) return true;
    }
  }
  return false;
}

void LowerBound::AddArithmetic(const ir::Instruction& inst) {
  const std::size_t number = AddNest(inst);
  if (number == kMaxInsts) return;
  Nest& nest = nests_[number];
  double steps = 1;
  for (NestAxis& axis : nest.axes) {
    axis.varies = Varies(inst, axis.id);
    if (axis.varies) nest.points *= axis.total;
    const bool reduced =
        std::any_of(inst.reduce_dims.begin(), inst.reduce_dims.end(),
                    [&](ir::DimId d) { return function_.dim(d).logical == axis.id; });
    if (reduced) steps *= axis.total;
  }
  if (inst.is_reduction() && inst.op != ir::Op::kMax) {
    chain_clk_ = std::max(chain_clk_, (steps - 1) * rates_.fma_latency_clk);
  }

  // What compilers may simplify or contract away: operations on constants, and a product that
  // becomes part of the sum that reads it.
  bool has_literal = false;
  for (const ir::Operand& operand : inst.operands) {
    has_literal |= operand.kind == ir::Operand::Kind::kLiteral;
  }
  bool may_merge = has_literal && inst.op != ir::Op::kMax;
  for (const ir::Communication& comm : function_.comms) {
    may_merge |= inst.op == ir::Op::kMul && comm.producer == inst.id &&
                 function_.inst(comm.consumer).op == ir::Op::kAdd;
  }
  const bool adds = inst.op == ir::Op::kAdd;
  const bool is_fma =
      inst.op == ir::Op::kMad || inst.op == ir::Op::kMul || (adds && rates_.adds_share_fma > 0);
  // The first step of a sum that starts from a constant may be no operation at all.
  const double share = inst.is_reduction() && inst.op != ir::Op::kMad ? 1 - 1 / steps : 1;
  if (!may_merge) arithmetic_.push_back({number, is_fma, share});
  AddOperands(inst, number);
}

void LowerBound::AddOperands(const ir::Instruction& inst, std::size_t number) {
  for (const ir::Communication& comm : function_.comms) {
    if (comm.consumer != inst.id || comm.planned || comm.operand < 0) continue;
    const ir::Instruction& producer = function_.inst(comm.producer);
    OperandRead read{.nest = number, .comm = comm.id};
    if (producer.op == ir::Op::kLoad) read.load = producer.id;
    if (comm.lowered) {
      const std::size_t store = AddNest(function_.inst(comm.lowered->store));
      if (store != kMaxInsts) {
        for (NestAxis& axis : nests_[store].axes) {
          if (!axis.varies) nests_[store].points *= axis.total;
          axis.varies = true;
        }
        read.block = comm.lowered->block;
        read.store = store;
      }
    }
    if (!read.load.valid() && !read.block.valid()) continue;
    const std::vector<NestAxis>& axes = nests_[number].axes;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      for (const ir::PairId id : comm.pairs) {
        const ir::DimPair& pair = function_.pair(id);
        if (function_.dim(pair.dst).logical != axes[i].id) continue;
        if (Varies(producer, function_.dim(pair.src).logical)) read.axes |= 1u << i;
      }
    }
    read.what = fmt::format("{} for {}", producer.name(), inst.name());
    if (read.load.valid()) UseOf(producer.array).operands.push_back(operands_.size());
    operands_.push_back(std::move(read));
  }
}

LowerBound::ArrayUse& LowerBound::UseOf(ir::ArrayId id) {
  for (ArrayUse& use : arrays_) {
    if (use.id == id) return use;
  }
  arrays_.push_back({.id = id, .is_read = function_.array(id).role == ir::ArrayRole::kInput});
  return arrays_.back();
}

void LowerBound::AddAccess(const ir::Instruction& inst) {
  const AccessPattern pattern = PatternOf(function_, inst, rates_.memory_sector_bytes);
  ArrayUse& use = UseOf(inst.array);
  use.elements = std::max(use.elements, pattern.elements);
  use.sectors = std::max(use.sectors, pattern.sectors);
  const std::size_t number = AddNest(inst);
  if (number == kMaxInsts) return;
  Nest& nest = nests_[number];
  nest.points = pattern.elements;
  for (NestAxis& axis : nest.axes) {
    axis.varies =
        std::find(pattern.axes.begin(), pattern.axes.end(), axis.id) != pattern.axes.end();
  }
  use.accesses.push_back(number);
}

void LowerBound::Fill(const Nest& nest, const ir::Domains& domains, Work& work) const {
  work.points = nest.points;
  work.block = work.thread = 1;
  work.max_blocks = work.min_blocks = work.blocks_divide = 1;
  double max_threads = 1, threads_divide = 1;
  for (std::size_t i = 0; i < nest.axes.size(); ++i) {
    const NestAxis& axis = nest.axes[i];
    Levels block, thread, parallel;
    for (const ir::DimId id : axis.dims) {
      const ir::DimDomain& dim = domains.dims[id.index()];
      block.Add(dim, ir::kBlock);
      thread.Add(dim, ir::kThread);
      parallel.Add(dim, ir::kBlock | ir::kThread);
    }
    work.serial_min[i] = parallel.OthersMin(axis.total);
    work.serial_max[i] = parallel.OthersMax(axis.total);
    if (axis.varies) {
      work.block *= block.OthersMin(axis.total);
      work.thread *= work.serial_min[i];
    }
    work.min_blocks *= block.sure_min;
    work.max_blocks *= axis.total / block.OthersMin(axis.total);
    work.blocks_divide *= block.Multiple(axis.total);
    max_threads *= axis.total / thread.OthersMin(axis.total);
    threads_divide *= thread.Multiple(axis.total);
  }
  const double lanes = rates_.warp_lanes;
  work.max_threads = std::min(max_threads, static_cast<double>(function_.device.max_threads));
  // ceil(n / lanes) * lanes / n is least at the multiples, and at the largest.
  work.waste = std::max(lanes / std::min(work.max_threads, lanes),
                        std::ceil(threads_divide / lanes) * lanes / threads_divide);
}

/// Least that the busiest unit has of what is `whole` in the kernel and `block` in each block.
double LowerBound::OfUnit(const Totals& totals, double whole, double block) const {
  return std::max(whole * totals.share, block * std::ceil(totals.min_blocks / rates_.units));
}

double LowerBound::OfThread(const Totals& totals, const Work& work) const {
  return std::max(work.thread, work.points / (totals.max_blocks * work.max_threads));
}

/// Is the operand surely written by threads and read back behind a barrier? Then no compiler
/// forwards it in registers.
bool LowerBound::IsFenced(const OperandRead& read, const ir::Domains& domains) const {
  if (!read.block.valid()) return false;
  const ir::InstDomain& store = domains.insts[nests_[read.store].inst.index()];
  if (store.presence != ir::Presence::kCertain) return false;
  for (const NestAxis& axis : nests_[read.store].axes) {
    for (const ir::DimId dim : axis.dims) {
      const ir::DimDomain& domain = domains.dims[dim.index()];
      if (domain.presence == ir::Presence::kCertain && domain.must_be(ir::kThread)) return true;
    }
  }
  return false;
}

/// Most elements that one access of an argument takes. Compilers do not merge accesses whose
/// alignment they cannot know.
double LowerBound::WidthOf(const Nest& nest, const ir::Domains& domains) const {
  const double most = rates_.bytes_per_access / kElementBytes;
  for (const NestAxis& axis : nest.axes) {
    for (const ir::DimId dim : axis.dims) {
      if (domains.dims[dim.index()].may_be(ir::kVector)) return most;
    }
  }
  return std::min<double>(most, domains.insts[nest.inst.index()].max_width);
}

/// A thread that computes points needs each element of the operand at least once; the fewer points
/// of the other axes it has, the more often that is for each point.
LowerBound::Amount LowerBound::OperandAmount(const OperandRead& read, const ir::Domains& domains,
                                             const Totals& totals, const Work* works) const {
  const Nest& nest = nests_[read.nest];
  const Work& work = works[read.nest];
  double reuse = 1, thread = 1;
  for (std::size_t i = 0; i < nest.axes.size(); ++i) {
    if (!nest.axes[i].varies) continue;
    if ((read.axes >> i & 1) != 0) {
      thread *= work.serial_min[i];
    } else {
      reuse *= work.serial_max[i];
    }
  }
  // Temporaries are aligned, so that compilers may merge what is read from them.
  const double most = rates_.bytes_per_access / kElementBytes;
  const bool may_stage =
      read.block.valid() && domains.blocks[read.block.index()].presence != ir::Presence::kAbsent;
  double width = most;
  if (!may_stage && read.load.valid()) {
    const int load = nest_of_inst_[read.load.index()];
    if (load >= 0) width = WidthOf(nests_[static_cast<std::size_t>(load)], domains);
  }
  const double per_point = work.waste / (rates_.warp_lanes * width * reuse);
  Amount amount;
  amount.issues = OfUnit(totals, work.points * per_point, work.block * per_point);
  amount.of_thread = std::max(thread, OfThread(totals, work) / reuse) / width;
  return amount;
}

LowerBound::Totals LowerBound::Evaluate(const ir::Domains& domains, Notes* notes) const {
  std::array<Work, kMaxInsts> works;  // Those of the nests alone are filled.
  Totals totals;
  double max_blocks = 0;
  for (std::size_t i = 0; i < nests_.size(); ++i) {
    const Nest& nest = nests_[i];
    if (nest.planned && domains.insts[nest.inst.index()].presence != ir::Presence::kCertain) {
      continue;
    }
    Work& work = works[i];
    Fill(nest, domains, work);
    totals.min_blocks = std::max(totals.min_blocks, work.min_blocks);
    if (!nest.once) continue;
    // Blocks are around everything, and nothing but its own dims is around what runs once: its own
    // blocks are all there are.
    max_blocks = max_blocks == 0 ? work.max_blocks : std::min(max_blocks, work.max_blocks);
    totals.share =
        std::max(totals.share, BusiestShare(work.blocks_divide, work.max_blocks, rates_.units));
  }
  if (totals.share == 0) totals.share = 1 / rates_.units;  // Nothing runs once.
  totals.max_blocks = max_blocks == 0 ? HUGE_VAL : max_blocks;

  const auto add = [&](const std::string& what, const Amount& amount) {
    totals.amount.lanes += amount.lanes;
    totals.amount.issues += amount.issues;
    totals.amount.of_thread += amount.of_thread;
    if (notes != nullptr) notes->Add(what, amount);
  };
  const auto own_access = [&](std::size_t number, double width) {
    const Work& work = works[number];
    const double per_point = work.waste / (rates_.warp_lanes * width);
    return Amount{0, OfUnit(totals, work.points * per_point, work.block * per_point),
                  OfThread(totals, work) / width};
  };

  for (const Arithmetic& arithmetic : arithmetic_) {
    const Work& work = works[arithmetic.nest];
    const double per_point = work.waste * arithmetic.share;
    const double lanes = OfUnit(totals, work.points * per_point, work.block * per_point);
    add(function_.inst(nests_[arithmetic.nest].inst).name_,
        {arithmetic.is_fma ? lanes : 0, lanes / rates_.warp_lanes,
         OfThread(totals, work) * arithmetic.share});
  }
  // What two accesses of one array read may be the same; what goes through memory is read again.
  for (const ArrayUse& use : arrays_) {
    Amount most;
    const auto perhaps = [&](const Amount& amount) {
      most.issues = std::max(most.issues, amount.issues);
      most.of_thread = std::max(most.of_thread, amount.of_thread);
    };
    double block_elements = 0;
    for (const std::size_t access : use.accesses) {
      perhaps(own_access(access, WidthOf(nests_[access], domains)));
      block_elements = std::max(block_elements, works[access].block);
    }
    for (const std::size_t number : use.operands) {
      if (IsFenced(operands_[number], domains)) continue;
      perhaps(OperandAmount(operands_[number], domains, totals, works.data()));
    }
    add(function_.array(use.id).name, most);
    if (!use.is_read) continue;
    // A unit starts with nothing: what its blocks read arrives at least once.
    const double bytes =
        kElementBytes *
        std::max(use.elements / std::min(totals.max_blocks, rates_.units), block_elements);
    totals.unit_bytes += bytes;
    if (notes != nullptr) Notes::Add(notes->unit_bytes, function_.array(use.id).name, bytes);
  }
  const double most = rates_.bytes_per_access / kElementBytes;
  for (const OperandRead& read : operands_) {
    if (!IsFenced(read, domains)) continue;
    add(read.what, OperandAmount(read, domains, totals, works.data()));
    add(function_.inst(nests_[read.store].inst).name_, own_access(read.store, most));
  }
  return totals;
}

double LowerBound::TimeOf(const Totals& totals) const {
  const auto time = [](double amount, double rate) { return rate > 0 ? amount / rate : 0; };
  const double clock = rates_.clock_ghz;
  return std::max({time(totals.amount.lanes, rates_.fma_per_clk * clock),
                   time(totals.amount.issues, rates_.issues_per_clk * clock),
                   time(totals.amount.of_thread, rates_.warp_issues_per_clk * clock),
                   chain_clk_ / clock, time(totals.unit_bytes, rates_.unit_bytes_per_clk * clock),
                   time(memory_bytes_, rates_.memory_gbs)});
}

double LowerBound::Ns(const ir::Domains& domains) const {
  return TimeOf(Evaluate(domains, nullptr));
}

Bound LowerBound::Explain(const ir::Domains& domains) const {
  Notes notes;
  const Totals totals = Evaluate(domains, &notes);
  Bound bound;
  bound.ns = TimeOf(totals);
  bound.least_blocks = totals.min_blocks;
  bound.most_blocks = totals.max_blocks;
  const double clock = rates_.clock_ghz;
  const auto add = [&](std::string_view resource, double amount, std::string unit, double rate,
                       std::string rate_text, std::vector<BoundPart> parts) {
    if (rate <= 0 || amount <= 0) return;
    bound.terms.push_back({resource, amount, std::move(unit), rate, std::move(rate_text),
                           amount / rate, std::move(parts)});
  };
  const auto per_clk = [&](double rate) {
    return fmt::format("{:g} a clock at {:g} GHz", rate, clock);
  };
  add(kArithmetic, totals.amount.lanes, "lanes of the busiest unit", rates_.fma_per_clk * clock,
      per_clk(rates_.fma_per_clk), std::move(notes.lanes));
  add(kIssue, totals.amount.issues, "warp instructions of the busiest unit",
      rates_.issues_per_clk * clock, per_clk(rates_.issues_per_clk), std::move(notes.issues));
  add(kThread, totals.amount.of_thread, "instructions of a thread",
      rates_.warp_issues_per_clk * clock, per_clk(rates_.warp_issues_per_clk),
      std::move(notes.of_thread));
  add(kChain, chain_clk_, "clocks of one sum after another", clock, fmt::format("{:g} GHz", clock),
      {});
  add(kTraffic, totals.unit_bytes, "bytes into the busiest unit", rates_.unit_bytes_per_clk * clock,
      per_clk(rates_.unit_bytes_per_clk), std::move(notes.unit_bytes));
  add(kMemory, memory_bytes_, "bytes of main memory that no cache holds", rates_.memory_gbs,
      fmt::format("{:g} GB/s", rates_.memory_gbs), {});
  std::stable_sort(bound.terms.begin(), bound.terms.end(),
                   [](const BoundTerm& a, const BoundTerm& b) { return a.ns > b.ns; });
  if (!bound.terms.empty()) bound.bottleneck = bound.terms.front().resource;

  for (const Nest& nest : nests_) {
    if (nest.planned) continue;
    for (const NestAxis& axis : nest.axes) {
      for (const ir::DimId id : axis.dims) {
        const ir::DimDomain& dim = domains.dims[id.index()];
        const bool is_open = (dim.kinds & (dim.kinds - 1)) != 0;
        if (!dim.may_be(ir::kBlock | ir::kThread) || (!is_open && dim.min == dim.max)) continue;
        std::string line = fmt::format("{}: {}", function_.dim(id).name(), KindsText(dim.kinds));
        if (dim.min != dim.max) line += fmt::format(", {} to {} iterations", dim.min, dim.max);
        bound.assumed.push_back(std::move(line));
      }
    }
  }
  for (const OperandRead& read : operands_) {
    if (!read.block.valid()) continue;
    if (domains.blocks[read.block.index()].presence != ir::Presence::kPossible) continue;
    bound.assumed.push_back(
        fmt::format("{}: in registers or through memory", function_.comm(read.comm).name()));
  }
  return bound;
}

}  // namespace exh::models

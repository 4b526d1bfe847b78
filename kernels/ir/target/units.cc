// SPDX-License-Identifier: MIT
//
// What kernels/spaces/units.exh asks: which sums a matrix unit may do, and what its lanes hold.
#include <algorithm>

#include "kernels/ir/target.h"

namespace exh::kernels::ir {

std::string_view Target::unit_of(const Instruction& reduction) const {
  const MatrixUnit unit = UnitOf(*this, reduction);
  if (paper || unit == MatrixUnit::kNone) return "";
  const std::string_view unit_name = unit == MatrixUnit::kDmma   ? kDmma
                                     : unit == MatrixUnit::kImma ? kImma
                                     : unit == MatrixUnit::kQmma ? kQmma
                                                                 : kMma;
  const auto& units = device.tensor_units;
  if (std::ranges::find(units, unit_name) == units.end()) return "";
  const auto is_part = [&](DimId id) {
    return dim(id).part != FragmentPart::kNone && dim(id).unit == reduction.id;
  };
  if (!std::ranges::any_of(reduction.dims, is_part)) return "";
  // A unit leaves out no step. Beyond a covered axis it adds products of zeros, of which arguments
  // read as such there.
  const bool is_covered = std::ranges::any_of(
      reduction.reduce_dims, [&](DimId id) { return logical(dim(id).logical).covers(); });
  const auto is_read = [&](const Operand& operand) {
    const Instruction& read = inst(comm(operand.comm).producer);
    return read.op == Op::kLoad && double{read.outside} == 0;
  };
  return !is_covered || std::ranges::all_of(reduction.operands, is_read) ? unit_name : "";
}

bool Target::is_operand(const Instruction& reduction, const Communication& c) const {
  return c.consumer == reduction.id && !c.is_init && !c.planned && c.may_lower;
}

bool Target::may_use_groups(const Instruction& reduction) const {
  const MatrixUnit unit = UnitOf(*this, reduction);
  if (unit_of(reduction).empty() || !HasGroups(unit)) return false;
  const auto& units = device.tensor_units;
  if (!matrix_reads || std::ranges::find(units, kWgmma) == units.end()) return false;
  const auto operands = std::ranges::count_if(
      comms, [&](const Communication& c) { return is_operand(reduction, c); });
  const auto has = [&](const auto& is_level) {
    return std::ranges::any_of(reduction.dims, [&](DimId id) { return is_level(dim(id)); });
  };
  const auto is_innermost_column = [&](const Dimension& d) {
    return d.part == FragmentPart::kColumn && d.innermost_level;
  };
  const std::uint32_t rows = ShapeOf(unit).rows.size() * kGroupWarps;
  const auto has_warps = [&](const Dimension& d) {
    return is_group_level(reduction, d) && logical(d.logical).extent % rows == 0 &&
           std::ranges::any_of(d.sizes, [](std::uint32_t size) { return size % kGroupWarps == 0; });
  };
  return operands == 2 && has(is_innermost_column) && has(has_warps);
}

std::vector<std::uint32_t> Target::group_copies(const Instruction& reduction) const {
  std::vector<std::uint32_t> copies;
  for (std::uint32_t n = 1; n <= kGroupCopies; ++n) {
    // PTX ISA, wgmma.mma_async: of integers more than 32 columns are multiples of 16.
    if (UnitOf(*this, reduction) != MatrixUnit::kImma || n <= 4 || n % 2 == 0) copies.push_back(n);
  }
  return copies;
}

namespace {

constexpr std::uint32_t kTileRegisters = 4;  // Of a tile's sums, in each lane; promoted twice, …
constexpr std::uint32_t kBeside = 26;        // … and those that ptxas 13.0 wants besides.

}  // namespace

std::uint32_t Target::group_tiles_of(const Instruction& reduction, const Count& group_pairs,
                                     const Count& resident) const {
  constexpr std::uint32_t kStep = 8;  // Registers of a thread are given out in these.
  const std::uint32_t sums = kTileRegisters * (is_promoted(reduction) ? 2 : 1);
  const std::uint32_t threads = 2 * group_pairs.value * kGroupWarps * kUnitLanes * resident.value;
  const std::uint32_t registers =
      std::min(device.max_registers, device.block_registers / threads / kStep * kStep);
  return registers > kBeside ? std::max(1u, (registers - kBeside) / sums) : 1;
}

bool Target::is_promoted(const Instruction& reduction) const {
  return IsPromoted(UnitOf(*this, reduction));
}

std::uint32_t Target::promoted_tiles() const {
  const std::uint32_t most = device.max_registers;
  return most > kBeside ? std::max(1u, (most - kBeside) / (2 * kTileRegisters)) : 1;
}

namespace {

/// Of the dims of an instruction: is `outer` the level around the one that is this part?
bool IsLevelAround(const Target& f, const Instruction& reduction, const Dimension& outer,
                   FragmentPart part) {
  if (outer.inst != reduction.id) return false;
  return std::ranges::any_of(reduction.dims, [&](DimId id) {
    const Dimension& inner = f.dim(id);
    return inner.part == part && inner.logical == outer.logical && inner.level == outer.level + 1;
  });
}

/// Does the axis of the operand's array have what the part of the reduction's tile moves along?
bool IsOfPart(const Target& f, const Instruction& reduction, const MemBlock& b, const Axis& a,
              FragmentPart part) {
  const LogicalDimId along = f.dim(a.load_dim).logical;
  const Instruction& load = f.inst(b.load);
  return std::ranges::any_of(load.dims, [&](DimId id) {
    const Dimension& dim = f.dim(id);
    return dim.logical == along && dim.part == part && dim.unit == reduction.id;
  });
}

}  // namespace

bool Target::is_across(const Instruction& reduction, const DimPair& pair) const {
  const FragmentPart part = dim(pair.dst).part;
  return dim(pair.dst).inst == reduction.id &&
         (part == FragmentPart::kRow || part == FragmentPart::kColumn);
}

bool Target::is_group_level(const Instruction& reduction, const Dimension& d) const {
  return IsLevelAround(*this, reduction, d, FragmentPart::kRow);
}

bool Target::is_column_level(const Instruction& reduction, const Dimension& d) const {
  return IsLevelAround(*this, reduction, d, FragmentPart::kColumn);
}

bool Target::is_of_tile(const Instruction& reduction, const Axis& a) const {
  const MemBlock& b = block(a.block);
  return IsOfPart(*this, reduction, b, a, FragmentPart::kRow) ||
         IsOfPart(*this, reduction, b, a, FragmentPart::kOperandColumn) ||
         is_of_depth(reduction, a);
}

bool Target::is_of_depth(const Instruction& reduction, const Axis& a) const {
  return IsOfPart(*this, reduction, block(a.block), a, FragmentPart::kDepth);
}

bool Target::is_of_columns(const Instruction& reduction, const MemBlock& b) const {
  return std::ranges::any_of(inst(b.load).dims, [&](DimId id) {
    return dim(id).part == FragmentPart::kOperandColumn && dim(id).unit == reduction.id;
  });
}

bool Target::fits_fragment(const DimPair& pair) const {
  const Dimension &from = dim(pair.src), &to = dim(pair.dst);
  const Communication& c = comm(pair.comm);
  const bool is_operand = c.consumer == to.unit && !c.is_init && from.unit == to.unit;
  return HaveSameLanes(from, to) || (is_operand && from.part == FragmentPart::kOperandColumn &&
                                     to.part == FragmentPart::kColumn);
}

std::uint32_t Target::lanes_of_resident(const Instruction& reduction, const Count& wanted) const {
  // An instruction's operands and sums; as many again are where they come from and go to.
  const MatrixUnit unit = UnitOf(*this, reduction);
  const UnitShape& shape = ShapeOf(unit);
  const Type element = *TypeOf(reduction.operands.front());
  const std::uint32_t factors = shape.first_elements() + shape.second_elements();
  const std::uint32_t bytes =
      factors * BytesOf(FactorsOf(unit, element)) + shape.sums() * BytesOf(SumsOf(unit));
  const std::uint32_t fewest = 2 * bytes / 4;
  return device.block_registers / (fewest * wanted.value);
}

std::uint32_t Target::tensor_registers(const Instruction& reduction) const {
  const MatrixUnit unit = UnitOf(*this, reduction);
  return ShapeOf(unit).sums() * BytesOf(SumsOf(unit)) / 4 / registers_of(reduction);
}

std::uint32_t Target::sums_of_resident_warps(const Instruction& reduction,
                                             const Count& wanted) const {
  const std::uint32_t lanes = ShapeOf(UnitOf(*this, reduction)).lanes;
  return device.block_registers / (tensor_registers(reduction) * lanes * wanted.value);
}

}  // namespace exh::kernels::ir

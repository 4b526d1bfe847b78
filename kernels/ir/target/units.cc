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

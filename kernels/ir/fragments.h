// SPDX-License-Identifier: MIT
//
// Fragments: what each lane has of the operands and of the result of a matrix unit. A unit has a
// shape: how many lanes share one of its instructions, what that multiplies, and which rows,
// columns and steps a lane has in its registers. All units here are of a warp: it multiplies 16 x
// 16 elements of one operand with 16 x 8 elements of another one, and adds them to 16 x 8 sums. Let
// g = lane / 4 and q = lane % 4.
//
//   first operand, rows x depth      row g + 8 h      depth  4 q + i      h < 2, i < 4
//   second operand, depth x columns  depth 4 q + i    column g            i < 4
//   sums, rows x columns             row g + 8 h      column 2 q + b      h < 2, b < 2
//
// The hardware's own layouts have their depth in another order: q + 4 i of doubles, and
// 2 q + i % 2 + 8 (i / 2) of halves. A sum does not ask in which order its terms come, as long as
// both operands agree; and here what a lane has of a row lies together, so that it is one access.
// Of bytes, and of floats of 8 bits, a step is 32 deep: a lane has depth 8 q + i, i < 8, where the
// hardware has 4 q + i % 4 + 16 (i / 4).
//
// The sums of a product may be the first operand of the next one: scores of attention, of which the
// columns are the depth of the product with the values. Then a lane should have of them what it is
// to have of an operand. Two instructions side by side have 16 columns, of which a lane has 2 q + b
// of either one. Nobody says which column of the tile is which column of an instruction: let
// instruction t have column 4 q + 2 t + b as its column 2 q + b. Then the lane has the columns 4 q
// + i, i = 2 t + b, as above it has the depth. The second operand has its columns in the same
// order: lane g has column 4 (g / 2) + 2 t + g % 2.
//
//   second operand, depth x 16 columns   depth 4 q + i   column 4 (g / 2) + g % 2 + 2 t   t < 2
//   sums, rows x 16 columns              row g + 8 h     column 4 q + i                   i < 4
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ir/device.h"
#include "kernels/ir/types.h"

namespace exh::kernels::ir {

struct CoveredRows;
struct Dimension;
struct Function;
struct Instruction;

/// A kind of matrix unit: what it multiplies, and what its sums are.
enum class MatrixUnit : std::uint8_t {
  kNone,
  kDmma,      ///< f32 and f64, as doubles; sums are doubles.
  kMma,       ///< Both operands are f16, or both are bf16; sums are f32.
  kImma,      ///< Both operands are i8; sums are i32.
  kQmma,      ///< Both operands are f8e4m3, or both are f8e5m2; sums are f32.
  kMmaChain,  ///< kMma where sums become an operand of another product: 16 columns at once.
};

/// The unit that could do the multiply-add, as far as types go.
MatrixUnit UnitOf(const Function& function, const Instruction& product);

/// What the sums of a unit are, and what it multiplies where operands are of type `element`.
constexpr Type SumsOf(MatrixUnit unit) {
  if (unit == MatrixUnit::kImma) return Type::kI32;
  return unit == MatrixUnit::kDmma ? Type::kF64 : Type::kF32;
}
constexpr Type FactorsOf(MatrixUnit unit, Type element) {
  return unit == MatrixUnit::kDmma ? Type::kF64 : element;
}
/// Does it take elements as they are in memory, several in a register of 32 bits?
constexpr bool TakesBits(MatrixUnit unit) {
  return unit == MatrixUnit::kMma || unit == MatrixUnit::kMmaChain || unit == MatrixUnit::kImma ||
         unit == MatrixUnit::kQmma;
}

/// May four warps do its products together (`unit` WGMMA)?
constexpr bool HasGroups(MatrixUnit unit) {
  return unit == MatrixUnit::kMma || unit == MatrixUnit::kImma || unit == MatrixUnit::kQmma;
}
/// Are sums that four warps make together *promoted*? The instruction adds floats of 8 bits up with
/// about 14 bits (DeepSeek-V3 Technical Report, section 3.3.2). So it begins anew every
/// kPromotedTerms terms at most, and what it has come to is added to the sums, f32 beside it. This
/// is no decision: without it nobody could say how far a long sum is off.
constexpr bool IsPromoted(MatrixUnit unit) {
  return unit == MatrixUnit::kQmma;
}
inline constexpr std::uint32_t kPromotedTerms = 128;
/// Depth of an instruction of such four, in bytes: that of their matrices in shared memory.
inline constexpr std::uint32_t kGroupDepthBytes = 32;

/// Is it the unit of halves, in either form?
constexpr bool IsOfHalves(MatrixUnit unit) {
  return unit == MatrixUnit::kMma || unit == MatrixUnit::kMmaChain;
}

/// What a dimension is to the matrix unit that its iterations may belong to.
enum class FragmentPart : std::uint8_t {
  kNone,
  kRow,            ///< Of the first operand and of the sums.
  kColumn,         ///< Of the sums.
  kDepth,          ///< What is summed over, of both operands.
  kOperandColumn,  ///< Of the second operand.
};

/// A digit of a lane's number: number / stride % count. Steps of a dimension's iteration belong to
/// it.
struct LaneDigit {
  std::uint32_t count = 1;
  std::uint32_t stride = 1;
  std::int64_t step = 0;

  friend constexpr bool operator==(const LaneDigit&, const LaneDigit&) = default;
};

/// How the iterations of a dimension are lanes and registers: the iteration is the sum of the steps
/// of the lane's digits, each times the digit, and of register * register_step.
struct Fragment {
  std::array<LaneDigit, 2> digits;  ///< One of count 1 says nothing.
  std::uint32_t registers = 1;
  std::int64_t register_step = 0;

  /// Lanes that have different iterations.
  constexpr std::uint32_t lanes() const {
    std::uint32_t lanes = 1;
    for (const LaneDigit& digit : digits) lanes *= digit.count;
    return lanes;
  }
  constexpr std::uint32_t size() const { return lanes() * registers; }
  /// Neighbouring iterations that a lane has.
  constexpr std::uint32_t run() const { return register_step == 1 ? registers : 1; }

  friend constexpr bool operator==(const Fragment&, const Fragment&) = default;
};

/// What one instruction of a matrix unit does, and who has what of it. Without a unit it is one
/// multiply-add of one lane.
struct UnitShape {
  std::uint32_t lanes = 1;  ///< They share the instruction.
  Fragment rows, columns, depth;
  /// Of the second operand. One that lanes read in memory has none.
  Fragment operand_columns;

  constexpr Fragment Of(FragmentPart part) const {
    switch (part) {
      case FragmentPart::kRow:
        return rows;
      case FragmentPart::kColumn:
        return columns;
      case FragmentPart::kDepth:
        return depth;
      case FragmentPart::kOperandColumn:
        return operand_columns;
      case FragmentPart::kNone:
        break;
    }
    return {};
  }
  constexpr std::uint32_t multiply_adds() const {
    return rows.size() * columns.size() * depth.size();
  }
  /// Registers of a lane: of the sums, of the first operand and of the second one. Each holds one
  /// element.
  constexpr std::uint32_t sums() const { return rows.registers * columns.registers; }
  constexpr std::uint32_t first_elements() const { return rows.registers * depth.registers; }
  constexpr std::uint32_t second_elements() const {
    return depth.registers * operand_columns.registers;
  }

  friend constexpr bool operator==(const UnitShape&, const UnitShape&) = default;
};

/// That of a multiply-add without a unit, and that of the units that the lanes of a warp share.
inline constexpr UnitShape kNoShape;
inline constexpr UnitShape kWarpShape = {.lanes = kWarpLanes,
                                         .rows = {{{{8, 4, 1}}}, 2, 8},
                                         .columns = {{{{4, 1, 2}}}, 2, 1},
                                         .depth = {{{{4, 1, 4}}}, 4, 1},
                                         .operand_columns = {{{{8, 4, 1}}}, 1, 0}};

/// That of kImma and of kQmma.
inline constexpr UnitShape kDeepShape = {.lanes = kWarpLanes,
                                         .rows = kWarpShape.rows,
                                         .columns = kWarpShape.columns,
                                         .depth = {{{{4, 1, 8}}}, 8, 1},
                                         .operand_columns = kWarpShape.operand_columns};

/// That of kMmaChain: two instructions of the other one.
inline constexpr UnitShape kChainShape = {.lanes = kWarpLanes,
                                          .rows = kWarpShape.rows,
                                          .columns = kWarpShape.depth,
                                          .depth = kWarpShape.depth,
                                          .operand_columns = {{{{2, 4, 1}, {4, 8, 4}}}, 2, 2}};

constexpr const UnitShape& ShapeOf(MatrixUnit unit) {
  switch (unit) {
    case MatrixUnit::kDmma:
    case MatrixUnit::kMma:
      return kWarpShape;
    case MatrixUnit::kMmaChain:
      return kChainShape;
    case MatrixUnit::kImma:
    case MatrixUnit::kQmma:
      return kDeepShape;
    case MatrixUnit::kNone:
      break;
  }
  return kNoShape;
}

/// Has every lane its own part of the sums and of both operands?
constexpr bool LanesFit(const UnitShape& shape) {
  return shape.rows.lanes() * shape.columns.lanes() == shape.lanes &&
         shape.rows.lanes() * shape.depth.lanes() == shape.lanes &&
         (shape.operand_columns == Fragment() ||
          shape.depth.lanes() * shape.operand_columns.lanes() == shape.lanes);
}
static_assert(LanesFit(ShapeOf(MatrixUnit::kNone)) && LanesFit(ShapeOf(MatrixUnit::kDmma)) &&
              LanesFit(ShapeOf(MatrixUnit::kMma)) && LanesFit(ShapeOf(MatrixUnit::kImma)) &&
              LanesFit(ShapeOf(MatrixUnit::kMmaChain)) && LanesFit(ShapeOf(MatrixUnit::kQmma)));

/// The lanes of each unit, by the name that units.exh has for them.
inline constexpr std::uint32_t kUnitLanes = kWarpShape.lanes;

/// Are both dims parts of fragments of which each lane has the same iterations: of one unit, or of
/// units that take elements as they are in memory?
bool HaveSameLanes(const Dimension& a, const Dimension& b);

/// Finds the multiply-adds that a matrix unit could do, as far as the backbone goes: sums of
/// products of which one factor moves along rows and the other one along columns, and both along
/// what is summed over. Of several such axes one is the depth, and the others are loops around it.
/// Of each, one level of its axes becomes rows, columns and depth, and the same levels of
/// everything that values may reach it from, or reach from it, in registers (Dimension::part,
/// Dimension::matrix_unit, Dimension::unit). Of narrow elements that is also what reduces them,
/// such as the maximum of each row, and what comes of it. First it says of which products the sums
/// become an operand of another one (Instruction::sums_are_operand).
void FindFragments(Function& function);

/// Axes that the columns of a unit would fit if they were covered by a multiple of its columns,
/// where a sum over several axes has no other: 14 columns of an image. At most a seventh is added.
CoveredRows AxesToCover(const Function& function);

}  // namespace exh::kernels::ir

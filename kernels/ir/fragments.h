// SPDX-License-Identifier: MIT
//
// Fragments: what each lane of a warp has of the operands and of the result of a matrix unit. A
// unit multiplies 16 x 16 elements of one operand with 16 x 8 elements of another one, and adds
// them to 16 x 8 sums. Units of all types do so. Let g = lane / 4 and q = lane % 4.
//
//   first operand, rows x depth      row g + 8 h      depth  4 q + i      h < 2, i < 4
//   second operand, depth x columns  depth 4 q + i    column g            i < 4
//   sums, rows x columns             row g + 8 h      column 2 q + b      h < 2, b < 2
//
// The hardware's own layouts have their depth in another order: q + 4 i of doubles, and
// 2 q + i % 2 + 8 (i / 2) of halves. A sum does not ask in which order its terms come, as long as
// both operands agree; and here what a lane has of a row lies together, so that it is one access.
// Bytes lie in the hardware's layout as they do here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ir/types.h"

namespace exh::kernels::ir {

struct Function;
struct Instruction;

/// A kind of matrix unit: what it multiplies, and what its sums are.
enum class MatrixUnit : std::uint8_t {
  kNone,
  kDmma,  ///< f32 and f64, as doubles; sums are doubles.
  kMma,   ///< Both operands are f16, or both are bf16; sums are f32.
  kImma,  ///< Both operands are i8; sums are i32.
};

/// The unit that could do the multiply-add, as far as types go.
MatrixUnit UnitOf(const Function& function, const Instruction& product);

/// What the sums of a unit are, and what it multiplies where operands are of type `element`.
constexpr Type SumsOf(MatrixUnit unit) {
  if (unit == MatrixUnit::kImma) return Type::kI32;
  return unit == MatrixUnit::kMma ? Type::kF32 : Type::kF64;
}
constexpr Type FactorsOf(MatrixUnit unit, Type element) {
  return unit == MatrixUnit::kDmma ? Type::kF64 : element;
}
/// Does it take elements as they are in memory, several in a register of 32 bits?
constexpr bool TakesBits(MatrixUnit unit) {
  return unit == MatrixUnit::kMma || unit == MatrixUnit::kImma;
}

/// What a dimension is to the matrix unit that its iterations may belong to.
enum class FragmentPart : std::uint8_t {
  kNone,
  kRow,            ///< Of the first operand and of the sums.
  kColumn,         ///< Of the sums.
  kDepth,          ///< What is summed over, of both operands.
  kOperandColumn,  ///< Of the second operand.
};

/// How the iterations of a dimension are lanes and registers: iteration lane * lane_step + register
/// * register_step, where the lane is one of `lanes`: g for 8 of them, q for 4.
struct Fragment {
  std::uint32_t lanes = 1;
  std::int64_t lane_step = 0;
  std::uint32_t registers = 1;
  std::int64_t register_step = 0;

  constexpr std::uint32_t size() const { return lanes * registers; }
  /// Neighbouring iterations that a lane has.
  constexpr std::uint32_t run() const { return register_step == 1 ? registers : 1; }
};

constexpr Fragment FragmentOf(FragmentPart part) {
  switch (part) {
    case FragmentPart::kRow:
      return {8, 1, 2, 8};
    case FragmentPart::kColumn:
      return {4, 2, 2, 1};
    case FragmentPart::kDepth:
      return {4, 4, 4, 1};
    case FragmentPart::kOperandColumn:
      return {8, 1, 1, 0};
    case FragmentPart::kNone:
      break;
  }
  return {};
}

/// Multiply-adds of one instruction of a unit, steps of a sum among them, and the lanes that share
/// them.
inline constexpr std::uint32_t kUnitDepth = FragmentOf(FragmentPart::kDepth).size();
inline constexpr std::uint32_t kUnitColumns = FragmentOf(FragmentPart::kColumn).size();
inline constexpr std::uint32_t kUnitSteps =
    FragmentOf(FragmentPart::kRow).size() * FragmentOf(FragmentPart::kColumn).size() * kUnitDepth;
inline constexpr std::uint32_t kUnitLanes = 32;

/// Finds the multiply-adds that a matrix unit could do, as far as the backbone goes: sums of
/// products of which one factor moves along rows and the other one along columns, and both along
/// what is summed over. Of several such axes one is the depth, and the others are loops around it.
/// Of each, one level of its axes becomes rows, columns and depth, and the same levels of
/// everything that values may reach it from, or reach from it, in registers (Dimension::part,
/// Dimension::unit).
void FindFragments(Function& function);

/// Axes that the columns of a unit would fit if they were covered by multiples of kUnitColumns,
/// where a sum over several axes has no other: 14 columns of an image. At most a seventh is added.
/// By the names that the backbone's builder knows them by.
std::vector<std::string> AxesToCover(const Function& function);

}  // namespace exh::kernels::ir

// SPDX-License-Identifier: MIT
#include "kernels/ir/target/covered_rows.h"

#include <algorithm>

#include "kernels/ir/target/lanes.h"
#include "kernels/ir/target/nest_axes.h"

namespace exh::kernels::ir {
namespace {

constexpr std::uint32_t kRows = 6;
constexpr std::uint32_t kShare = 32;  ///< At most 1 / kShare of an axis is added.

/// How many sums are in registers at once; 0: the device does not say it.
std::uint32_t VectorsOfSums(const Device& device) {
  const std::uint32_t lanes = WidestVector(device);
  return device.vector_arithmetic && lanes > 1 ? device.max_registers / lanes : 0;
}

/// The last but one axis of a product's result, if one of its factors does not move along it; null:
/// there is none.
const LogicalDim* RowsOf(const Function& function, const Instruction& product) {
  if (product.planned || product.op != Op::kMad || !product.is_reduction()) return nullptr;
  const auto results = ResultAxes(function, product);
  if (results.size() < 2 || ReducedAxes(function, product).size() != 1) return nullptr;
  const LogicalDim* const rows = results[results.size() - 2];
  const bool all_move = std::ranges::all_of(
      OperandsOf(function, product),
      [&](const Communication* comm) { return ProducersAxis(function, *comm, *rows) != nullptr; });
  return all_move ? nullptr : rows;
}

bool AddsLittle(std::uint32_t total, std::uint32_t multiple) {
  const std::uint32_t beyond = (multiple - total % multiple) % multiple;
  return std::uint64_t{beyond} * kShare <= total;
}

}  // namespace

CoveredRows RowsToCover(const Function& function, const Device& device) {
  // Tiles of 6 by 2 need 12 sums; with twice as many registers 8 by 2 does as well.
  constexpr std::uint32_t kLeast = 12, kMany = 24;
  CoveredRows covered;
  const std::uint32_t vectors = VectorsOfSums(device);
  if (device.max_threads > 1 || vectors < kLeast || vectors >= kMany) return covered;
  covered.multiple = 2 * kRows;
  for (const Instruction& inst : function.insts) {
    const LogicalDim* const axis = RowsOf(function, inst);
    if (axis == nullptr || axis->extent % kRows == 0 || !AddsLittle(axis->total, kRows)) continue;
    if (!AddsLittle(axis->total, 2 * kRows)) covered.multiple = kRows;
    covered.axes.push_back(axis->name.substr(axis->name.rfind('.') + 1));
  }
  return covered;
}

}  // namespace exh::kernels::ir

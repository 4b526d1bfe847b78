// SPDX-License-Identifier: MIT
#include "kernels/ir/target/covered_rows.h"

#include <algorithm>

namespace exh::kernels::ir {
namespace {

constexpr std::uint32_t kRows = 6;
constexpr std::uint32_t kShare = 32;  ///< At most 1 / kShare of an axis is added.

/// How many sums are in registers at once; 0: the device does not say it.
std::uint32_t VectorsOfSums(const Device& device) {
  std::uint32_t lanes = 1;
  for (const std::uint32_t size : device.vector_sizes) lanes = std::max(lanes, size);
  return device.vector_arithmetic && lanes > 1 ? device.max_registers / lanes : 0;
}

/// The last but one axis of a product's result, if one of its factors does not move along it;
/// invalid: there is none.
LogicalDimId RowsOf(const Function& function, const Instruction& product) {
  if (product.planned || product.op != Op::kMad || !product.is_reduction()) return {};
  LogicalDimId rows, columns, depth;
  for (const DimId id : product.dims) {
    const Dimension& dim = function.dim(id);
    if (dim.level != 0) continue;
    if (dim.is_reduction) {
      if (depth.valid()) return {};
      depth = dim.logical;
      continue;
    }
    rows = columns;
    columns = dim.logical;
  }
  if (!rows.valid()) return {};
  const auto moves = [&](const Operand& operand) {
    if (!operand.comm.valid()) return true;
    return std::ranges::any_of(function.comm(operand.comm).pairs, [&](PairId pair) {
      return function.dim(function.pair(pair).dst).logical == rows;
    });
  };
  return std::ranges::all_of(product.operands, moves) ? LogicalDimId() : rows;
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
    const LogicalDimId id = RowsOf(function, inst);
    if (!id.valid()) continue;
    const LogicalDim& axis = function.logical(id);
    if (axis.extent % kRows == 0 || !AddsLittle(axis.total, kRows)) continue;
    if (!AddsLittle(axis.total, 2 * kRows)) covered.multiple = kRows;
    covered.axes.push_back(axis.name.substr(axis.name.rfind('.') + 1));
  }
  return covered;
}

}  // namespace exh::kernels::ir

// SPDX-License-Identifier: MIT
//
// The text of a block of a product, for each set of instructions. It is included behind Eigen, in a
// file that may have given Eigen a name of its own: what is inline there is then no other file's.
#pragma once

#include "kernels/derived/reference/products/block.h"

namespace exh::kernels {
namespace {

using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ByColumns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;

/// Calls `visit` with the matrix as one of Eigen's.
template <typename Visit>
void Visited(const double* data, bool by_rows, std::int64_t rows, std::int64_t columns,
             const Visit& visit) {
  if (by_rows) {
    visit(Eigen::Map<const ByRows>(data, rows, columns));
  } else {
    visit(Eigen::Map<const ByColumns>(data, rows, columns));
  }
}

void ComputeBlock(const BlockProduct& of) {
  Eigen::Map<ByRows> product(of.result, of.rows, of.columns);
  Visited(of.a, of.a_by_rows, of.rows, of.depth, [&](const auto& left) {
    Visited(of.b, of.b_by_rows, of.depth, of.columns, [&](const auto& right) {
      product.block(of.row, of.column, of.high, of.wide).noalias() =
          left.middleRows(of.row, of.high) * right.middleCols(of.column, of.wide);
    });
  });
}

}  // namespace
}  // namespace exh::kernels

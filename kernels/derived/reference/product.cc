// SPDX-License-Identifier: MIT
#include "kernels/derived/reference/product.h"

#include <algorithm>

#include "kernels/derived/reference/products/block_loop.h"

namespace exh::kernels {
namespace {

using Eigen::Index;

/// Multiply-adds between two looks at the token: some hundredths of a second.
constexpr double kBlockWork = 1 << 27;
/// Below that it is over before threads have begun.
constexpr double kLittleWork = 1 << 22;

/// A block of a * b, `high` x `wide`, which begins at `row`, `column` of the result.
void Block(const MatrixView& a, const MatrixView& b, double* result, Index row, Index high,
           Index column, Index wide) {
  static const BlockFunction compute =
      Avx2BlockFunction() != nullptr ? Avx2BlockFunction() : &ComputeBlock;
  compute({a.data, b.data, a.by_rows, b.by_rows, a.rows, a.columns, b.columns, result, row, high,
           column, wide});
}

}  // namespace

void SmallProduct(const MatrixView& a, const MatrixView& b, double* result) {
  Block(a, b, result, 0, a.rows, 0, b.columns);
}

bool Product(const MatrixView& a, const MatrixView& b, double* result) {
  const auto depth = static_cast<double>(a.columns);
  const auto work = depth * static_cast<double>(a.rows) * static_cast<double>(b.columns);
  if (work <= kLittleWork) {
    SmallProduct(a, b, result);
    return true;
  }
  // Blocks of the result: whole columns of it where they are short, otherwise about as wide as
  // high.
  const auto elements = static_cast<Index>(std::max(1.0, kBlockWork / depth));
  constexpr Index kMostColumns = 512;
  const Index columns = std::min({b.columns, kMostColumns, elements});
  const Index rows = std::clamp<Index>(elements / columns, 1, a.rows);
  const Index down = (a.rows + rows - 1) / rows, across = (b.columns + columns - 1) / columns;
  return RunStoppable(static_cast<std::size_t>(down * across), [&](std::size_t block) {
    const auto index = static_cast<Index>(block);
    const Index row = index / across * rows, column = index % across * columns;
    Block(a, b, result, row, std::min(rows, a.rows - row), column,
          std::min(columns, b.columns - column));
  });
}

Eigen::MatrixXd Product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  // A matrix column by column is its transpose row by row.
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(a.rows(), b.cols());
  Product({b.data(), b.cols(), b.rows(), true}, {a.data(), a.cols(), a.rows(), true},
          result.data());
  return result;
}

}  // namespace exh::kernels

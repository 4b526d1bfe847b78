// SPDX-License-Identifier: MIT
//
// How the axes of a product are those of matrices. An axis of both factors and of the result
// numbers products of a batch; one of the first factor and the result, rows; of the second one and
// the result, columns; one that is summed over belongs to both factors. Several axes of one kind
// act as one if they nest wherever they occur: a step of the outer one moves by all steps of the
// inner one.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/derived/expression.h"

namespace exh::kernels::derived {

/// Where the elements of a value are, over axes.
struct StridedAccess : ir::Affine<int> {
  int array = 0;  ///< A number that the caller knows.

  bool Has(int axis) const;
};

StridedAccess AccessOf(const Expression::Node& node);

/// Does a load read, at each point of the store, the element of the same number?
bool LiesAs(const Expression& expression, const Expression::Node& load,
            const Expression::Node& store);

/// A value that is stored by itself, its last axis innermost.
StridedAccess RowMajor(const Expression& expression, const std::vector<int>& axes, int array);

/// Elements from one row, column or matrix to the next.
struct MatrixPlace {
  int array = 0;
  std::int64_t row = 0, column = 0, step = 0;
};

/// A matrix that fills an array: row-major, or column-major if `is_transposed`, with neighbouring
/// elements `stride` apart.
struct DenseMatrix {
  bool is_transposed = false;
  std::int64_t stride = 1;
};
std::optional<DenseMatrix> DenseMatrixOf(const MatrixPlace& place, std::int64_t rows,
                                         std::int64_t columns);

/// c = a b, m x n, sums of k products; b and c are vectors if `is_vector`, and n is 1.
struct MatrixProduct {
  std::int64_t m = 1, n = 1, k = 1, batch = 1;
  bool is_vector = false;
  MatrixPlace a, b, c;
};

/// The product of two values over these axes, as a vector or with c row-major where possible:
/// factors change places for that.
/// Nothing: it is no product of matrices.
std::optional<MatrixProduct> MatrixProductOf(const Expression& expression,
                                             const std::vector<int>& axes,
                                             const std::vector<int>& reduced,
                                             const StridedAccess& a, const StridedAccess& b,
                                             const StridedAccess& c);

/// Axes from the outermost as one, if they nest in all values, which have each of them.
struct FoldedAxes {
  std::int64_t total = 1;
  std::vector<std::int64_t> strides;  ///< By value; 0 when there are no axes.
};
std::optional<FoldedAxes> Fold(const Expression& expression, std::vector<int> axes,
                               const std::vector<const StridedAccess*>& values);

}  // namespace exh::kernels::derived

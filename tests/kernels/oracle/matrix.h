// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>

#include "kernels/library/kernel.h"

namespace exh::kernels {

/// How a matrix lies in an array: row-major, or column-major if it is stored transposed.
struct Layout {
  Layout(std::int64_t of_rows, std::int64_t of_columns, bool is_transposed = false,
         std::int64_t element_stride = 1);
  std::int64_t rows, columns;
  bool transposed;
  std::int64_t stride;       ///< Distance of neighbouring elements.
  std::int64_t row, column;  ///< Elements from one row, or column, to the next.
  std::int64_t elements() const { return rows * columns * stride; }
};

/// The matrix of an input in double precision; it begins at element `first`.
Eigen::MatrixXd Matrix(const ArrayData& input, const Layout& layout, std::int64_t first = 0);

/// Appends a matrix, row by row, to the reference of an output, and its tolerance (tolerance.h):
/// each element goes through `operations` roundings in a row. The squares of its terms add up to
/// `squares`, those of the sums that these come to, to `sums`. Raises ArrayData::largest_sum and
/// sets rms_limit.
void AppendResult(ArrayData& output, const Eigen::MatrixXd& exact, const Eigen::MatrixXd& squares,
                  const Eigen::MatrixXd& sums, double operations);

/// Raises ArrayData::largest_sum by sums of `terms` whose squares add up to an element of `squares`
/// each. What is no number says nothing.
void NoteSums(ArrayData& output, const Eigen::MatrixXd& squares, double terms);

/// C++ for a yardstick: `pointer` as a constant Eigen matrix. Transposition and unit stride are
/// types, so that Eigen takes its fast path.
std::string EigenMatrix(const Layout& layout, const std::string& pointer);

}  // namespace exh::kernels

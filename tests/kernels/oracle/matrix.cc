// SPDX-License-Identifier: MIT
#include "tests/kernels/oracle/matrix.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "kernels/derived/tolerance.h"
#include "tests/kernels/oracle/kernels.h"

namespace exh::kernels {

Parameter InnerTile() {
  return {"inner_tile", 16, 2, 64, "largest inner tile of a tiled axis"};
}

std::uint32_t LargestInnerTile(const Parameters& sizes) {
  const auto found = sizes.find("inner_tile");
  return static_cast<std::uint32_t>(found == sizes.end() ? InnerTile().default_value
                                                         : found->second);
}

Layout::Layout(std::int64_t of_rows, std::int64_t of_columns, bool is_transposed,
               std::int64_t element_stride)
    : rows(of_rows),
      columns(of_columns),
      transposed(is_transposed),
      stride(element_stride),
      row((transposed ? 1 : columns) * stride),
      column((transposed ? rows : 1) * stride) {}

Eigen::MatrixXd Matrix(const ArrayData& input, const Layout& layout, std::int64_t first) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using AnyStride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
  const std::span<const float> values = input.values.As<float>();
  return Eigen::Map<const RowMajor, 0, AnyStride>(values.data() + first, layout.rows,
                                                  layout.columns,
                                                  AnyStride(layout.row, layout.column))
      .cast<double>();
}

void AppendResult(ArrayData& output, const Eigen::MatrixXd& exact, const Eigen::MatrixXd& squares,
                  const Eigen::MatrixXd& sums, double operations) {
  const double scale = SumTolerance(operations, 1);
  const std::size_t first = output.reference.size();
  const auto rows = static_cast<std::size_t>(exact.rows());
  const auto columns = static_cast<std::size_t>(exact.cols());
  output.reference.resize(first + rows * columns);
  output.tolerance.resize(first + rows * columns);
  for (std::size_t i = 0; i < rows * columns; ++i) {
    const auto row = static_cast<Eigen::Index>(i / columns);
    const auto column = static_cast<Eigen::Index>(i % columns);
    output.reference[first + i] = exact(row, column);
    output.tolerance[first + i] = scale * std::sqrt(squares(row, column) + sums(row, column));
  }
  NoteSums(output, squares, operations);
  // Those of a row of a product have only the row of its first factor in common.
  const std::size_t sharing = std::max<std::size_t>(std::min(rows, columns), 1);
  output.rms_limit = RmsLimit(operations, static_cast<double>(output.reference.size() / sharing));
}

void NoteSums(ArrayData& output, const Eigen::MatrixXd& squares, double terms) {
  double largest = 0;
  for (const double square : squares.reshaped()) {
    if (std::isfinite(square)) largest = std::max(largest, square);
  }
  output.largest_sum = std::max(output.largest_sum, LargestSum(terms, std::sqrt(largest)));
}

std::string EigenMatrix(const Layout& layout, const std::string& pointer) {
  const std::string order = layout.transposed ? "Eigen::ColMajor" : "Eigen::RowMajor";
  const std::string type = "Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, " + order + ">";
  const std::string place =
      pointer + ", " + std::to_string(layout.rows) + ", " + std::to_string(layout.columns);
  if (layout.stride == 1) return "Eigen::Map<const " + type + ">(" + place + ")";
  const std::string strides = "Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>";
  return "Eigen::Map<const " + type + ", 0, " + strides + ">(" + place + ", " + strides + "(" +
         std::to_string(layout.transposed ? layout.column : layout.row) + ", " +
         std::to_string(layout.stride) + "))";
}

}  // namespace exh::kernels

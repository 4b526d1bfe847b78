// SPDX-License-Identifier: MIT
#include "kernels/library/matrix.h"

#include "kernels/library/tolerance.h"

namespace exh::kernels {

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
  return Eigen::Map<const RowMajor, 0, AnyStride>(input.values.data() + first, layout.rows,
                                                  layout.columns,
                                                  AnyStride(layout.row, layout.column))
      .cast<double>();
}

void AppendResult(ArrayData& output, const Eigen::MatrixXd& exact, const Eigen::MatrixXd& magnitude,
                  double operations) {
  for (Eigen::Index row = 0; row < exact.rows(); ++row) {
    for (Eigen::Index column = 0; column < exact.cols(); ++column) {
      output.reference.push_back(exact(row, column));
      output.tolerance.push_back(SumTolerance(operations, magnitude(row, column)));
    }
  }
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

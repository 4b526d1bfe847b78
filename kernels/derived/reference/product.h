// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>

#include "kernels/derived/reference/stoppable.h"

namespace exh::kernels {

/// A matrix that lies in memory row by row, or else column by column, without gaps.
struct MatrixView {
  const double* data = nullptr;  ///< Not owned.
  Eigen::Index rows = 0, columns = 0;
  bool by_rows = true;
};

/// a * b, row by row into `result`, block by block on all cores. False: it ended early.
bool Product(const MatrixView& a, const MatrixView& b, double* result);
/// The same in this thread and to its end.
void SmallProduct(const MatrixView& a, const MatrixView& b, double* result);

/// a * b, block by block on all cores that this process may use.
Eigen::MatrixXd Product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

}  // namespace exh::kernels

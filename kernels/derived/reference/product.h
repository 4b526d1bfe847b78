// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>

#include "base/stop.h"

namespace exh::kernels {

/// While it lives, products that this thread computes end early when `stop` is stopped. `stop` may
/// be null, and outlives this.
class StoppableProducts {
 public:
  explicit StoppableProducts(const StopToken* stop);
  ~StoppableProducts();
  StoppableProducts(const StoppableProducts&) = delete;
  StoppableProducts& operator=(const StoppableProducts&) = delete;

  /// One of them ended early: what was made of it is of no use.
  bool has_stopped() const { return has_stopped_; }

 private:
  friend bool RunStoppable(std::size_t count, const std::function<void(std::size_t)>& work);
  friend bool IsOver();
  const StopToken* stop_;
  StoppableProducts* before_;
  bool has_stopped_ = false;
};

/// Is nobody waiting any more for what this thread computes? Then it ended early, as products do.
bool IsOver();

/// Calls `work(0)` to `work(count - 1)` on all cores that this process may use; a call should take
/// some hundredths of a second at most. False: it ended early, as products do.
bool RunStoppable(std::size_t count, const std::function<void(std::size_t)>& work);

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

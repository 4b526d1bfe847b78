// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>

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
  friend Eigen::MatrixXd Product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
  const StopToken* stop_;
  StoppableProducts* before_;
  bool has_stopped_ = false;
};

/// a * b, block by block on all cores that this process may use.
Eigen::MatrixXd Product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

}  // namespace exh::kernels

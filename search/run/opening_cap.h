// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

namespace exh::search {

/// How long a candidate may run while nothing is known to be correct. A problem may be so large
/// that nothing of its space ends within any cap that is chosen before: so the cap grows as
/// candidates are stopped, until one of them ends.
class OpeningCap {
 public:
  /// Where it begins (Evaluator::first_cap_ns); 0: there is no cap.
  explicit OpeningCap(double first_ns) : first_ns_(first_ns) {}

  /// `bound_ns`: nothing of the space is faster; 0: nothing is known. `seconds_left`: of the run.
  double ns(double bound_ns, double seconds_left) const {
    // Decent implementations are within this factor of the bound.
    constexpr double kAboveBound = 10;
    // No candidate takes more than this share of the time, nor more than a yardstick may.
    constexpr double kShare = 0.02, kMostNs = 10e9;
    const double most = std::min(kMostNs, kShare * seconds_left * 1e9);
    const double wanted = growth_ * std::max(first_ns_, kAboveBound * bound_ns);
    return first_ns_ > 0 ? std::max(first_ns_, std::min(wanted, most)) : 0;
  }
  /// Another one was stopped.
  void NoteSlow() {
    constexpr int kInARow = 8;  // As many as a few compilers finish while one of them runs.
    if (++slow_ % kInARow == 0) growth_ *= 2;
  }

 private:
  double first_ns_;
  double growth_ = 1;
  int slow_ = 0;
};

}  // namespace exh::search

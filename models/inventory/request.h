// SPDX-License-Identifier: MIT
//
// Request: what one access of a warp to an array argument may have together. Threads of a warp and
// elements of a vector reach neighbours at once; loops and blocks do not. So the fewer neighbours
// threads have, the more pieces of memory the points of a nest take in all.
#pragma once

#include <vector>

#include "kernels/ir/function.h"
#include "models/inventory/domains.h"

namespace exh::models {

class Request {
 public:
  /// The access of a kLoad or kStore.
  Request(const kernels::ir::Function& function, const kernels::ir::Instruction& inst);

  /// Most elements of an aligned piece of `elements` (a power of two) that one access of a warp can
  /// touch. No smaller for a candidate than for those below it.
  double Together(const Domains& domains, double elements) const;

 private:
  struct Axis {
    double stride = 1;                     ///< Elements.
    std::vector<kernels::ir::DimId> dims;  ///< Innermost first.
  };
  std::vector<Axis> axes_;       ///< Those whose steps are small.
  std::vector<double> strides_;  ///< Of all.
  kernels::ir::InstId inst_;
};

}  // namespace exh::models

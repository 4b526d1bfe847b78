// SPDX-License-Identifier: MIT
//
// Which elements of an array an access touches, whatever the implementation. Axes may meet in one
// element: a window that slides reads most elements several times, and a border none. Each element
// counts once, and only where it is inside.
#pragma once

#include <vector>

#include "kernels/ir/function.h"

namespace exh::models {

/// An axis along which the address moves.
struct MovingAxis {
  kernels::ir::LogicalDimId axis;
  double lost = 0;  ///< Of its points: those at which the load is outside, at most.
};

struct AccessPattern {
  /// No two points of these axes share an element, whatever the other axes are at. (Of axes that
  /// overlap, the longest is here.)
  std::vector<MovingAxis> axes;
  double points = 1;    ///< Of these axes, but for what is lost; where the others are at one point.
  double elements = 1;  ///< Distinct ones of all axes, at least.
  double sectors = 1;   ///< Aligned pieces of `sector_bytes` that they lie in, at least.
};

/// Of a kLoad or kStore.
AccessPattern PatternOf(const kernels::ir::Function& function, const kernels::ir::Instruction& inst,
                        double sector_bytes);

}  // namespace exh::models

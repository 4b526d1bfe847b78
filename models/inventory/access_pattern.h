// SPDX-License-Identifier: MIT
//
// Which elements of an array an access touches, whatever the implementation.
#pragma once

#include <vector>

#include "kernels/ir/function.h"

namespace exh::models {

struct AccessPattern {
  /// Axes along which the address moves, and no two points of which share an element. (Where the
  /// points of all axes do overlap, only the longest of them is here; and none along which a load
  /// leaves its array.)
  std::vector<kernels::ir::LogicalDimId> axes;
  double elements = 1;  ///< Distinct ones, at least.
  double sectors = 1;   ///< Aligned pieces of `sector_bytes` that they lie in, at least.
};

/// Of a kLoad or kStore.
AccessPattern PatternOf(const kernels::ir::Function& function, const kernels::ir::Instruction& inst,
                        double sector_bytes);

}  // namespace exh::models

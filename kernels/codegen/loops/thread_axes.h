// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"

namespace exh::kernels::codegen {

/// The hardware axes of a block's threads and their layouts.
struct ThreadAxes {
  std::vector<ThreadAxis> axes;
  std::vector<ThreadLayout> layouts;
  std::vector<int> lanes;  ///< Where lanes share something: the axes of the digits of their number.
  std::string error;       ///< Why thread_mapping gives none; empty if it does.
};

/// Groups the THREAD classes into layouts and axes by thread_mapping, orders the axes of each
/// layout and fills DimClass::axis. `lanes`: digits of the number of a lane, the outermost first;
/// the layout that phases share has them as its innermost axes.
ThreadAxes AssignThreadAxes(const ir::Function& function, const Schedule& schedule,
                            std::span<const ir::LaneDigit> lanes, std::vector<DimClass>& classes);

}  // namespace exh::kernels::codegen

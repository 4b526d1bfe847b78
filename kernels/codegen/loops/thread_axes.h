// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"

namespace exh::kernels::codegen {

/// The hardware axes of a block's threads and their layouts.
struct ThreadAxes {
  std::vector<ThreadAxis> axes;
  std::vector<ThreadLayout> layouts;
  int lanes[2] = {-1, -1};  ///< Where lanes share something: the axes of lane / 4 and of lane % 4.
  std::string error;        ///< Why thread_mapping gives none; empty if it does.
};

/// Groups the THREAD classes into layouts and axes by thread_mapping, orders the axes of each
/// layout and fills DimClass::axis. `has_lanes`: the layout that phases share has the lanes of
/// warps as its innermost axes.
ThreadAxes AssignThreadAxes(const ir::Function& function, const Schedule& schedule, bool has_lanes,
                            std::vector<DimClass>& classes);

}  // namespace exh::kernels::codegen

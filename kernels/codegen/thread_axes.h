// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/codegen/loop_tree.h"

namespace exh::kernels::codegen {

/// Groups the THREAD classes into hardware axes by thread_mapping, orders the axes and fills
/// DimClass::axis. Returns why that is impossible, or an empty text.
std::string AssignThreadAxes(const ir::Function& function, const Schedule& schedule,
                             std::vector<DimClass>& classes, std::vector<ThreadAxis>& axes);

}  // namespace exh::kernels::codegen

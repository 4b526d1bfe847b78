// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/devices/standalone/names.h"
#include "kernels/task.h"

namespace exh::kernels::standalone {

/// A header for C and C++: `about` as a comment, includes, the sizes as macros ("MATMUL_SIZE_M"),
/// and `declarations` within extern "C".
std::string Header(const Task& task, const Names& names, const std::string& about,
                   const std::vector<std::string>& includes, const std::string& declarations);

}  // namespace exh::kernels::standalone

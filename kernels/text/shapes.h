// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace exh::kernels::text {

/// Extents of arrays by name, the outermost first: arrays lie row by row.
using Shapes = std::map<std::string, std::vector<std::int64_t>>;

}  // namespace exh::kernels::text

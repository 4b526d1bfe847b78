// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace exh::runtime {

/// The name that takes the fewest edits to reach; empty when there are no names.
std::string NearestName(std::string_view name, std::span<const std::string> names);

}  // namespace exh::runtime

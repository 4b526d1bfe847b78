// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace exh::dsl {

/// Number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
int EditDistance(std::string_view a, std::string_view b);

/// `; did you mean 'x'?` for the candidate nearest to `name`, or nothing when none is near.
std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace exh::dsl

// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace exh::functional {

/// The functions of the language, which docs/functional.md lists.
const std::vector<std::string>& BuiltIns();
bool IsBuiltIn(std::string_view name);

/// Parameters and labels become names of `.exh`, which this is none of.
bool IsWordOfExh(std::string_view name);

}  // namespace exh::functional

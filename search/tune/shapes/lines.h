// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string_view>

#include "base/numbers.h"

namespace exh::search {

/// Calls visit(number, line) for every line that says something, blanks at its ends left out.
void ForEachLine(std::string_view text, const auto& visit) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty()) visit(number, line);
  }
}

}  // namespace exh::search

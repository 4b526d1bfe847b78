// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string_view>

namespace exh {

/// Letters without accents, digits and `_`, and no digit first: what C and its preprocessor take
/// for a name.
inline bool IsNameInC(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace exh

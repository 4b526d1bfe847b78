// SPDX-License-Identifier: MIT
//
// Characters of a text that have no meaning in its language, in messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace exh::dsl {

/// The character that a text begins with; without `code` it is one byte that begins none.
struct Utf8 {
  std::optional<std::uint32_t> code;
  std::size_t length = 1;
};
Utf8 FirstCharacter(std::string_view text);

/// Whether a reader sees each character of the text, and none of them looks like another one.
bool IsPrintable(std::string_view text);

/// The character that a text (not empty) begins with: `'é'`, `U+00A0 (a no-break space)`,
/// `the byte 0xff (no UTF-8)`.
std::string CharacterInWords(std::string_view text);

}  // namespace exh::dsl

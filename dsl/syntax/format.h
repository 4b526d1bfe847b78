// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace exh::dsl {

/// Why a text cannot be formatted.
struct FormatError {
  int line = 1;    ///< From 1.
  int column = 1;  ///< In bytes, from 1.
  std::string message;
};

/// The text of an `.exh` file in the style of the tree: two spaces of indentation, one space
/// between words, at most 100 columns where a quantifier, `||`, `&&`, `=>` or `when` offers a
/// break. Line breaks, comments, documentation and single blank lines stay. The words, and so the
/// meaning, never change: this is verified, and formatting the result changes nothing. Includes are
/// not followed and the grammar is not checked: who rewrites a file calls CheckSyntax (dsl.h)
/// first, because words in a wrong order get a wrong layout. Empty, with `*error` set, for text
/// that has no words (an invalid byte, a literal or comment without end).
std::optional<std::string> FormatText(std::string_view text, FormatError* error);

}  // namespace exh::dsl

// SPDX-License-Identifier: MIT
//
// Lines of a Python program as statements: what goes on in the next line is one, and comments,
// empty lines and texts that only describe are none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace exh::search::torch {

struct ReferenceLine {
  int number = 0;  ///< Of its first line, from 1.
  int indent = 0;  ///< Blanks before it; a tabulator counts as 8.
  std::string text;
};

/// Throws UsageError for a bracket or a text without an end.
std::vector<ReferenceLine> ReferenceLines(std::string_view program);

/// What stands between commas, but for those within brackets and texts; trimmed.
std::vector<std::string> PiecesAtCommas(std::string_view text);

/// The position of the `=` of an assignment; npos: the line is none. `op` gets the operator of
/// `+=` and its like, or nothing.
std::size_t AssignmentIn(std::string_view line, std::string* op);

}  // namespace exh::search::torch

// SPDX-License-Identifier: MIT
//
// What the parser of kernels reads as one line: a line goes on in the next one while a bracket is
// open, behind an operator or a comma, and when the next one begins with an operator. Files of this
// folder that include this one see ANTLR, and no others do.
#pragma once

#include <cstddef>
#include <vector>

#include "dsl/diagnostics/source.h"
#include "dsl/syntax/antlr_support.h"

namespace exh::kernels::notation {

using Line = std::vector<dsl::LexedToken>;

/// Whether a line does not end behind a token of this type, nor before one that is binary.
bool IsOperator(std::size_t type);

/// The lines that these tokens of a file make, line breaks left out. Doc comments stand at the
/// beginning of the line that they speak of.
std::vector<Line> CutLines(const std::vector<dsl::LexedToken>& tokens,
                           const dsl::SourceSet& sources);

/// How deep the parser goes: brackets, `?` and reductions in one another.
inline constexpr int kMostNested = 100;

}  // namespace exh::kernels::notation

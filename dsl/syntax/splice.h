// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dsl/diagnostics/diagnostic.h"
#include "dsl/syntax/token.h"

namespace exh::dsl {

/// Turns the text of a file into tokens, bytes that start no token included.
using LexFunction = std::function<std::vector<Token>(const SourceSet&, std::uint32_t file)>;

/// The tokens of `file` with every `include` replaced by the tokens of the file it names, adjacent
/// code literals joined, and consecutive doc lines joined. A relative path is looked up beside the
/// including file, then in `include_dirs`. Unreadable files, cycles, bytes that start no token and
/// literals without an end are reported; of these only kInvalid tokens stay in the list.
std::vector<Token> SpliceFiles(std::uint32_t file, const std::vector<std::string>& include_dirs,
                               const LexFunction& lex, DiagnosticSink& sink);

}  // namespace exh::dsl

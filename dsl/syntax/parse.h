// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsl/diagnostics/diagnostic.h"
#include "dsl/syntax/ast.h"
#include "dsl/syntax/token.h"

namespace exh::dsl {

/// The syntax tree of `file` (an index in `sink.sources()`) and of all that it includes. Mistakes
/// go to the sink, at most one per statement; the statement is then a BrokenDecl. Never throws.
ast::File Parse(std::uint32_t file, const std::vector<std::string>& include_dirs,
                DiagnosticSink& sink);

/// The tokens of `file` and of all that it includes, as the parser gets them: adjacent code
/// literals and doc lines are joined, blanks and comments are gone. Never throws.
std::vector<Token> Lex(std::uint32_t file, const std::vector<std::string>& include_dirs,
                       DiagnosticSink& sink);

}  // namespace exh::dsl

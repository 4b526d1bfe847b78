// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/diagnostics/diagnostic.h"
#include "dsl/syntax/ast.h"
#include "dsl/syntax/token.h"

namespace exh::dsl {

/// The syntax tree of `file` (an index in `sink.sources()`) and of all that it includes. Mistakes
/// go to the sink, at most one per statement; the statement is then a BrokenDecl. Never throws.
ast::File Parse(std::uint32_t file, const std::vector<std::string>& include_dirs,
                DiagnosticSink& sink);

/// The paths in the `include` directives of a text, as they are written.
std::vector<std::string> IncludesOf(std::string_view text);

/// The parser's number for a token of a chunk (split.h), whose kind says more than the lexer saw.
std::size_t ParserTypeOf(const Token& token);

/// The tokens of `file` and of all that it includes, as the parser gets them: adjacent code
/// literals and doc lines are joined, blanks and comments are gone. Never throws.
std::vector<Token> Lex(std::uint32_t file, const std::vector<std::string>& include_dirs,
                       DiagnosticSink& sink);

}  // namespace exh::dsl

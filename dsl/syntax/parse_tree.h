// SPDX-License-Identifier: MIT
//
// From the parser's tree to our own. Internal to dsl: with parse.cc the only file that sees ANTLR.
#pragma once

#include <antlr4-runtime.h>

#include <optional>
#include <string>

#include "ExhParser.h"
#include "dsl/diagnostics/diagnostic_codes.h"
#include "dsl/source_range.h"
#include "dsl/syntax/ast.h"
#include "dsl/syntax/split.h"

namespace exh::dsl {

/// A term where a condition must stand, or the other way round: the grammar does not tell them
/// apart.
struct Misplaced {
  Diag diag = Diag::kTermAlone;
  SourceRange range;
  std::string message;
};

/// The statement that `tree`, the parser's tree of the tokens of `chunk`, stands for. With
/// `misplaced`, the first such mistake in it, the statement means nothing.
ast::Statement BuildStatement(const Chunk& chunk, grammar::ExhParser::StatementContext* tree,
                              std::optional<Misplaced>& misplaced);

}  // namespace exh::dsl

// SPDX-License-Identifier: MIT
//
// From the parser's tree to our own. Internal to dsl: with parse.cc the only file that sees ANTLR.
#pragma once

#include <antlr4-runtime.h>

#include "ExhParser.h"
#include "dsl/syntax/ast.h"
#include "dsl/syntax/split.h"

namespace exh::dsl {

/// The statement that `tree`, the parser's tree of the tokens of `chunk`, stands for.
ast::Statement BuildStatement(const Chunk& chunk, grammar::ExhParser::StatementContext* tree);

}  // namespace exh::dsl

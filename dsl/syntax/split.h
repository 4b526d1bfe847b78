// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "dsl/diagnostics/diagnostic.h"
#include "dsl/syntax/token.h"

namespace exh::dsl {

/// The tokens of one statement, or tokens between two statements that belong to none.
struct Chunk {
  std::vector<Token> tokens;            ///< Without kInvalid; never empty.
  TokenKind start = TokenKind::kOther;  ///< The word that starts the statement; kOther: stray.
  bool damaged = false;                 ///< An invalid token stood inside: it is reported already.
  SourceRange end;                      ///< Where to point when something is missing at the end.
  std::string before;                   ///< The word there: `'define'`, or `the end of the file`.
};

/// Cuts a list of tokens into statements, so that a syntax error in one cannot hide the next, and
/// gives contextual words the kind of the words they stand for: `choice enum` is `define enum`,
/// `type =` in a set is a key, `host "…"`, `let name`, `extern name` and `decide name` start
/// statements, `adds Set` follows the foralls of a trigger, `where` the set of a forall, `div`
/// stands between two operands, and `min(` and `max(` before terms. All of them stay legal names
/// elsewhere.
std::vector<Chunk> SplitStatements(std::vector<Token> tokens, DiagnosticSink& sink);

/// What the statement would have declared, guessed from its first tokens after a syntax error.
std::vector<ast::Name> DeclaredNames(const Chunk& chunk);

}  // namespace exh::dsl

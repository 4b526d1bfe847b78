// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dsl/source_range.h"
#include "dsl/syntax/ast.h"

namespace exh::dsl {

/// What the steps between lexer and parser have to know about a token.
enum class TokenKind : std::uint8_t {
  kOther,
  kInclude,      ///< The whole directive; text is the path.
  kCode,         ///< A code literal; text and pieces are set.
  kDoc,          ///< A doc line; text is what follows `///`.
  kInvalid,      ///< A byte that starts no token.
  kOpenCode,     ///< A code literal that the end of the file cuts off.
  kOpenComment,  ///< The same for a block comment.
  kSet,          ///< Words that start a statement …
  kQuotient,
  kDefine,
  kRequire,
  kTrigger,
  kHost,
  kLet,
  kExtern,
  kDecide,
  kMinimize,
  kMaximize,
  kLowerBound,
  kEnd,         ///< … and the word that ends one.
  kChoiceKind,  ///< `enum`, `integer`, `counter`.
  kVisibility,  ///< `half`, `internal`.
  kChoiceName,
  kSetName,
  kKey,
  kAdds,
  kDynamic,
  kPredicate,
  kConstant,
  kWhere,
  kOnce,
  kCanonical,
  kNegative,  ///< A `-` with nothing on its left.
  kDiv,       ///< `div` between two operands.
  kMin,       ///< `min` and `max` of two terms.
  kMax,
  kConstantName,  ///< A name in a term that is no choice.
  kColon,
  kAssign,
  kSlash,
};

/// One token of a list that may stem from several files.
struct Token {
  TokenKind kind = TokenKind::kOther;
  std::size_t type = 0;  ///< The parser's own number for it.
  SourceRange range;
  std::string text;                    ///< As written; of code and docs only the contents.
  std::vector<ast::CodePiece> pieces;  ///< Of code: where the parts of its text come from.
};

}  // namespace exh::dsl

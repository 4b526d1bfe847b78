// SPDX-License-Identifier: MIT
#include "dsl/split.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <utility>

namespace exh::dsl {
namespace {

bool StartsStatement(TokenKind kind) {
  return kind == TokenKind::kSet || kind == TokenKind::kQuotient || kind == TokenKind::kDefine ||
         kind == TokenKind::kRequire || kind == TokenKind::kTrigger || kind == TokenKind::kHost ||
         kind == TokenKind::kLet || kind == TokenKind::kExtern;
}

TokenKind KindAt(const std::vector<Token>& tokens, std::size_t i) {
  return i < tokens.size() ? tokens[i].kind : TokenKind::kOther;
}

// A choice name is followed by none of these elsewhere; only a constant called `let` or `extern` at
// the end of a condition would be, and cannot be called so.
void MarkStatementWords(std::vector<Token>& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != TokenKind::kChoiceName) continue;
    const TokenKind next = KindAt(tokens, i + 1);
    if (tokens[i].text == "choice" &&
        (next == TokenKind::kChoiceKind || next == TokenKind::kVisibility)) {
      tokens[i].kind = TokenKind::kDefine;
    } else if (tokens[i].text == "host" && next == TokenKind::kCode) {
      tokens[i].kind = TokenKind::kHost;
    } else if (tokens[i].text == "let" && next == TokenKind::kChoiceName) {
      tokens[i++].kind = TokenKind::kLet;
    } else if (tokens[i].text == "extern" && next == TokenKind::kChoiceName) {
      tokens[i++].kind = TokenKind::kExtern;
    }
  }
}

// `name =` and `name forall` in the body of a set are keys, known or not; in a quotient the body
// starts after the `/`, because `name =` before it declares the flag.
void MarkKeys(Chunk& chunk) {
  const TokenKind opens = chunk.start == TokenKind::kSet ? TokenKind::kColon : TokenKind::kSlash;
  bool inside = false;
  for (std::size_t i = 0; i < chunk.tokens.size(); ++i) {
    inside = inside || chunk.tokens[i].kind == opens;
    if (inside && chunk.tokens[i].kind == TokenKind::kChoiceName &&
        (KindAt(chunk.tokens, i + 1) == TokenKind::kAssign ||
         (i + 1 < chunk.tokens.size() && chunk.tokens[i + 1].text == "forall"))) {
      chunk.tokens[i].kind = TokenKind::kKey;
    }
  }
}

void MarkAdds(Chunk& chunk) {
  for (std::size_t i = 0; i < chunk.tokens.size(); ++i) {
    if (chunk.tokens[i].kind == TokenKind::kChoiceName && chunk.tokens[i].text == "adds" &&
        KindAt(chunk.tokens, i + 1) == TokenKind::kSetName) {
      chunk.tokens[i].kind = TokenKind::kAdds;
      return;
    }
  }
}

void MarkIf(Chunk& chunk, std::size_t i, std::string_view word, TokenKind kind) {
  if (KindAt(chunk.tokens, i) == TokenKind::kChoiceName && chunk.tokens[i].text == word) {
    chunk.tokens[i].kind = kind;
  }
}

// Words between the one that starts the statement and the name that it declares.
void MarkHead(Chunk& chunk) {
  std::size_t i = 0;
  while (chunk.tokens[i].kind == TokenKind::kDoc) ++i;
  ++i;
  switch (chunk.start) {
    case TokenKind::kQuotient:
      return MarkIf(chunk, i, "canonical", TokenKind::kCanonical);
    case TokenKind::kTrigger:
      if (KindAt(chunk.tokens, i + 1) != TokenKind::kColon) {  // Otherwise it is a label.
        MarkIf(chunk, i, "once", TokenKind::kOnce);
      }
      return;
    case TokenKind::kExtern:
      MarkIf(chunk, i, "dynamic", TokenKind::kDynamic);
      if (KindAt(chunk.tokens, i) == TokenKind::kDynamic) ++i;
      MarkIf(chunk, i, "predicate", TokenKind::kPredicate);
      MarkIf(chunk, i, "constant", TokenKind::kConstant);
      return;
    default:
      return;
  }
}

// `where` after the set of a quantifier.
void MarkWhere(Chunk& chunk) {
  bool quantifier = false;
  for (std::size_t i = 0; i < chunk.tokens.size(); ++i) {
    const Token& token = chunk.tokens[i];
    if (token.kind == TokenKind::kOther && token.text == "forall") quantifier = true;
    if (token.kind == TokenKind::kColon) quantifier = false;
    if (!quantifier || token.kind != TokenKind::kChoiceName) continue;
    MarkIf(chunk, i, "where", TokenKind::kWhere);
    quantifier = false;
  }
}

// Documentation has no place to go to there, and losing it silently would be worse.
void DropMisplacedDoc(Chunk& chunk, DiagnosticSink& sink) {
  if (chunk.tokens.front().kind != TokenKind::kDoc) return;
  if (chunk.start != TokenKind::kTrigger && chunk.start != TokenKind::kHost) return;
  sink.Report(Diag::kMisplacedDoc, chunk.tokens.front().range,
              fmt::format("a doc comment is not allowed before '{}'; write '//'",
                          chunk.start == TokenKind::kTrigger ? "trigger" : "host"));
  chunk.tokens.erase(chunk.tokens.begin());
}

}  // namespace

std::vector<Chunk> SplitStatements(std::vector<Token> tokens, DiagnosticSink& sink) {
  MarkStatementWords(tokens);
  std::vector<Chunk> chunks;
  bool open = false;  // Whether the last chunk goes on.
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::size_t after_doc = i;
    while (KindAt(tokens, after_doc) == TokenKind::kDoc) ++after_doc;
    if (StartsStatement(KindAt(tokens, after_doc))) {
      Chunk& chunk = chunks.emplace_back();
      chunk.start = tokens[after_doc].kind;
      while (i < after_doc) chunk.tokens.push_back(std::move(tokens[i++]));
      chunk.tokens.push_back(std::move(tokens[i]));
      open = true;
      continue;
    }
    if (tokens[i].kind == TokenKind::kInvalid) {
      if (open) chunks.back().damaged = true;
      continue;
    }
    if (!open) chunks.emplace_back();
    open = tokens[i].kind != TokenKind::kEnd;
    chunks.back().tokens.push_back(std::move(tokens[i]));
  }
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    Chunk& chunk = chunks[i];
    chunk.end = chunk.tokens.back().range;
    chunk.before = "the end of the file";
    if (i + 1 < chunks.size()) {
      const Token& next = chunks[i + 1].tokens.front();
      chunk.before =
          next.kind == TokenKind::kDoc ? "a doc comment" : fmt::format("'{}'", next.text);
      if (next.range.file == chunk.end.file) chunk.end = next.range;
    }
    if (chunk.start == TokenKind::kSet || chunk.start == TokenKind::kQuotient) MarkKeys(chunk);
    if (chunk.start == TokenKind::kTrigger) MarkAdds(chunk);
    if (chunk.start != TokenKind::kOther) MarkHead(chunk);
    MarkWhere(chunk);
    DropMisplacedDoc(chunk, sink);
  }
  return chunks;
}

std::vector<ast::Name> DeclaredNames(const Chunk& chunk) {
  std::vector<ast::Name> names;
  const bool defines = chunk.start == TokenKind::kDefine || chunk.start == TokenKind::kLet ||
                       chunk.start == TokenKind::kExtern;
  const bool quotient = chunk.start == TokenKind::kQuotient;
  if (!defines && !quotient && chunk.start != TokenKind::kSet) return names;
  const TokenKind wanted = defines ? TokenKind::kChoiceName : TokenKind::kSetName;
  for (const Token& token : chunk.tokens) {
    if (token.kind != wanted) continue;
    names.push_back({token.text, token.range});
    break;
  }
  for (std::size_t i = 0; quotient && i < chunk.tokens.size(); ++i) {
    if (chunk.tokens[i].kind != TokenKind::kChoiceName) continue;
    if (KindAt(chunk.tokens, i + 1) != TokenKind::kAssign) continue;
    names.push_back({chunk.tokens[i].text, chunk.tokens[i].range});
    break;
  }
  return names;
}

}  // namespace exh::dsl

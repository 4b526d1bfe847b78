// SPDX-License-Identifier: MIT
#include "dsl/syntax/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

namespace exh::dsl {
namespace {

bool StartsStatement(TokenKind kind) {
  return kind == TokenKind::kSet || kind == TokenKind::kQuotient || kind == TokenKind::kDefine ||
         kind == TokenKind::kRequire || kind == TokenKind::kTrigger || kind == TokenKind::kHost ||
         kind == TokenKind::kLet || kind == TokenKind::kExtern || kind == TokenKind::kDecide ||
         kind == TokenKind::kMinimize || kind == TokenKind::kMaximize ||
         kind == TokenKind::kLowerBound;
}

bool IsName(const Token& token) {
  const bool upper = !token.text.empty() && token.text[0] >= 'A' && token.text[0] <= 'Z';
  return token.kind == TokenKind::kChoiceName || token.kind == TokenKind::kSetName ||
         (token.kind == TokenKind::kOther && upper);
}

// Words that may stand between the first of a statement and the name that it declares.
bool IsHead(const Token& token) {
  return token.kind == TokenKind::kDoc || token.kind == TokenKind::kChoiceKind ||
         token.kind == TokenKind::kVisibility || token.kind == TokenKind::kDynamic ||
         token.kind == TokenKind::kPredicate || token.kind == TokenKind::kConstant ||
         token.kind == TokenKind::kCanonical || StartsStatement(token.kind);
}

TokenKind KindAt(const std::vector<Token>& tokens, std::size_t i) {
  return i < tokens.size() ? tokens[i].kind : TokenKind::kOther;
}

// `defin enum`, `sett Dims:` and `requre forall`: no statement holds such a pair, so a new one was
// meant to start there. `before`: the text of the token before it.
bool IsMisspeltStart(const std::vector<Token>& tokens, std::size_t i, TokenKind open,
                     std::string_view before) {
  if (KindAt(tokens, i) != TokenKind::kChoiceName) return false;
  const TokenKind next = KindAt(tokens, i + 1);
  if (next == TokenKind::kChoiceKind || next == TokenKind::kVisibility) return true;
  const bool keys = open == TokenKind::kSet || open == TokenKind::kQuotient;
  if (next == TokenKind::kOther && i + 1 < tokens.size() && tokens[i + 1].text == "forall") {
    return !keys && before != "base" &&  // `base n forall …`.
           tokens[i].text != "once";
  }
  if (next != TokenKind::kSetName) return false;
  const bool head = KindAt(tokens, i + 2) == TokenKind::kColon;
  return head || (i + 2 < tokens.size() && tokens[i + 2].text == "subsetof");
}

bool Is(const std::vector<Token>& tokens, std::size_t i, std::string_view text) {
  return KindAt(tokens, i) == TokenKind::kOther && i < tokens.size() && tokens[i].text == text;
}

bool IsNumber(const std::vector<Token>& tokens, std::size_t i) {
  return KindAt(tokens, i) == TokenKind::kOther && i < tokens.size() && tokens[i].text[0] >= '0' &&
         tokens[i].text[0] <= '9';
}

bool IsVariable(const std::vector<Token>& tokens, std::size_t i) {
  return KindAt(tokens, i) == TokenKind::kOther && i < tokens.size() && tokens[i].text[0] == '$';
}

// `name(` of a use of a choice or of what is applied like one: nothing or variables follow, and
// nothing else.
bool IsCall(const std::vector<Token>& tokens, std::size_t i) {
  if (!Is(tokens, i + 1, "(")) return false;
  if (Is(tokens, i + 2, ")")) return true;
  for (i += 2; IsVariable(tokens, i); i += 2) {
    if (!Is(tokens, i + 1, ",")) return Is(tokens, i + 1, ")");
  }
  return false;
}

bool IsOperator(const std::vector<Token>& tokens, std::size_t i) {
  constexpr std::string_view kAll[] = {"<", ">", "<=", ">=", "==", "!=", "+", "-", "*", "%", ".."};
  const TokenKind kind = KindAt(tokens, i);
  return kind == TokenKind::kDiv || kind == TokenKind::kNegative || kind == TokenKind::kSlash ||
         (kind == TokenKind::kOther && i < tokens.size() &&
          std::ranges::find(kAll, tokens[i].text) != std::end(kAll));
}

// Whether `minimize` or `maximize` at `i` starts a statement: a term follows, and it is neither a
// part of another one nor a name that is declared.
bool StartsObjective(const std::vector<Token>& tokens, std::size_t i) {
  const bool term = KindAt(tokens, i + 1) == TokenKind::kChoiceName || IsNumber(tokens, i + 1) ||
                    KindAt(tokens, i + 1) == TokenKind::kCode || Is(tokens, i + 1, "-") ||
                    IsVariable(tokens, i + 1) || (Is(tokens, i + 1, "(") && !IsCall(tokens, i));
  if (!term || i == 0) return term;
  const TokenKind before = tokens[i - 1].kind;
  const bool declared = before == TokenKind::kChoiceKind || before == TokenKind::kLet ||
                        tokens[i - 1].text == "constant" || tokens[i - 1].text == "predicate";
  return !declared && !IsOperator(tokens, i - 1) && !Is(tokens, i - 1, "(") &&
         !Is(tokens, i - 1, ",");
}

// A choice name is followed by none of these elsewhere; only a constant called `let`, `extern` or
// `decide` at the end of a condition, or a choice called so at the end of `decide`, would be, and
// cannot be called so. `decide` takes names of other classes, too, so that the mistake is the name.
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
    } else if (tokens[i].text == "extern" && next == TokenKind::kSet) {
      tokens[i++].kind = TokenKind::kExtern;
      tokens[i].kind = TokenKind::kOther;  // It starts no statement.
    } else if (tokens[i].text == "minimize" && StartsObjective(tokens, i)) {
      tokens[i].kind = TokenKind::kMinimize;
    } else if (tokens[i].text == "maximize" && StartsObjective(tokens, i)) {
      tokens[i].kind = TokenKind::kMaximize;
    } else if (tokens[i].text == "lower_bound" && next == TokenKind::kChoiceName &&
               KindAt(tokens, i + 2) == TokenKind::kColon) {
      tokens[i++].kind = TokenKind::kLowerBound;
    } else if (tokens[i].text == "decide" && i + 1 < tokens.size() && IsName(tokens[i + 1])) {
      tokens[i++].kind = TokenKind::kDecide;
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

bool EndsOperand(const std::vector<Token>& tokens, std::size_t i) {
  return Is(tokens, i, ")") || IsNumber(tokens, i) || KindAt(tokens, i) == TokenKind::kCode ||
         KindAt(tokens, i) == TokenKind::kConstantName || IsVariable(tokens, i);
}

bool StartsOperand(const std::vector<Token>& tokens, std::size_t i) {
  return Is(tokens, i, "(") || Is(tokens, i, "-") || IsNumber(tokens, i) ||
         KindAt(tokens, i) == TokenKind::kCode || KindAt(tokens, i) == TokenKind::kChoiceName ||
         IsVariable(tokens, i);
}

bool IsDiv(const std::vector<Token>& tokens, std::size_t i) {
  return KindAt(tokens, i) == TokenKind::kChoiceName && tokens[i].text == "div" &&
         !IsCall(tokens, i) && StartsOperand(tokens, i + 1);
}

// Whether the name at `i`, which is applied to nothing, stands in a term. In a quotient the name of
// the equivalence comes after a `/`, too.
bool IsInTerm(const std::vector<Token>& tokens, std::size_t i) {
  if (i == 0 || Is(tokens, i + 1, "is")) return false;
  const std::size_t before = i - 1;
  const bool opens = Is(tokens, before, "(") || Is(tokens, before, ",");
  const bool closes = Is(tokens, i + 1, ")") || Is(tokens, i + 1, ",");
  return IsOperator(tokens, before) || IsOperator(tokens, i + 1) || IsDiv(tokens, i + 1) ||
         Is(tokens, before, "sum") || Is(tokens, before, "mul") || Is(tokens, before, "base") ||
         (opens && closes);
}

// Where nothing but terms stands: after the colon of the numbers of an integer and of a bound,
// after the first word of an objective, after the `=` of a set. From here on names are constants.
std::size_t TermsBegin(const Chunk& chunk) {
  const std::vector<Token>& tokens = chunk.tokens;
  const auto after = [&](TokenKind kind) {
    const auto found = std::ranges::find(tokens, kind, &Token::kind);
    return static_cast<std::size_t>(found - tokens.begin()) + 1;
  };
  switch (chunk.start) {
    case TokenKind::kDefine: {
      const std::size_t kind = after(TokenKind::kChoiceKind);
      const bool integer = kind <= tokens.size() && tokens[kind - 1].text == "integer";
      return integer ? after(TokenKind::kColon) : tokens.size();
    }
    case TokenKind::kMinimize:
    case TokenKind::kMaximize:
      return 1;
    case TokenKind::kLowerBound:
      return after(TokenKind::kColon);
    case TokenKind::kSet:
      return after(TokenKind::kAssign);
    default:
      return tokens.size();
  }
}

// Signs, and the names in terms: `div` between operands, `min(` and `max(` of terms, constants.
void MarkTerms(Chunk& chunk) {
  std::vector<Token>& tokens = chunk.tokens;
  const std::size_t begin = TermsBegin(chunk);
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    TokenKind& kind = tokens[i].kind;
    if (Is(tokens, i, "-")) {
      if (!EndsOperand(tokens, i - 1)) kind = TokenKind::kNegative;
      continue;
    }
    const TokenKind before = tokens[i - 1].kind;
    const bool declared = before == TokenKind::kChoiceKind || before == TokenKind::kLet;
    if (kind != TokenKind::kChoiceName || declared || IsCall(tokens, i)) continue;
    const bool pair = tokens[i].text == "min" || tokens[i].text == "max";
    if (pair && Is(tokens, i + 1, "(")) {
      kind = tokens[i].text == "min" ? TokenKind::kMin : TokenKind::kMax;
    } else if (IsDiv(tokens, i) && EndsOperand(tokens, i - 1)) {
      kind = TokenKind::kDiv;
    } else if (i >= begin || IsInTerm(tokens, i)) {
      kind = TokenKind::kConstantName;
    }
  }
}

bool HasTerms(const Chunk& chunk) {
  switch (chunk.start) {
    case TokenKind::kDefine:
    case TokenKind::kRequire:
    case TokenKind::kQuotient:
    case TokenKind::kTrigger:
    case TokenKind::kLet:
    case TokenKind::kMinimize:
    case TokenKind::kMaximize:
    case TokenKind::kLowerBound:
      return true;
    case TokenKind::kSet:  // `set Rows = 1 .. n`.
      return std::ranges::find(chunk.tokens, TokenKind::kColon, &Token::kind) == chunk.tokens.end();
    default:
      return false;
  }
}

// `extern constant least = -4`.
void MarkSign(Chunk& chunk) {
  for (std::size_t i = 1; i < chunk.tokens.size(); ++i) {
    if (chunk.tokens[i - 1].kind == TokenKind::kAssign && Is(chunk.tokens, i, "-")) {
      chunk.tokens[i].kind = TokenKind::kNegative;
    }
  }
}

bool IsObjective(TokenKind start) {
  return start == TokenKind::kMinimize || start == TokenKind::kMaximize ||
         start == TokenKind::kLowerBound;
}

// Documentation has no place to go to there, and losing it silently would be worse.
void DropMisplacedDoc(Chunk& chunk, DiagnosticSink& sink) {
  if (chunk.tokens.front().kind != TokenKind::kDoc) return;
  const std::string_view word = chunk.start == TokenKind::kTrigger      ? "trigger"
                                : chunk.start == TokenKind::kHost       ? "host"
                                : chunk.start == TokenKind::kDecide     ? "decide"
                                : chunk.start == TokenKind::kMinimize   ? "minimize"
                                : chunk.start == TokenKind::kMaximize   ? "maximize"
                                : chunk.start == TokenKind::kLowerBound ? "lower_bound"
                                                                        : "";
  if (word.empty()) return;
  sink.Report(Diag::kMisplacedDoc, chunk.tokens.front().range,
              fmt::format("a doc comment is not allowed before '{}'; write '//'", word));
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
    // `choice enum set(…)` has a reserved word for a name; no statement starts like that.
    const bool as_name = open && after_doc == i && IsHead(chunks.back().tokens.back()) &&
                         i + 1 < tokens.size() && tokens[i + 1].text == "(";
    if (IsMisspeltStart(tokens, after_doc, open ? chunks.back().start : TokenKind::kOther,
                        open ? chunks.back().tokens.back().text : "")) {
      Chunk& chunk = chunks.emplace_back();
      while (i < after_doc) chunk.tokens.push_back(std::move(tokens[i++]));
      chunk.tokens.push_back(std::move(tokens[i]));
      open = true;
      continue;
    }
    if (!as_name && StartsStatement(KindAt(tokens, after_doc))) {
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
    if (HasTerms(chunk)) MarkTerms(chunk);
    if (chunk.start == TokenKind::kExtern) MarkSign(chunk);
    DropMisplacedDoc(chunk, sink);
  }
  return chunks;
}

std::vector<ast::Name> DeclaredNames(const Chunk& chunk) {
  std::vector<ast::Name> names;
  if (chunk.start == TokenKind::kRequire || chunk.start == TokenKind::kTrigger ||
      chunk.start == TokenKind::kHost || chunk.start == TokenKind::kDecide ||
      IsObjective(chunk.start)) {
    return names;
  }
  // The first word may be misspelt and the name of another class: all names at the start count.
  std::size_t at = 0;
  while (at < chunk.tokens.size() && (IsHead(chunk.tokens[at]) || IsName(chunk.tokens[at]))) {
    const Token& token = chunk.tokens[at++];
    if (IsName(token)) names.push_back({token.text, token.range});
  }
  if (names.empty()) {  // Something else stands before it.
    const auto name = std::ranges::find_if(chunk.tokens, IsName);
    if (name != chunk.tokens.end()) names.push_back({name->text, name->range});
  }
  // A quotient, perhaps without its first word, declares its flag, too.
  const bool flag = chunk.start == TokenKind::kQuotient || chunk.start == TokenKind::kOther;
  for (std::size_t i = 0; flag && i < chunk.tokens.size(); ++i) {
    if (chunk.tokens[i].kind != TokenKind::kChoiceName) continue;
    if (KindAt(chunk.tokens, i + 1) != TokenKind::kAssign) continue;
    names.push_back({chunk.tokens[i].text, chunk.tokens[i].range});
    break;
  }
  return names;
}

}  // namespace exh::dsl

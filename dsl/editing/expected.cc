// SPDX-License-Identifier: MIT
//
// The parser is asked: it gets the statement that the text ends in, and behind it a token that may
// stand nowhere. What it expected there is the answer.
#include "dsl/editing/expected.h"

#include <antlr4-runtime.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "ExhLexer.h"
#include "ExhParser.h"
#include "dsl/syntax/antlr_support.h"
#include "dsl/syntax/parse.h"
#include "dsl/syntax/split.h"
#include "dsl/syntax/words.h"

namespace exh::dsl {
namespace {

using grammar::ExhLexer;
using grammar::ExhParser;

/// Words that begin a statement.
constexpr const char* kStatementWords[] = {
    "choice",      "decide",   "define",   "extern",   "host",    "include", "let",
    "lower_bound", "maximize", "minimize", "quotient", "require", "set",     "trigger"};

/// Words that mean something in some places only; all others are reserved.
const std::map<std::size_t, std::string>& WordsOfPlaces() {
  static const std::map<std::size_t, std::string> words = {{ExhParser::ADDS, "adds"},
                                                           {ExhParser::CANONICAL, "canonical"},
                                                           {ExhParser::CONSTANT, "constant"},
                                                           {ExhParser::DIV, "div"},
                                                           {ExhParser::DYNAMIC, "dynamic"},
                                                           {ExhParser::MAX, "max"},
                                                           {ExhParser::MIN, "min"},
                                                           {ExhParser::ONCE, "once"},
                                                           {ExhParser::PREDICATE, "predicate"},
                                                           {ExhParser::WHERE, "where"},
                                                           {ExhParser::DECIDE, "decide"},
                                                           {ExhParser::EXTERN, "extern"},
                                                           {ExhParser::HOST, "host"},
                                                           {ExhParser::LET, "let"},
                                                           {ExhParser::LOWER_BOUND, "lower_bound"},
                                                           {ExhParser::MAXIMIZE, "maximize"},
                                                           {ExhParser::MINIMIZE, "minimize"}};
  return words;
}

std::string WordOf(std::size_t type) {
  const auto word = WordsOfPlaces().find(type);
  if (word != WordsOfPlaces().end()) return word->second;
  return WordOfType(type, ExhParser(nullptr).getVocabulary());
}

/// What ends a text without being a word of it.
enum class Ending { kPlain, kComment, kCode };

/// Where comments and code begin and end is known to the lexer. One that its end cuts off is the
/// last one.
Ending EndingOf(std::string_view text, const SourceSet& sources) {
  const std::vector<LexedToken> tokens = LexedTokens<ExhLexer>(sources, 0);
  const std::uint32_t end = tokens.empty() ? 0 : tokens.back().range.end;
  const std::size_t last = tokens.empty() ? 0 : tokens.back().type;
  if (end == text.size()) {
    if (last == ExhLexer::OPEN_CODE) return Ending::kCode;
    if (last == ExhLexer::OPEN_COMMENT || last == ExhLexer::DOC) return Ending::kComment;
  }
  return EndsInComment(text.substr(end)) ? Ending::kComment : Ending::kPlain;
}

/// The choice whose values are listed where the tokens end: `order($a, $b) is not A |`, and of a
/// quotient `/ order is A |`.
std::string TestedChoice(const std::vector<Token>& tokens) {
  std::size_t at = tokens.size();
  const auto before = [&](std::string_view text) { return at > 0 && tokens[at - 1].text == text; };
  while (at > 0 && (before("|") || tokens[at - 1].type == ExhLexer::VALUE_ID)) --at;
  if (before("not")) --at;
  if (!before("is")) return "";
  --at;
  if (at > 0 && !before(")")) return tokens[at - 1].text;
  while (at > 0 && !before("(")) --at;
  return at > 1 ? tokens[at - 2].text : "";
}

/// Whether the name that would come next is one that the statement declares.
bool IsNameOfStatement(const Chunk& chunk) {
  if (chunk.start == TokenKind::kRequire || chunk.start == TokenKind::kTrigger ||
      chunk.start == TokenKind::kDecide || chunk.start == TokenKind::kMinimize ||
      chunk.start == TokenKind::kMaximize || chunk.start == TokenKind::kHost) {
    return false;
  }
  const auto is_name = [](const Token& token) {
    return token.type == ExhLexer::CHOICE_ID || token.type == ExhLexer::SET_ID ||
           token.type == ExhLexer::VALUE_ID;
  };
  return std::ranges::none_of(chunk.tokens, [&](const Token& token) {
    return ParserTypeOf(token) == token.type && is_name(token);
  });
}

void AddStatementWords(Expected& expected) {
  expected.words.insert(expected.words.end(), std::begin(kStatementWords),
                        std::end(kStatementWords));
}

void AddVariables(const std::vector<Token>& tokens, Expected& expected) {
  for (const Token& token : tokens) {
    if (token.type != ExhLexer::VAR) continue;
    if (std::ranges::find(expected.variables, token.text) == expected.variables.end()) {
      expected.variables.push_back(token.text);
    }
  }
}

void Add(const antlr4::misc::IntervalSet& types, const Chunk& chunk, Expected& expected) {
  const auto has = [&](std::size_t type) { return types.contains(static_cast<ssize_t>(type)); };
  if (chunk.start == TokenKind::kHost && has(ExhParser::CHOICE_ID)) {
    expected.words.insert(expected.words.end(), {"backbone", "header", "end"});
    return;
  }
  const bool declares = IsNameOfStatement(chunk);
  expected.choices |= has(ExhParser::CHOICE_ID) && !declares;
  expected.sets |= has(ExhParser::SET_ID) && !declares;
  expected.constants |= has(ExhParser::CONSTANT_NAME);
  if (has(ExhParser::VALUE_ID) && !expected.values) {
    expected.tested = TestedChoice(chunk.tokens);
    expected.values = true;
  }
  if (has(ExhParser::VAR)) AddVariables(chunk.tokens, expected);
  if (has(ExhParser::KEY)) {
    expected.words.insert(expected.words.end(), kSetKeyWords.begin(), kSetKeyWords.end());
  }
  for (const ssize_t type : types.toList()) {
    if (type == kEndOfInput || static_cast<std::size_t>(type) == ExhParser::KEY) continue;
    const std::string word = WordOf(static_cast<std::size_t>(type));
    if (!word.empty()) expected.words.push_back(word);
  }
  if (types.contains(kEndOfInput)) AddStatementWords(expected);
}

/// What could follow the last statement of these tokens. Words get their meaning from what stands
/// behind them: `choice` is a word before `enum` only. So `next` is put there, and taken away.
void AddBehind(std::vector<Token> tokens, const std::vector<Token>& next, Expected& expected) {
  tokens.insert(tokens.end(), next.begin(), next.end());
  DiagnosticSink sink;
  std::vector<Chunk> chunks = SplitStatements(std::move(tokens), sink);
  if (chunks.empty()) return AddStatementWords(expected);
  Chunk& chunk = chunks.back();
  chunk.tokens.resize(chunk.tokens.size() - std::min(chunk.tokens.size(), next.size()));
  if (chunk.tokens.empty()) return;
  if (chunk.tokens.back().kind == TokenKind::kEnd) return AddStatementWords(expected);
  // Documentation is that of the next statement, or of the next value.
  if (chunk.tokens.back().kind == TokenKind::kDoc) AddStatementWords(expected);
  if (chunk.start == TokenKind::kOther) return;
  std::vector<std::size_t> types;
  for (const Token& token : chunk.tokens) types.push_back(ParserTypeOf(token));
  const auto behind = TypesBehind<ExhParser, ExhParser::OneStatementContext>(
      types, &ExhParser::oneStatement, {}, ExhParser::INVALID);
  if (behind) Add(*behind, chunk, expected);
}

/// The tokens from the last one on that surely begins a statement: what is before it is over.
std::vector<Token> LastStatement(std::vector<Token> tokens) {
  const auto is_end = [](const Token& token) { return token.kind == TokenKind::kEnd; };
  const auto found = std::find_if(tokens.rbegin(), tokens.rend(), is_end);
  if (found == tokens.rend()) return tokens;
  const auto begin = found.base() - 1;  // The `end` itself says that the next one begins.
  return {std::make_move_iterator(begin), std::make_move_iterator(tokens.end())};
}

Token TokenOf(TokenKind kind, std::size_t type, std::string text) {
  Token token;
  token.kind = kind;
  token.type = type;
  token.text = std::move(text);
  return token;
}

void KeepEachOnce(std::vector<std::string>& words) {
  std::ranges::sort(words);
  const auto repeated = std::unique(words.begin(), words.end());
  words.erase(repeated, words.end());
}

}  // namespace

bool EndsInComment(std::string_view skipped) {
  const std::size_t newline = skipped.rfind('\n');
  const std::size_t line = newline == std::string_view::npos ? 0 : newline + 1;
  return skipped.find("//", line) != std::string_view::npos;
}

std::string_view WithoutLastWord(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  while (!text.empty() && is_letter(text.back())) text.remove_suffix(1);
  if (!text.empty() && text.back() == '$') text.remove_suffix(1);
  return text;
}

Expected ExpectedBehind(std::string_view text) {
  Expected expected;
  WithText(text, [&](DiagnosticSink& sink) {
    const Ending ending = EndingOf(text, sink.sources());
    if (ending == Ending::kComment) return;
    const std::vector<Token> tokens = LastStatement(Lex(0, {}, sink));
    if (ending == Ending::kCode) {
      const std::vector<Chunk> chunks = SplitStatements(tokens, sink);
      if (!chunks.empty()) AddVariables(chunks.back().tokens, expected);
      return;
    }
    const std::vector<Token> followers[] = {
        {},
        {TokenOf(TokenKind::kChoiceName, ExhLexer::CHOICE_ID, "x")},
        {TokenOf(TokenKind::kSetName, ExhLexer::SET_ID, "Xx")},
        {TokenOf(TokenKind::kChoiceKind, ExhLexer::ENUM, "enum")},
        {TokenOf(TokenKind::kCode, ExhLexer::CODE, "")},
        {TokenOf(TokenKind::kOther, ExhLexer::VAR, "$x"),
         TokenOf(TokenKind::kOther, ExhLexer::RPAR, ")")}};
    for (const auto& next : followers) AddBehind(tokens, next, expected);
    KeepEachOnce(expected.words);
  });
  return expected;
}

std::vector<SourceRange> KeywordsOf(std::string_view text) {
  std::vector<SourceRange> ranges;
  WithText(text, [&](DiagnosticSink& sink) {
    for (const Chunk& chunk : SplitStatements(Lex(0, {}, sink), sink)) {
      for (const Token& token : chunk.tokens) {
        const std::size_t type = ParserTypeOf(token);
        if (type == ExhParser::KEY || !WordOf(type).empty()) ranges.push_back(token.range);
      }
    }
  });
  return ranges;
}

}  // namespace exh::dsl

// SPDX-License-Identifier: MIT
//
// What the grammars of the tree ask of ANTLR: bytes that are read where they are, a parser that
// stops at the first error and says what could have stood there, and the words for that. Only files
// that parse include this (tests/check_layers.py has the list).
#pragma once

#include <antlr4-runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "dsl/diagnostics/diagnostic.h"

namespace exh::dsl {

inline constexpr ssize_t kEndOfInput = -1;  ///< ANTLR's number for it.

/// Reads the source where it is: ANTLR's own streams hold four bytes for each of ours. An index is
/// a byte offset, and no byte is illegal.
class ByteStream : public antlr4::CharStream {
 public:
  explicit ByteStream(std::string_view bytes) : bytes_(bytes) {}

  void consume() override { ++at_; }
  std::size_t LA(ssize_t offset) override {
    if (offset == 0) return 0;
    const std::size_t at = offset < 0 ? at_ + static_cast<std::size_t>(offset)
                                      : at_ + static_cast<std::size_t>(offset) - 1;
    return at < bytes_.size() ? static_cast<unsigned char>(bytes_[at]) : IntStream::EOF;
  }
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  std::size_t index() override { return at_; }
  void seek(std::size_t index) override { at_ = std::min(index, bytes_.size()); }
  std::size_t size() override { return bytes_.size(); }
  std::string getSourceName() const override { return IntStream::UNKNOWN_SOURCE_NAME; }
  std::string getText(const antlr4::misc::Interval&) override { return {}; }
  std::string toString() const override { return {}; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// A token as the lexer sees it: `type` is the lexer's own number.
struct LexedToken {
  std::size_t type = 0;
  SourceRange range;
};

/// The tokens of a file from byte `begin` on, without the end.
template <typename Lexer>
std::vector<LexedToken> LexedTokens(const SourceSet& sources, std::uint32_t file,
                                    std::size_t begin = 0) {
  ByteStream stream(std::string_view(sources.file(file).text).substr(begin));
  Lexer lexer(&stream);
  lexer.removeErrorListeners();
  std::vector<LexedToken> tokens;
  while (true) {
    const std::unique_ptr<antlr4::Token> raw = lexer.nextToken();
    if (raw->getType() == antlr4::Token::EOF) return tokens;
    tokens.push_back({raw->getType(),
                      {file, static_cast<std::uint32_t>(begin + raw->getStartIndex()),
                       static_cast<std::uint32_t>(begin + raw->getStopIndex() + 1)}});
  }
}

/// Where a parser gave up.
struct SyntaxError {
  std::size_t at = 0;  ///< Index of a token; their number: the end.
  /// What could have stood there; nothing: the parser had looked further ahead.
  std::optional<antlr4::misc::IntervalSet> expected;
  bool is_too_deep = false;  ///< NestingLimit was passed; nothing need be wrong with the token.
};

/// How often rules may be entered within each other, counted together. It bounds the recursion of
/// the parser and of who reads its tree: each cycle of the grammar needs one of its rules here.
struct NestingLimit {
  std::vector<std::size_t> rules;
  int most = 0;
};

/// Records the first error and gives up. Unlike ANTLR's own, `sync` checks the next token at every
/// decision, so that the expected set names all that could stand there.
class OneErrorStrategy : public antlr4::DefaultErrorStrategy {
 public:
  explicit OneErrorStrategy(std::size_t chunk_size) : chunk_size_(chunk_size) {}

  void reportError(antlr4::Parser* parser, const antlr4::RecognitionException& e) override {
    antlr4::Token* const here = parser->getCurrentToken();
    antlr4::Token* const offending = e.getOffendingToken();
    // When the parser looked ahead, what it expected here says nothing about the token it met
    // there.
    const bool looked_ahead = offending != nullptr && offending != here;
    antlr4::Token* const token = looked_ahead ? offending : here;
    SyntaxError& error = error_.emplace();
    error.at = token->getType() == antlr4::Token::EOF ? chunk_size_ : token->getTokenIndex();
    if (!looked_ahead) error.expected = parser->getExpectedTokens();
  }

  void recover(antlr4::Parser*, std::exception_ptr) override {
    throw antlr4::ParseCancellationException();
  }

  antlr4::Token* recoverInline(antlr4::Parser* parser) override {
    throw antlr4::InputMismatchException(parser);  // Caught by the rule, which calls reportError.
  }

  void sync(antlr4::Parser* parser) override {
    const auto next = static_cast<ssize_t>(parser->getTokenStream()->LA(1));
    const antlr4::atn::ATN& atn = parser->getATN();
    if (atn.nextTokens(atn.states[parser->getState()]).contains(next)) return;
    if (parser->getExpectedTokens().contains(next)) return;
    throw antlr4::InputMismatchException(parser);
  }

  void GiveUpAt(SyntaxError error) {
    error_ = std::move(error);
    throw antlr4::ParseCancellationException();
  }

  const std::optional<SyntaxError>& error() const { return error_; }

 private:
  std::size_t chunk_size_;
  std::optional<SyntaxError> error_;
};

/// Watches a parser, and has it give up where a limit is passed.
class NestingWatch : public antlr4::tree::ParseTreeListener {
 public:
  NestingWatch(NestingLimit limit, OneErrorStrategy& strategy)
      : limit_(std::move(limit)), strategy_(strategy) {}

  void enterEveryRule(antlr4::ParserRuleContext* rule) override {
    if (!Counts(rule) || ++depth_ <= limit_.most) return;
    strategy_.GiveUpAt({rule->getStart()->getTokenIndex(), std::nullopt, true});
  }
  void exitEveryRule(antlr4::ParserRuleContext* rule) override { depth_ -= Counts(rule) ? 1 : 0; }
  void visitTerminal(antlr4::tree::TerminalNode*) override {}
  void visitErrorNode(antlr4::tree::ErrorNode*) override {}

 private:
  bool Counts(antlr4::ParserRuleContext* rule) const {
    return std::ranges::find(limit_.rules, rule->getRuleIndex()) != limit_.rules.end();
  }

  NestingLimit limit_;
  OneErrorStrategy& strategy_;
  int depth_ = 0;
};

/// Parses tokens of these types by a rule that ends with EOF. `read` gets the tree, which is gone
/// when this returns; it is not called where there is an error.
template <typename Parser, typename Tree>
std::optional<SyntaxError> ParseTokens(const std::vector<std::size_t>& types,
                                       Tree* (Parser::*rule)(), const NestingLimit& limit,
                                       const std::function<void(Tree*)>& read) {
  std::vector<std::unique_ptr<antlr4::Token>> tokens;
  for (const std::size_t type : types) {
    tokens.push_back(std::make_unique<antlr4::CommonToken>(type));
  }
  antlr4::ListTokenSource source(std::move(tokens));
  antlr4::CommonTokenStream stream(&source);
  Parser parser(&stream);
  parser.removeErrorListeners();
  const auto strategy = std::make_shared<OneErrorStrategy>(types.size());
  parser.setErrorHandler(strategy);
  NestingWatch watch(limit, *strategy);
  parser.addParseListener(&watch);
  Tree* tree = nullptr;
  try {
    tree = (parser.*rule)();
  } catch (const antlr4::ParseCancellationException&) {
    EXH_CHECK(strategy->error().has_value());
  }
  if (!strategy->error()) read(tree);
  return strategy->error();
}

/// What could stand behind tokens of these types, in a text that `rule` reads. `nothing` is a type
/// that no rule knows. Nothing where the tokens themselves are wrong.
///
/// A token of that type is a mistake wherever it stands, and the parser says what it expected
/// instead. Where it had looked further ahead it does not know that; then each type is tried in its
/// place: what could stand there moves the mistake behind it.
template <typename Parser, typename Tree>
std::optional<antlr4::misc::IntervalSet> TypesBehind(const std::vector<std::size_t>& types,
                                                     Tree* (Parser::*rule)(),
                                                     const NestingLimit& limit,
                                                     std::size_t nothing) {
  const auto ignore = [](Tree*) {};
  std::vector<std::size_t> tried = types;
  tried.push_back(nothing);
  const auto error = ParseTokens<Parser, Tree>(tried, rule, limit, ignore);
  if (!error || error->at != types.size() || error->is_too_deep) return std::nullopt;
  if (error->expected) return error->expected;
  antlr4::misc::IntervalSet found;
  const std::size_t last = Parser(nullptr).getVocabulary().getMaxTokenType();
  for (std::size_t type = 1; type <= last; ++type) {
    tried.back() = type;
    const auto other = ParseTokens<Parser, Tree>(tried, rule, limit, ignore);
    if (!other || other->at > types.size()) found.add(static_cast<ssize_t>(type));
  }
  if (!ParseTokens<Parser, Tree>(types, rule, limit, ignore)) found.add(kEndOfInput);
  return found;
}

/// The word of this type in a grammar: its letters, or nothing where it has others.
std::string WordOfType(std::size_t type, const antlr4::dfa::Vocabulary& vocabulary);

// ---- words

/// How token types are told to people.
struct TypeWords {
  /// Types that are one thing to a reader where all of them are expected. Without words: they are
  /// not told where there is anything else to tell.
  struct Group {
    std::vector<ssize_t> types;
    std::string words;
  };
  std::vector<Group> groups;  ///< Taken in turn.
  std::map<std::size_t, std::string>
      names;        ///< Of single types; of others it is how one writes them.
  std::string end;  ///< Of the end of what is parsed.
};

/// `'=', a name or the end of the line`; nothing where more than four things are expected.
std::string ExpectedInWords(antlr4::misc::IntervalSet expected, const TypeWords& words,
                            const antlr4::dfa::Vocabulary& vocabulary);

/// `expected 'in', got 'of'`; without `expected` it is `unexpected 'of'`.
std::string MismatchInWords(std::string_view expected, std::string_view got);

/// What was written, in quotes and not too long.
std::string TokenInWords(std::string_view text);

/// Behind a message about a word that stands where a name is expected.
std::string ReservedWordHint(std::string_view text);

/// Calls `work`, and reports what ANTLR throws. `who`: "the parser".
void ReportFailures(std::string_view who, std::uint32_t file, DiagnosticSink& sink,
                    const std::function<void()>& work);

/// Calls `work` with a sink whose file 0 is the text, and which nobody reads. What ANTLR throws
/// ends it. A text of more than kLargestText bytes is not looked at.
void WithText(std::string_view text, const std::function<void(DiagnosticSink&)>& work);

}  // namespace exh::dsl

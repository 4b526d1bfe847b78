// SPDX-License-Identifier: MIT
//
// What both grammars of the tree ask of ANTLR: bytes that are read where they are, and a parser
// that stops at the first error and says what could have stood there. Only files that parse include
// this (tests/check_layers.py has the list).
#pragma once

#include <antlr4-runtime.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

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

/// Where a parser gave up.
struct SyntaxError {
  std::size_t at = 0;  ///< Index of a token; their number: the end.
  /// What could have stood there; nothing: the parser had looked further ahead.
  std::optional<antlr4::misc::IntervalSet> expected;
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

  const std::optional<SyntaxError>& error() const { return error_; }

 private:
  std::size_t chunk_size_;
  std::optional<SyntaxError> error_;
};

}  // namespace exh::dsl

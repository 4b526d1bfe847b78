// SPDX-License-Identifier: MIT
#include "functional/syntax/token.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <utility>

namespace exh::functional {
namespace {

using dsl::Diag;

constexpr std::array<std::string_view, 8> kStatements = {"size", "param", "limit", "require",
                                                         "def",  "user",  "input", "kernel"};
/// Longer ones first.
constexpr std::array<std::string_view, 25> kSymbols = {
    "->", "|>", "..", "<=", ">=", "==", "!=", "(", ")", "[", "]", ",", ":",
    "=",  "+",  "-",  "*",  "/",  "%",  "@",  "|", "<", ">", "{", "}"};
/// Numbers of a program: those of terms of a space.
constexpr std::int64_t kLargest = std::int64_t{1} << 31;

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

class Lexer {
 public:
  Lexer(std::uint32_t file, dsl::DiagnosticSink& sink)
      : file_(file), sink_(sink), text_(sink.sources().file(file).text) {}

  std::vector<Token> Run() {
    while (SkipBlanks(), at_ < text_.size()) Next();
    Add(Token::Kind::kEnd, at_, at_);
    return std::move(tokens_);
  }

 private:
  char Peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void SkipBlanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == '\n') {
        first_of_line_ = true;
        ++at_;
      } else if (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r') {
        ++at_;
      } else if (Peek() == '/' && Peek(1) == '/') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        return;
      }
    }
  }

  dsl::SourceRange RangeOf(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  Token& Add(Token::Kind kind, std::size_t begin, std::size_t end) {
    Token token;
    token.kind = kind;
    token.text = std::string(text_.substr(begin, end - begin));
    token.range = RangeOf(begin, end);
    token.first_of_line = std::exchange(first_of_line_, false);
    tokens_.push_back(std::move(token));
    at_ = end;
    return tokens_.back();
  }

  void Next() {
    const std::size_t begin = at_;
    std::size_t end = at_;
    if (IsLetter(text_[at_])) {
      while (end < text_.size() && (IsLetter(text_[end]) || IsDigit(text_[end]))) ++end;
      const std::string_view word = text_.substr(begin, end - begin);
      const bool is_word = std::ranges::find(Words(), word) != Words().end();
      Add(is_word ? Token::Kind::kWord : Token::Kind::kName, begin, end);
      return;
    }
    if (IsDigit(text_[at_])) return Number();
    for (const std::string_view symbol : kSymbols) {
      if (!text_.substr(at_).starts_with(symbol)) continue;
      Add(Token::Kind::kSymbol, begin, begin + symbol.size());
      return;
    }
    // Of bytes that mean nothing, as many as there are: one message.
    while (end < text_.size() && !IsLetter(text_[end]) && !IsDigit(text_[end]) &&
           text_[end] != '\n' && text_[end] != ' ' &&
           std::ranges::none_of(kSymbols, [&](std::string_view symbol) {
             return text_.substr(end).starts_with(symbol);
           })) {
      ++end;
    }
    sink_.Report(Diag::kFunWord, RangeOf(begin, end), "this has no meaning in a program");
    at_ = end;
  }

  void Number() {
    const std::size_t begin = at_;
    std::size_t end = at_;
    while (end < text_.size() && IsDigit(text_[end])) ++end;
    bool is_real = false;
    if (end + 1 < text_.size() && text_[end] == '.' && IsDigit(text_[end + 1])) {
      is_real = true;
      ++end;
      while (end < text_.size() && IsDigit(text_[end])) ++end;
    }
    if (is_real && end < text_.size() && text_[end] == 'f') ++end;  // As C writes it.
    if (end < text_.size() && IsLetter(text_[end])) {
      while (end < text_.size() && (IsLetter(text_[end]) || IsDigit(text_[end]))) ++end;
      sink_.Report(Diag::kFunNumber, RangeOf(begin, end),
                   "a number ends before a letter: write a blank between them, or '*'");
      is_real = true;
    }
    Token& token = Add(is_real ? Token::Kind::kReal : Token::Kind::kNumber, begin, end);
    if (is_real) return;
    const auto read =
        std::from_chars(token.text.data(), token.text.data() + token.text.size(), token.number);
    if (read.ec == std::errc() && token.number <= kLargest) return;
    token.number = 1;
    sink_.Report(Diag::kFunNumber, token.range,
                 fmt::format("the number is too large: at most {} (2^31)", kLargest));
  }

  std::uint32_t file_;
  dsl::DiagnosticSink& sink_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool first_of_line_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

const std::vector<std::string>& Words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all(kStatements.begin(), kStatements.end());
    for (const char* word : {"let", "in", "div"}) all.emplace_back(word);
    return all;
  }();
  return words;
}

bool BeginsStatement(const Token& token) {
  return token.kind == Token::Kind::kWord &&
         std::ranges::find(kStatements, token.text) != kStatements.end();
}

std::vector<Token> Tokens(std::uint32_t file, dsl::DiagnosticSink& sink) {
  return Lexer(file, sink).Run();
}

}  // namespace exh::functional

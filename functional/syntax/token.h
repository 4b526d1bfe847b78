// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/diagnostics/diagnostic.h"
#include "dsl/source_range.h"

namespace exh::functional {

struct Token {
  enum class Kind : std::uint8_t { kName, kWord, kNumber, kReal, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;
  std::int64_t number = 0;
  dsl::SourceRange range;
  bool first_of_line = false;

  bool Is(std::string_view word) const {
    return (kind == Kind::kWord || kind == Kind::kSymbol) && text == word;
  }
};

/// Words that a program cannot use as names.
const std::vector<std::string>& Words();
/// Those with which a statement begins.
bool BeginsStatement(const Token& token);

/// The tokens of a file of `sink.sources()`, kEnd at the end. What is no token is reported and left
/// out.
std::vector<Token> Tokens(std::uint32_t file, dsl::DiagnosticSink& sink);

}  // namespace exh::functional

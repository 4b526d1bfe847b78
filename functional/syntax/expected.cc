// SPDX-License-Identifier: MIT
//
// The parser is asked: it gets the statement that the text ends in, and behind it a token that may
// stand nowhere. What it expected there is the answer.
#include "functional/syntax/expected.h"

#include <antlr4-runtime.h>

#include <optional>
#include <string>

#include "FunLexer.h"
#include "FunParser.h"
#include "dsl/syntax/antlr_support.h"
#include "functional/syntax/ast.h"
#include "functional/syntax/parse.h"

namespace exh::functional {
namespace {

using grammar::FunLexer;
using grammar::FunParser;

/// The tokens from the last word on that begins a statement.
std::vector<std::size_t> LastStatement(const std::vector<dsl::LexedToken>& tokens,
                                       const dsl::SourceSet& sources) {
  std::vector<std::size_t> types;
  std::uint32_t before = 0;
  for (const dsl::LexedToken& token : tokens) {
    const dsl::SourceRange gap = {0, before, token.range.begin};
    const bool is_first = before == 0 || sources.Text(gap).find('\n') != std::string_view::npos;
    if (is_first && BeginsStatement(sources.Text(token.range))) types.clear();
    types.push_back(token.type);
    before = token.range.end;
  }
  return types;
}

/// Whether the name that comes next is one that the statement declares.
bool Declares(const std::vector<std::size_t>& types) {
  return types.size() == 1 && types[0] != FunLexer::NAME;
}

}  // namespace

dsl::Expected ExpectedBehind(std::string_view text) {
  dsl::Expected expected;
  dsl::WithText(text, [&](const dsl::DiagnosticSink& sink) {
    const dsl::SourceSet& sources = sink.sources();
    const auto tokens = dsl::LexedTokens<FunLexer>(sources, 0);
    const std::size_t end = tokens.empty() ? 0 : tokens.back().range.end;
    if (dsl::EndsInComment(text.substr(end))) return;
    const std::vector<std::size_t> types = LastStatement(tokens, sources);
    const dsl::NestingLimit limit = {
        {FunParser::RuleExpression, FunParser::RuleType, FunParser::RulePattern}, kMaxDepth};
    const auto behind = dsl::TypesBehind<FunParser, FunParser::PartContext>(
        types, &FunParser::part, limit, FunParser::INVALID);
    if (!behind) return;
    for (const ssize_t type : behind->toList()) {
      if (type == dsl::kEndOfInput) continue;
      const std::string word =
          dsl::WordOfType(static_cast<std::size_t>(type), FunParser(nullptr).getVocabulary());
      if (!word.empty()) expected.words.push_back(word);
    }
    expected.names = behind->contains(static_cast<ssize_t>(FunParser::NAME)) && !Declares(types);
  });
  return expected;
}

std::vector<dsl::SourceRange> KeywordsOf(std::string_view text) {
  std::vector<dsl::SourceRange> ranges;
  dsl::WithText(text, [&](const dsl::DiagnosticSink& sink) {
    const dsl::SourceSet& sources = sink.sources();
    const FunParser parser(nullptr);
    for (const dsl::LexedToken& token : dsl::LexedTokens<FunLexer>(sources, 0)) {
      const bool is_word = !dsl::WordOfType(token.type, parser.getVocabulary()).empty();
      if (is_word) ranges.push_back(token.range);
    }
  });
  return ranges;
}

}  // namespace exh::functional

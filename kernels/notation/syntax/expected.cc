// SPDX-License-Identifier: MIT
//
// The parser is asked: it gets the line that the text ends in, and behind it a token that may stand
// nowhere. What it expected there is the answer.
#include "kernels/notation/syntax/expected.h"

#include <antlr4-runtime.h>

#include <optional>
#include <string>

#include "KernelLexer.h"
#include "KernelParser.h"
#include "dsl/syntax/antlr_support.h"
#include "kernels/notation/syntax/lines.h"

namespace exh::kernels::notation {
namespace {

using grammar::KernelLexer;
using grammar::KernelParser;

/// Whether the name that comes next is one that the line declares.
bool Declares(const Line& line) {
  if (line.empty()) return false;
  switch (line.back().type) {
    case KernelLexer::KERNEL:
    case KernelLexer::SIZE:
    case KernelLexer::OPTION:
    case KernelLexer::SCALAR:
    case KernelLexer::INPUT:
    case KernelLexer::OUTPUT:
      return true;
    default:
      return false;
  }
}

dsl::Expected ExpectedIn(const Line& line) {
  dsl::Expected expected;
  std::vector<std::size_t> types;
  for (const dsl::LexedToken& token : line) {
    const bool repeats =
        token.type == KernelLexer::DOC && !types.empty() && types.back() == KernelLexer::DOC;
    if (!repeats) types.push_back(token.type);  // Doc comments before an item count as one.
  }
  const dsl::NestingLimit limit = {{KernelParser::RuleExpression, KernelParser::RuleBody},
                                   kMostNested + 1};
  const auto behind = dsl::TypesBehind<KernelParser, KernelParser::LineContext>(
      types, &KernelParser::line, limit, KernelParser::INVALID);
  if (!behind) return expected;
  for (const ssize_t type : behind->toList()) {
    if (type == dsl::kEndOfInput) continue;
    const std::string word =
        dsl::WordOfType(static_cast<std::size_t>(type), KernelParser(nullptr).getVocabulary());
    if (!word.empty()) expected.words.push_back(word);
  }
  expected.names = behind->contains(static_cast<ssize_t>(KernelParser::NAME)) && !Declares(line);
  return expected;
}

}  // namespace

dsl::Expected ExpectedBehind(std::string_view text) {
  dsl::Expected expected;
  dsl::WithText(text, [&](const dsl::DiagnosticSink& sink) {
    const dsl::SourceSet& sources = sink.sources();
    std::vector<dsl::LexedToken> tokens = dsl::LexedTokens<KernelLexer>(sources, 0);
    const std::size_t end = tokens.empty() ? 0 : tokens.back().range.end;
    const bool is_doc =
        !tokens.empty() && tokens.back().type == KernelLexer::DOC && end == text.size();
    if (is_doc || dsl::EndsInComment(text.substr(end))) return;
    // A name at the end belongs to the line that is written.
    const auto size = static_cast<std::uint32_t>(text.size());
    tokens.push_back({KernelLexer::NAME, {0, size, size}});
    Line line = CutLines(tokens, sources).back();
    line.pop_back();
    expected = ExpectedIn(line);
  });
  return expected;
}

std::vector<dsl::SourceRange> KeywordsOf(std::string_view text) {
  std::vector<dsl::SourceRange> ranges;
  dsl::WithText(text, [&](const dsl::DiagnosticSink& sink) {
    const dsl::SourceSet& sources = sink.sources();
    const KernelParser parser(nullptr);
    for (const dsl::LexedToken& token : dsl::LexedTokens<KernelLexer>(sources, 0)) {
      const bool is_word = !dsl::WordOfType(token.type, parser.getVocabulary()).empty();
      if (is_word) ranges.push_back(token.range);
    }
  });
  return ranges;
}

}  // namespace exh::kernels::notation

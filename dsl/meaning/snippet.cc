// SPDX-License-Identifier: MIT
#include "dsl/meaning/snippet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "base/spelling.h"

namespace exh::dsl {

std::vector<SnippetVariable> FindVariables(std::string_view text) {
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  std::vector<SnippetVariable> found;
  for (std::size_t i = text.find('$'); i != std::string_view::npos; i = text.find('$', i)) {
    const std::size_t begin = i++;
    while (i < text.size() && in_word(text[i])) ++i;
    if (i == begin + 1) continue;
    found.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(i - begin),
                     std::string(text.substr(begin + 1, i - begin - 1)), -1});
  }
  return found;
}

Snippet ResolveSnippet(const ast::Code& code, const std::vector<std::string>& words,
                       const std::vector<Variable>& scope, DiagnosticSink& sink, NameUses* names) {
  Snippet snippet{code.text, code.range, FindVariables(code.text)};
  for (SnippetVariable& use : snippet.variables) {
    if (std::ranges::find(words, use.name) != words.end()) continue;
    const auto variable = std::ranges::find(scope, use.name, &Variable::name);
    if (variable != scope.end()) {
      use.variable = static_cast<int>(variable - scope.begin());
      if (names != nullptr) {
        names->uses.push_back({code.RangeOf(use.offset, use.length), variable->range});
      }
      continue;
    }
    std::vector<std::string> legal;
    for (const std::string& word : words) legal.push_back(fmt::format("${}", word));
    for (const Variable& v : scope) legal.push_back(fmt::format("${}", v.name));
    const SourceRange range = code.RangeOf(use.offset, use.length);
    const std::string list = legal.empty() ? "no variable is"
                                           : fmt::format("only {} {}", fmt::join(legal, ", "),
                                                         legal.size() == 1 ? "is" : "are");
    sink.Report(Diag::kUnknownSnippetVariable, range,
                fmt::format("unknown variable '${}': {} available here{}", use.name, list,
                            DidYouMean("$" + use.name, legal)));
  }
  return snippet;
}

Snippet Renamed(const Snippet& snippet, const std::vector<int>& arguments,
                const std::vector<Variable>& scope) {
  Snippet result;
  result.range = snippet.range;
  std::size_t at = 0;
  for (SnippetVariable use : snippet.variables) {
    result.text += snippet.text.substr(at, use.offset - at);
    at = use.offset + use.length;
    if (use.variable >= 0) {
      use.variable = arguments[static_cast<std::size_t>(use.variable)];
      use.name = scope[static_cast<std::size_t>(use.variable)].name;
    }
    use.offset = static_cast<std::uint32_t>(result.text.size());
    result.text += "$" + use.name;
    use.length = static_cast<std::uint32_t>(result.text.size()) - use.offset;
    result.variables.push_back(std::move(use));
  }
  result.text += snippet.text.substr(at);
  return result;
}

}  // namespace exh::dsl

// SPDX-License-Identifier: MIT
#include "dsl/syntax/antlr_support.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace exh::dsl {

std::string ExpectedInWords(antlr4::misc::IntervalSet expected, const TypeWords& words,
                            const antlr4::dfa::Vocabulary& vocabulary) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> told;
  for (const auto& [types, group_words] : words.groups) {
    antlr4::misc::IntervalSet rest = expected;
    const bool has_all = std::ranges::all_of(types, [&](ssize_t t) { return rest.contains(t); });
    for (const ssize_t type : types) rest.remove(type);
    const bool is_all = rest.size() == 0 && told.empty();
    if (!has_all || (group_words.empty() && is_all)) continue;
    expected = rest;
    if (!group_words.empty()) told.push_back(group_words);
  }
  if (expected.size() + told.size() == 0 || expected.size() > kMost) return "";
  for (const ssize_t type : expected.toList()) {
    if (type == kEndOfInput) continue;
    const auto name = words.names.find(static_cast<std::size_t>(type));
    told.push_back(name != words.names.end()
                       ? name->second
                       : vocabulary.getLiteralName(static_cast<std::size_t>(type)));
  }
  if (expected.contains(kEndOfInput)) told.push_back(words.end);
  const std::string last = told.back();
  told.pop_back();
  return told.empty() ? last : fmt::format("{} or {}", fmt::join(told, ", "), last);
}

std::string WordOfType(std::size_t type, const antlr4::dfa::Vocabulary& vocabulary) {
  const std::string literal = vocabulary.getLiteralName(type);  // In quotes.
  if (literal.size() < 3 || literal[1] < 'a' || literal[1] > 'z') return "";
  return literal.substr(1, literal.size() - 2);
}

std::string MismatchInWords(std::string_view expected, std::string_view got) {
  return expected.empty() ? fmt::format("unexpected {}", got)
                          : fmt::format("expected {}, got {}", expected, got);
}

std::string TokenInWords(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  if (text.size() > kLongest) return fmt::format("'{}…'", text.substr(0, kLongest));
  return fmt::format("'{}'", text);
}

std::string ReservedWordHint(std::string_view text) {
  return fmt::format(" ('{}' is a reserved word and cannot be a name)", text);
}

void ReportFailures(std::string_view who, std::uint32_t file, DiagnosticSink& sink,
                    const std::function<void()>& work) {
  std::string what;
  try {
    return work();
  } catch (const std::exception& error) {
    what = error.what();
  } catch (const char* text) {  // ANTLR has thrown C strings in the past.
    what = text;
  }
  sink.Report(Diag::kParserFailed, {file, 0, 0}, fmt::format("{} failed: {}", who, what));
}

void WithText(std::string_view text, const std::function<void(DiagnosticSink&)>& work) {
  DiagnosticSink sink;
  sink.sources().set_memory_only();
  sink.sources().AddInMemory("text", std::string(text));
  std::string error;
  const auto file = sink.sources().Open("text", std::nullopt, &error);
  if (file) ReportFailures("the parser", *file, sink, [&] { work(sink); });
}

}  // namespace exh::dsl

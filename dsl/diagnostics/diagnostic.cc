// SPDX-License-Identifier: MIT
#include "dsl/diagnostics/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace exh::dsl {

Diagnostic& Diagnostic::WithNote(SourceRange where, std::string text) {
  notes.push_back({where, std::move(text)});
  return *this;
}

Diagnostic& DiagnosticSink::Report(Diag diag, SourceRange range, std::string message) {
  if (InfoOf(diag).severity == Severity::kError) ++num_errors_;
  return diagnostics_.emplace_back(Diagnostic{diag, range, std::move(message), {}});
}

namespace {

// What is not read as it was meant has no uses, no keys and no conditions.
bool IsSyntax(const Diagnostic& d) {
  return d.severity() == Severity::kError && static_cast<int>(d.diag) < 300;
}

// How many with the same text are shown one by one. One wrong declaration makes every use of it
// wrong, and one quote makes C++ of what follows.
std::size_t MostAlike(Diag diag) {
  if (diag == Diag::kInvalidToken) return 1;
  const int number = static_cast<int>(diag);
  const bool names = number > 300 && number<310, sets = number> 400 && number < 420;
  const bool uses = number > 600 && number < 620;
  return names || sets || uses ? 2 : std::numeric_limits<std::size_t>::max();
}

// The first of many stands for the rest.
void JoinAlike(std::vector<Diagnostic>& sorted) {
  std::map<std::pair<Diag, std::string>, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    alike[{sorted[i].diag, sorted[i].message}].push_back(i);
  }
  std::vector<bool> gone(sorted.size());
  for (const auto& [key, places] : alike) {
    if (places.size() <= MostAlike(key.first)) continue;
    std::string text = "the same here";
    if (places.size() == 3) text += ", and in one more place";
    if (places.size() > 3) text += fmt::format(", and in {} more places", places.size() - 2);
    sorted[places[0]].WithNote(sorted[places[1]].range, std::move(text));
    for (std::size_t i = 1; i < places.size(); ++i) gone[places[i]] = true;
  }
  std::size_t at = 0;
  std::erase_if(sorted, [&](const Diagnostic&) { return gone[at++]; });
}

// Beside syntax errors, what many names and conditions are said to lack is most often what was not
// read; and a warning is.
void DropConsequences(std::vector<Diagnostic>& sorted) {
  constexpr std::ptrdiff_t kMostBeside = 2;
  const std::ptrdiff_t syntax = std::ranges::count_if(sorted, IsSyntax);
  if (syntax == 0) return;
  std::erase_if(sorted, [](const auto& d) { return d.severity() == Severity::kWarning; });
  if (std::ssize(sorted) - syntax <= kMostBeside) return;
  std::erase_if(sorted, [](const auto& d) { return !IsSyntax(d); });
}

}  // namespace

std::vector<Diagnostic> DiagnosticSink::Sorted(std::size_t cap) const {
  std::vector<Diagnostic> sorted(diagnostics_.begin(), diagnostics_.end());
  const auto place = [](const Diagnostic& d) {
    return std::tuple(d.range.file, d.range.begin, d.severity(), std::string_view(d.message),
                      d.range.end);
  };
  std::ranges::stable_sort(sorted,
                           [&](const auto& a, const auto& b) { return place(a) < place(b); });
  // Not std::ranges::unique: clang 14 does not compile the subrange that it returns.
  const auto repeated =
      std::unique(sorted.begin(), sorted.end(),
                  [&](const auto& a, const auto& b) { return place(a) == place(b); });
  sorted.erase(repeated, sorted.end());
  JoinAlike(sorted);
  DropConsequences(sorted);
  if (sorted.size() <= cap) return sorted;

  // A warning must never push an error out.
  if (std::ranges::count(sorted, Severity::kError, &Diagnostic::severity) > 0) {
    std::erase_if(sorted, [](const auto& d) { return d.severity() == Severity::kWarning; });
    if (sorted.size() <= cap) return sorted;
  }
  const std::size_t missing = sorted.size() - cap;
  const Diagnostic& last = sorted[cap];
  Diagnostic more{last.diag, last.range, fmt::format("{} more like these not shown", missing), {}};
  sorted.resize(cap);
  sorted.push_back(std::move(more));
  return sorted;
}

}  // namespace exh::dsl

// SPDX-License-Identifier: MIT
#include "dsl/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
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

// SPDX-License-Identifier: MIT
#include "lsp/languages/language.h"

#include <fmt/format.h>

namespace exh::lsp {

std::vector<std::string> Language::RootsOf(const std::string& path, const OpenTexts&) const {
  return {path};
}

std::vector<std::unique_ptr<Language>> Languages() {
  std::vector<std::unique_ptr<Language>> all;
  all.push_back(SpaceLanguage());
  all.push_back(KernelLanguage());
  all.push_back(FunctionalLanguage());
  return all;
}

std::string FirstMistake(const dsl::DiagnosticSink& sink) {
  for (const dsl::Diagnostic& each : sink.Sorted()) {
    if (each.severity() != dsl::Severity::kError) continue;
    const std::string& text = sink.sources().file(each.range.file).text;
    return fmt::format("line {}: {}", dsl::Locate(text, each.range.begin).line, each.message);
  }
  return "";
}

std::string AsCode(std::string_view text) {
  return fmt::format("`{}`", text);
}

}  // namespace exh::lsp

// SPDX-License-Identifier: MIT
//
// `.exh`: search spaces.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "dsl/dsl.h"
#include "dsl/reading.h"
#include "dsl/syntax/format.h"
#include "lsp/languages/language.h"
#include "lsp/languages/space_roots.h"
#include "lsp/languages/space_symbols.h"

namespace exh::lsp {
namespace {

class Spaces : public Language {
 public:
  std::string_view id() const override { return "exh"; }
  std::string_view suffix() const override { return ".exh"; }

  std::vector<std::string> RootsOf(const std::string& path, const OpenTexts& texts) const override {
    return SpacesOf(path, texts);
  }

  Analysis Analyse(const std::string& path, const OpenTexts& texts) const override {
    Analysis analysis;
    for (const auto& [name, text] : texts) analysis.sink().sources().AddInMemory(name, text);
    dsl::CompileOptions options;
    options.lints = true;
    const dsl::SpaceReading reading = dsl::ReadSpace(path, options, analysis.sink());
    AddSymbols(reading, analysis);
    analysis.Take(reading.names);
    return analysis;
  }

  dsl::Expected ExpectedBehind(std::string_view text) const override {
    return dsl::ExpectedBehind(text);
  }
  std::vector<dsl::SourceRange> KeywordsOf(std::string_view text) const override {
    return dsl::KeywordsOf(text);
  }

  std::string ProblemOfName(const Symbol& symbol, const std::string& name) const override {
    const std::string bare =
        symbol.kind == SymbolKind::kVariable && name.starts_with('$') ? name.substr(1) : name;
    const auto has = [&](auto is_such) {
      return std::ranges::any_of(bare, [&](unsigned char c) { return is_such(c) != 0; });
    };
    const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    if (bare.empty() || !std::ranges::all_of(bare, is_letter)) {
      return "a name consists of letters, digits and '_'";
    }
    const bool is_upper = std::isupper(static_cast<unsigned char>(bare[0])) != 0;
    switch (symbol.kind) {
      case SymbolKind::kVariable:
        if (bare != "fun") return name.starts_with('$') ? "" : "a variable begins with '$'";
        return "'$fun' is the backbone; give the variable another name";
      case SymbolKind::kSet:
        if (is_upper && has(islower)) return "";
        return "a set name starts with an upper-case letter and holds a lower-case one";
      case SymbolKind::kValue:
        return is_upper && !has(islower) ? "" : "a value name has no lower-case letter";
      default:
        break;
    }
    if (std::islower(static_cast<unsigned char>(bare[0])) == 0 || has(isupper)) {
      return "this name starts with a lower-case letter and has no upper-case one";
    }
    return dsl::KeywordsOf(bare).empty() ? "" : "'" + bare + "' is a reserved word";
  }

  std::optional<std::string> Format(const std::string& path, const std::string& text,
                                    std::string* problem) const override {
    dsl::DiagnosticSink sink;
    if (!dsl::CheckSyntax(path, text, sink)) {
      *problem = FirstMistake(sink);
      return std::nullopt;
    }
    dsl::FormatError error;
    auto formatted = dsl::FormatText(text, &error);
    if (!formatted) *problem = fmt::format("line {}: {}", error.line, error.message);
    return formatted;
  }
};

}  // namespace

std::unique_ptr<Language> SpaceLanguage() {
  return std::make_unique<Spaces>();
}

}  // namespace exh::lsp

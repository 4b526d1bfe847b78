// SPDX-License-Identifier: MIT
#include "lsp/answers/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "lsp/answers/places.h"
#include "lsp/text/uri.h"

namespace exh::lsp {
namespace {

const Symbol* SymbolAt(const AskedPlace& place, const dsl::NameUse** use) {
  *use = place.analysis->UseAt(place.file, place.offset);
  return *use == nullptr ? nullptr : place.analysis->Declared((*use)->declared);
}

/// As the protocol numbers them.
int OutlineKind(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kSet:
      return 5;  // A class.
    case SymbolKind::kChoice:
      return 7;  // A property.
    case SymbolKind::kValue:
      return 22;  // A member of an enum.
    case SymbolKind::kFunction:
      return 12;
    case SymbolKind::kConstant:
      return 14;
    case SymbolKind::kVariable:
      return 13;
    case SymbolKind::kKernel:
      return 2;  // A module.
    case SymbolKind::kRequirement:
      return 24;  // An event.
  }
  return 13;
}

bool IsIn(dsl::SourceRange inner, dsl::SourceRange outer) {
  return inner.file == outer.file && outer.begin <= inner.begin && inner.end <= outer.end;
}

}  // namespace

Json HoverAt(const AskedPlace& place) {
  const dsl::NameUse* use = nullptr;
  const Symbol* const symbol = SymbolAt(place, &use);
  if (symbol == nullptr) return nullptr;
  std::string text = fmt::format("```{}\n{}\n```", place.language->id(), symbol->head);
  if (!symbol->words.empty()) text += "\n\n" + symbol->words;
  return {{"contents", {{"kind", "markdown"}, {"value", std::move(text)}}},
          {"range", JsonOf(*place.analysis, use->range)}};
}

Json DefinitionAt(const AskedPlace& place, const Workspace& workspace) {
  const Analysis& analysis = *place.analysis;
  const dsl::NameUse* const use = analysis.UseAt(place.file, place.offset);
  if (use != nullptr) return LocationOf(analysis, use->declared, workspace);
  for (std::uint32_t file = 0; file < analysis.sources().size(); ++file) {
    const auto& from = analysis.sources().file(file).included_from;
    if (from && from->file == place.file && from->begin <= place.offset &&
        place.offset <= from->end) {
      return LocationOf(analysis, {file, 0, 0}, workspace);
    }
  }
  return nullptr;
}

Json ReferencesAt(const AskedPlace& place, bool with_declaration, const Workspace& workspace) {
  const Analysis& analysis = *place.analysis;
  const dsl::NameUse* const asked = analysis.UseAt(place.file, place.offset);
  Json list = Json::array();
  if (asked == nullptr) return list;
  for (const dsl::NameUse& use : analysis.uses()) {
    const bool is_wanted = with_declaration || use.range != use.declared;
    if (is_wanted && use.declared == asked->declared) {
      list.push_back(LocationOf(analysis, use.range, workspace));
    }
  }
  return list;
}

Json HighlightsAt(const AskedPlace& place) {
  const dsl::NameUse* const asked = place.analysis->UseAt(place.file, place.offset);
  Json list = Json::array();
  if (asked == nullptr) return list;
  for (const dsl::NameUse& use : place.analysis->uses()) {
    if (use.declared != asked->declared || use.range.file != place.file) continue;
    list.push_back({{"range", JsonOf(*place.analysis, use.range)},
                    {"kind", use.range == use.declared ? 3 : 2}});  // Written; read.
  }
  return list;
}

Json OutlineOf(const AskedPlace& place) {
  const Analysis& analysis = *place.analysis;
  const std::vector<Symbol>& symbols = analysis.symbols();
  const auto is_shown = [&](const Symbol& symbol) {
    return symbol.range.file == place.file && !symbol.is_local && !symbol.is_unwritten() &&
           !symbol.name.empty();
  };
  const auto entry_of = [&](const Symbol& symbol) {
    const dsl::SourceRange whole = IsIn(symbol.range, symbol.whole) ? symbol.whole : symbol.range;
    return Json{{"name", symbol.name},
                {"detail", symbol.head.substr(0, symbol.head.find('\n'))},
                {"kind", OutlineKind(symbol.kind)},
                {"range", JsonOf(analysis, whole)},
                {"selectionRange", JsonOf(analysis, symbol.range)}};
  };
  std::vector<Json> children(symbols.size(), Json::array());
  for (const Symbol& symbol : symbols) {
    if (!is_shown(symbol) || symbol.parent < 0) continue;
    children[static_cast<std::size_t>(symbol.parent)].push_back(entry_of(symbol));
  }
  Json list = Json::array();
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (!is_shown(symbols[i]) || symbols[i].parent >= 0) continue;
    Json entry = entry_of(symbols[i]);
    if (!children[i].empty()) entry["children"] = std::move(children[i]);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace exh::lsp

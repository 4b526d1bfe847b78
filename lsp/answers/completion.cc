// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>
#include <string>

#include "lsp/answers/places.h"
#include "lsp/answers/writing.h"

namespace exh::lsp {
namespace {

/// As the protocol numbers them.
constexpr int kKeyword = 14, kFunction = 3, kVariable = 6;

int CompletionKind(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kSet:
      return 7;  // A class.
    case SymbolKind::kChoice:
      return 10;  // A property.
    case SymbolKind::kValue:
      return 20;  // A member of an enum.
    case SymbolKind::kFunction:
      return kFunction;
    case SymbolKind::kConstant:
      return 21;
    case SymbolKind::kVariable:
      return kVariable;
    case SymbolKind::kKernel:
      return 9;  // A module.
    case SymbolKind::kRequirement:
      return 23;  // An event.
  }
  return kVariable;
}

bool Fits(const Symbol& symbol, const dsl::Expected& expected, const Analysis& analysis) {
  if (symbol.kind == SymbolKind::kRequirement) return false;  // Nothing refers to it.
  if (expected.names) return true;
  if (symbol.is_local) return false;  // Those of the statement are known by themselves.
  switch (symbol.kind) {
    case SymbolKind::kSet:
      return expected.sets;
    case SymbolKind::kChoice:
    case SymbolKind::kFunction:
      return expected.choices;
    case SymbolKind::kConstant:
      return expected.choices || expected.constants;
    case SymbolKind::kValue: {
      const bool is_of_it =
          expected.tested.empty() || symbol.parent < 0 ||
          analysis.symbols()[static_cast<std::size_t>(symbol.parent)].name == expected.tested;
      return expected.values && is_of_it;
    }
    default:
      return false;
  }
}

}  // namespace

Json CompletionAt(const AskedPlace& place) {
  const std::string_view before = std::string_view(place.document->text).substr(0, place.offset);
  const std::string_view without = dsl::WithoutLastWord(before);
  const dsl::Expected expected = place.language->ExpectedBehind(without);
  const LineTable lines(place.document->text);
  const Json range = {
      {"start", JsonOf(lines.PositionOf(static_cast<std::uint32_t>(without.size())))},
      {"end", JsonOf(lines.PositionOf(place.offset))}};
  Json items = Json::array();
  std::set<std::string> offered;
  const auto offer = [&](const std::string& label, int kind, const std::string& head,
                         const std::string& words) {
    if (label.empty() || !offered.insert(label).second) return;
    Json item = {
        {"label", label}, {"kind", kind}, {"textEdit", {{"range", range}, {"newText", label}}}};
    if (!head.empty()) item["detail"] = head.substr(0, head.find('\n'));
    if (!words.empty()) item["documentation"] = {{"kind", "markdown"}, {"value", words}};
    items.push_back(std::move(item));
  };
  for (const std::string& variable : expected.variables) offer(variable, kVariable, "", "");
  for (const Symbol& symbol : place.analysis->symbols()) {
    if (!Fits(symbol, expected, *place.analysis)) continue;
    offer(symbol.name, CompletionKind(symbol.kind), symbol.head, symbol.words);
  }
  for (const std::string& word : expected.words) offer(word, kKeyword, "", "");
  if (expected.names) {
    for (const std::string& name : place.language->KnownNames()) offer(name, kFunction, "", "");
  }
  return {{"isIncomplete", false}, {"items", std::move(items)}};
}

}  // namespace exh::lsp

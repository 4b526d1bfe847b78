// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "lsp/answers/writing.h"

namespace exh::lsp {
namespace {

/// Numbers of the legend.
enum Colour : std::uint32_t {
  kKeywordColour,
  kTypeColour,
  kPropertyColour,
  kEnumMemberColour,
  kFunctionColour,
  kVariableColour,
  kParameterColour,
  kNamespaceColour,
  kEventColour,
};
constexpr std::uint32_t kDeclaration = 1, kReadOnly = 2;

struct ColouredWord {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t colour = kKeywordColour, modifiers = 0;
};

ColouredWord ColourOf(const dsl::NameUse& use, const Symbol* symbol) {
  ColouredWord word{use.range.begin, use.range.end, kVariableColour, 0};
  if (use.range == use.declared) word.modifiers = kDeclaration;
  if (symbol == nullptr) return word;
  switch (symbol->kind) {
    case SymbolKind::kSet:
      word.colour = kTypeColour;
      break;
    case SymbolKind::kChoice:
      word.colour = kPropertyColour;
      break;
    case SymbolKind::kValue:
      word.colour = kEnumMemberColour;
      break;
    case SymbolKind::kFunction:
      word.colour = kFunctionColour;
      break;
    case SymbolKind::kConstant:
      word.modifiers |= kReadOnly;
      break;
    case SymbolKind::kVariable:
      word.colour = symbol->is_local ? kParameterColour : kVariableColour;
      break;
    case SymbolKind::kKernel:
      word.colour = kNamespaceColour;
      break;
    case SymbolKind::kRequirement:
      word.colour = kEventColour;
      break;
  }
  return word;
}

}  // namespace

Json ColourLegend() {
  return {{"tokenTypes",
           {"keyword", "type", "property", "enumMember", "function", "variable", "parameter",
            "namespace", "event"}},
          {"tokenModifiers", {"declaration", "readonly"}}};
}

Json ColoursOf(const AskedPlace& place) {
  const std::string& text = place.document->text;
  std::vector<ColouredWord> words;
  for (const dsl::SourceRange& range : place.language->KeywordsOf(text)) {
    words.push_back({range.begin, range.end, kKeywordColour, 0});
  }
  for (const dsl::NameUse& use : place.analysis->uses()) {
    if (use.range.file != place.file) continue;
    words.push_back(ColourOf(use, place.analysis->Declared(use.declared)));
  }
  std::ranges::stable_sort(words, {}, &ColouredWord::begin);
  const LineTable lines(text);
  Json data = Json::array();
  EditorPosition last;
  std::uint32_t free = 0;  // What is before it is coloured.
  for (const ColouredWord& word : words) {
    const EditorPosition begin = lines.PositionOf(word.begin);
    const EditorPosition end = lines.PositionOf(word.end);
    if (word.begin < free || begin.line != end.line || begin == end) continue;
    free = word.end;
    const bool is_same = begin.line == last.line;
    for (const std::uint32_t number :
         {begin.line - last.line, begin.character - (is_same ? last.character : 0),
          end.character - begin.character, word.colour, word.modifiers}) {
      data.push_back(number);
    }
    last = begin;
  }
  return {{"data", std::move(data)}};
}

}  // namespace exh::lsp

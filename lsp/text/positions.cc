// SPDX-License-Identifier: MIT
#include "lsp/text/positions.h"

#include <algorithm>

#include "dsl/diagnostics/characters.h"

namespace exh::lsp {
namespace {

std::uint32_t UnitsOf(const dsl::Utf8& character) {
  return character.code && *character.code > 0xFFFF ? 2 : 1;
}

}  // namespace

LineTable::LineTable(std::string_view text) : text_(text), begins_{0} {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends =
        text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'));
    if (ends) begins_.push_back(static_cast<std::uint32_t>(i) + 1);
  }
}

std::optional<std::uint32_t> LineTable::OffsetOf(EditorPosition position) const {
  if (position.line >= begins_.size()) return std::nullopt;
  std::size_t at = begins_[position.line];
  std::uint32_t units = 0;
  while (at < text_.size() && text_[at] != '\n' && text_[at] != '\r') {
    const dsl::Utf8 character = dsl::FirstCharacter(text_.substr(at));
    units += UnitsOf(character);
    if (units > position.character) break;
    at += character.length;
  }
  return static_cast<std::uint32_t>(at);
}

EditorPosition LineTable::PositionOf(std::uint32_t offset) const {
  const auto end = std::min<std::size_t>(offset, text_.size());
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), end);
  EditorPosition position;
  position.line = static_cast<std::uint32_t>(next - begins_.begin()) - 1;
  for (std::size_t at = *(next - 1); at < end;) {
    const dsl::Utf8 character = dsl::FirstCharacter(text_.substr(at));
    at += character.length;
    if (at <= end) position.character += UnitsOf(character);
  }
  return position;
}

}  // namespace exh::lsp

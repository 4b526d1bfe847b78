// SPDX-License-Identifier: MIT
//
// Places in a text as editors count them: lines and, in a line, units of UTF-16, both from 0. A
// character beyond the first 65,536 has two units: in `é😀x`, x has the character 3 and the byte 6.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace exh::lsp {

struct EditorPosition {
  std::uint32_t line = 0, character = 0;
  friend bool operator==(const EditorPosition&, const EditorPosition&) = default;
};

/// The lines of a text, which outlives it. A line ends with `\n`, `\r\n` or `\r`.
class LineTable {
 public:
  explicit LineTable(std::string_view text);

  std::uint32_t num_lines() const { return static_cast<std::uint32_t>(begins_.size()); }

  /// The byte at a place; behind the end of a line it is the end. Within a character it is the
  /// character's first byte. Nothing where there is no such line.
  std::optional<std::uint32_t> OffsetOf(EditorPosition position) const;

  /// Where the byte is; behind the end of the text it is the end.
  EditorPosition PositionOf(std::uint32_t offset) const;

 private:
  std::string_view text_;
  std::vector<std::uint32_t> begins_;
};

}  // namespace exh::lsp

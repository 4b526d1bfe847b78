// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "lsp/text/positions.h"
#include "lsp/text/uri.h"

namespace exh::lsp {
namespace {

/// A text, and where an editor says that each of its characters is.
struct PlacedText {
  std::string text;
  std::vector<std::pair<std::uint32_t, EditorPosition>> characters;
};

PlacedText RandomText(std::mt19937& random) {
  struct Piece {
    const char* bytes;
    std::uint32_t units;  ///< 0: a line ends.
  };
  constexpr Piece kPieces[] = {{"a", 1}, {" ", 1},    {"é", 1},  {"€", 1},
                               {"😀", 2}, {"\r\n", 0}, {"\n", 0}, {"\r", 0}};
  PlacedText placed;
  EditorPosition here;
  const char* before = "";
  for (int i = 0; i < 40; ++i) {
    const Piece& piece = kPieces[random() % std::size(kPieces)];
    const bool joins = std::string(before) == "\r" && piece.bytes[0] == '\n';
    if (joins) continue;  // That would be one end of a line.
    placed.characters.emplace_back(placed.text.size(), here);
    placed.text += before = piece.bytes;
    here.character += piece.units;
    if (piece.units == 0) here = {here.line + 1, 0};
  }
  placed.characters.emplace_back(placed.text.size(), here);
  return placed;
}

TEST(Positions, AreThoseOfAnEditor) {
  std::mt19937 random(58);
  for (int round = 0; round < 300; ++round) {
    const PlacedText placed = RandomText(random);
    const LineTable lines(placed.text);
    EXPECT_EQ(lines.num_lines(), placed.characters.back().second.line + 1);
    for (const auto& [offset, position] : placed.characters) {
      EXPECT_EQ(lines.PositionOf(offset), position) << placed.text << " at " << offset;
      EXPECT_EQ(lines.OffsetOf(position), offset) << placed.text << " at " << offset;
    }
    EXPECT_FALSE(lines.OffsetOf({lines.num_lines(), 0}).has_value());
  }
}

TEST(Positions, OutsideOfALineAndWithinACharacter) {
  const std::string text = "é😀x\nab";
  const LineTable lines(text);
  EXPECT_EQ(lines.OffsetOf({0, 2}), 2);   // Within 😀.
  EXPECT_EQ(lines.OffsetOf({0, 99}), 7);  // The end of the line.
  EXPECT_EQ(lines.OffsetOf({1, 99}), 10);
  EXPECT_EQ(lines.PositionOf(99), (EditorPosition{1, 2}));
  const std::string broken = "a\xff\xf0\x9f";  // Each byte that begins no character is one.
  EXPECT_EQ(LineTable(broken).PositionOf(4), (EditorPosition{0, 4}));
}

TEST(Uris, ThereAndBack) {
  for (const char* path : {"/a.exh", "/a b/ü%20#?.exh", "/"}) {
    EXPECT_EQ(PathOfUri(UriOfPath(path)), path);
  }
  EXPECT_EQ(UriOfPath("/a b.exh"), "file:///a%20b.exh");
  EXPECT_EQ(PathOfUri("file://localhost/a%2Fb"), "/a/b");
  EXPECT_EQ(PathOfUri("file:///a%zz%"), "/a%zz%");
  EXPECT_EQ(PathOfUri("untitled:Untitled-1"), "untitled:Untitled-1");
}

}  // namespace
}  // namespace exh::lsp

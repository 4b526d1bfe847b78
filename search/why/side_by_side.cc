// SPDX-License-Identifier: MIT
#include "search/why/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace exh::search {
namespace {

using Lines = std::vector<std::string_view>;

Lines LinesOf(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The line in so many columns, filled with blanks. Lines are ASCII but for names of users, which
/// are cut between characters.
std::string Column(std::string_view line, std::size_t width) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  std::size_t columns = 0, cut = line.size();
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (!begins(line[at])) continue;
    if (columns == width - 1) cut = at;
    ++columns;
  }
  if (columns <= width) return std::string(line) + std::string(width - columns, ' ');
  return std::string(line.substr(0, cut)) + "…";
}

class Rows {
 public:
  Rows(const Lines& left, const Lines& right, std::size_t width)
      : left_(left), right_(right), width_(width) {}

  void Same() { Add(left_[l_++], ' ', right_[r_++]); }
  /// Lines of both up to here differ: they stand in rows as far as both have some.
  void Differ(std::size_t l, std::size_t r) {
    while (l_ < l && r_ < r) Add(left_[l_++], '|', right_[r_++]);
    while (l_ < l) Add(left_[l_++], '<', "");
    while (r_ < r) Add("", '>', right_[r_++]);
  }
  std::string Take() { return std::move(text_); }

 private:
  void Add(std::string_view left, char mark, std::string_view right) {
    std::string row = fmt::format("{} {} {}", Column(left, width_), mark, Column(right, width_));
    row.erase(row.find_last_not_of(' ') + 1);
    text_ += row + "\n";
  }

  const Lines &left_, &right_;
  std::size_t width_, l_ = 0, r_ = 0;
  std::string text_;
};

}  // namespace

std::string SideBySide(std::string_view left, std::string_view right, std::size_t width) {
  const Lines a = LinesOf(left), b = LinesOf(right);
  // common[i][j]: the longest common subsequence of a from i on and b from j on.
  std::vector<std::vector<std::size_t>> common(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  Rows rows(a, b, std::max<std::size_t>(width, 2));
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) {
      rows.Differ(i++, j++);
      rows.Same();
    } else if (common[i + 1][j] >= common[i][j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  rows.Differ(a.size(), b.size());
  return rows.Take();
}

}  // namespace exh::search

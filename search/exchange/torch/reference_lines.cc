// SPDX-License-Identifier: MIT
#include "search/exchange/torch/reference_lines.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/numbers.h"

namespace exh::search::torch {
namespace {

/// Where the text that begins at `at` ends: behind its closing quotes. npos: nowhere.
std::size_t EndOfQuoted(std::string_view program, std::size_t at) {
  const char quote = program[at];
  const std::string three(3, quote);
  const bool is_long = program.substr(at).starts_with(three);
  for (std::size_t i = at + (is_long ? 3 : 1); i < program.size(); ++i) {
    if (program[i] == '\\') {
      ++i;
    } else if (is_long && program.substr(i).starts_with(three)) {
      return i + 3;
    } else if (!is_long && program[i] == quote) {
      return i + 1;
    } else if (!is_long && program[i] == '\n') {
      break;
    }
  }
  return std::string_view::npos;
}

/// Calls `visit(position, depth)` for all that stands outside of texts; it answers false to end.
template <typename Visit>
void OutsideOfTexts(std::string_view text, const Visit& visit) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = std::min(EndOfQuoted(text, i), text.size()) - 1;
      continue;
    }
    depth -= c == ')' || c == ']' || c == '}' ? 1 : 0;
    if (!visit(i, depth)) return;
    depth += c == '(' || c == '[' || c == '{' ? 1 : 0;
  }
}

}  // namespace

std::vector<ReferenceLine> ReferenceLines(std::string_view program) {
  std::vector<ReferenceLine> lines;
  ReferenceLine line{.number = 1};
  int number = 1, depth = 0;
  bool is_begun = false;
  const auto end = [&] {
    line.text = std::string(Trim(line.text));
    const bool describes = line.text.starts_with('"') || line.text.starts_with('\'');
    if (!line.text.empty() && !describes) lines.push_back(line);
    line = {};
    is_begun = false;
  };
  for (std::size_t i = 0; i < program.size();) {
    const char c = program[i];
    if (!is_begun && (c == ' ' || c == '\t')) {
      line.indent += c == ' ' ? 1 : 8;
      ++i;
      continue;
    }
    if (!is_begun) line.number = number;
    if (c == '"' || c == '\'') {
      const std::size_t to = EndOfQuoted(program, i);
      if (to == std::string_view::npos) {
        throw UsageError(fmt::format("line {}: a text without an end", number));
      }
      line.text += program.substr(i, to - i);
      for (; i < to; ++i) number += program[i] == '\n' ? 1 : 0;
      is_begun = true;
      continue;
    }
    if (c == '#') {
      while (i < program.size() && program[i] != '\n') ++i;
      continue;
    }
    const bool goes_on = c == '\\' && i + 1 < program.size() && program[i + 1] == '\n';
    if (c == '\n' || goes_on) {
      ++number;
      i += goes_on ? 2 : 1;
      if (depth == 0 && !goes_on) {
        end();
      } else {
        line.text += ' ';
      }
      continue;
    }
    depth += c == '(' || c == '[' || c == '{' ? 1 : 0;
    depth -= c == ')' || c == ']' || c == '}' ? 1 : 0;
    is_begun = true;
    line.text += c;
    ++i;
  }
  if (depth > 0) throw UsageError(fmt::format("line {}: a bracket is not closed", line.number));
  end();
  return lines;
}

std::vector<std::string> PiecesAtCommas(std::string_view text) {
  std::vector<std::string> pieces;
  std::size_t begin = 0;
  OutsideOfTexts(text, [&](std::size_t i, int depth) {
    if (text[i] == ',' && depth == 0) {
      pieces.emplace_back(Trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
    return true;
  });
  const std::string_view last = Trim(text.substr(begin));
  if (!last.empty()) pieces.emplace_back(last);
  return pieces;
}

std::size_t AssignmentIn(std::string_view line, std::string* op) {
  op->clear();
  std::size_t found = std::string_view::npos;
  OutsideOfTexts(line, [&](std::size_t i, int depth) {
    if (line[i] != '=' || depth != 0) return true;
    const char before = i > 0 ? line[i - 1] : '\0';
    const bool compares = (i + 1 < line.size() && line[i + 1] == '=') || before == '=' ||
                          before == '<' || before == '>' || before == '!';
    if (compares) return true;
    found = i;
    if (std::string_view("+-*/@|&%").find(before) != std::string_view::npos) *op = before;
    return false;
  });
  return found;
}

}  // namespace exh::search::torch

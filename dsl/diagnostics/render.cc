// SPDX-License-Identifier: MIT
#include "dsl/diagnostics/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/spelling.h"

namespace exh::dsl {
namespace {

std::string_view Word(Severity severity) {
  return severity == Severity::kError ? "error" : "warning";
}

/// Bytes of a line, and of a message, that are shown.
constexpr std::size_t kLongestLine = 400, kLongestMessage = 1000;

bool StartsCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

// `   31 | source text` and below it `      |    ^~~~`. The caret line repeats tabs so that it
// lines up whatever the width of a tab. A range over several lines is marked to its first line's
// end.
std::string SourceLine(const SourceFile& file, SourceRange range) {
  const std::string_view whole = LineAt(file.text, range.begin);
  if (whole.empty()) return "";
  const int number = Locate(file.text, range.begin).line;
  auto begin = static_cast<std::size_t>(whole.data() - file.text.data());
  // Of a line that nobody could read, what stands around the mistake.
  std::string_view line = whole;
  const auto cut = [&](std::size_t at) {
    while (at > 0 && at < whole.size() && !StartsCharacter(whole[at])) --at;
    return at;
  };
  if (whole.size() > kLongestLine) {
    const std::size_t at = range.begin - begin;
    const std::size_t first = cut(at > kLongestLine / 2 ? at - kLongestLine / 2 : 0);
    line = whole.substr(first, cut(std::min(whole.size(), first + kLongestLine)) - first);
    begin += first;
  }
  const bool begins = line.data() == whole.data();
  const bool ends = line.data() + line.size() == whole.data() + whole.size();
  std::string marks = begins ? "" : " ";
  for (std::size_t i = 0; i <= line.size(); ++i) {
    const std::size_t offset = begin + i;
    if (i < line.size() && !StartsCharacter(line[i])) continue;
    if (offset < range.begin) {
      marks += line[i] == '\t' ? '\t' : ' ';
    } else if (offset == range.begin || i < line.size()) {
      if (offset > range.begin && offset >= range.end) break;
      marks += offset == range.begin ? '^' : '~';
    }
  }
  return fmt::format("{:5} | {}{}{}\n      | {}\n", number, begins ? "" : "…", line,
                     ends ? "" : "…", marks);
}

std::string Where(const SourceSet& sources, SourceRange range) {
  const SourceFile& file = sources.file(range.file);
  if (file.is_unreadable) return file.display;
  const LineColumn place = Locate(file.text, range.begin);
  return fmt::format("{}:{}:{}", file.display, place.line, place.column);
}

nlohmann::ordered_json Place(const SourceSet& sources, SourceRange range) {
  const SourceFile& file = sources.file(range.file);
  const LineColumn begin = Locate(file.text, range.begin);
  const LineColumn end = Locate(file.text, std::max(range.begin, range.end));
  return {{"file", file.display},
          {"line", begin.line},
          {"column", begin.column},
          {"end_line", end.line},
          {"end_column", end.column}};
}

}  // namespace

std::string RenderText(const DiagnosticSink& sink) {
  const SourceSet& sources = sink.sources();
  std::string out;
  for (const Diagnostic& d : sink.Sorted()) {
    out += fmt::format("{}: {}: {} [{}]\n", Where(sources, d.range), Word(d.severity()),
                       Shortened(d.message, kLongestMessage), CodeOf(d.diag));
    out += SourceLine(sources.file(d.range.file), d.range);
    for (const Note& note : d.notes) {
      out += fmt::format("{}: note: {}\n", Where(sources, note.range),
                         Shortened(note.message, kLongestMessage));
    }
    for (auto from = sources.file(d.range.file).included_from; from;
         from = sources.file(from->file).included_from) {
      out += fmt::format("{}: note: included from here\n", Where(sources, *from));
    }
  }
  return out;
}

std::string RenderJson(const DiagnosticSink& sink) {
  const SourceSet& sources = sink.sources();
  auto all = nlohmann::ordered_json::array();
  for (const Diagnostic& d : sink.Sorted()) {
    nlohmann::ordered_json entry = {{"severity", Word(d.severity())}, {"code", CodeOf(d.diag)}};
    entry.update(Place(sources, d.range));
    entry["message"] = d.message;
    entry["notes"] = nlohmann::ordered_json::array();
    for (const Note& note : d.notes) {
      nlohmann::ordered_json place = Place(sources, note.range);
      place["message"] = note.message;
      entry["notes"].push_back(std::move(place));
    }
    for (auto from = sources.file(d.range.file).included_from; from;
         from = sources.file(from->file).included_from) {
      entry["included_from"].push_back(Place(sources, *from));
    }
    all.push_back(std::move(entry));
  }
  // A source text may hold any bytes; what is not UTF-8 is replaced, never a reason to fail.
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace exh::dsl

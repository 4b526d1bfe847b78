// SPDX-License-Identifier: MIT
#include "search/page/again/requirements.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "runtime/space.h"
#include "search/page/program_folder.h"

namespace exh::search {
namespace {

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Blanks that a line begins with; 0 for one that has nothing else.
std::size_t IndentOf(std::string_view line) {
  const std::size_t indent = line.find_first_not_of(' ');
  return indent == line.npos ? 0 : indent;
}

/// The text of a file of the space; empty when it is nowhere.
std::string SpaceText(const std::string& file) {
  for (const std::string& path : SpacePaths(ProgramFolder(), file)) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) continue;
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  return "";
}

/// Where each name that a dead end may have is declared.
std::map<std::string, runtime::Position> Places(const runtime::Space& space) {
  std::map<std::string, runtime::Position> places;
  for (const runtime::Requirement& one : space.requirements) places[one.label] = one.position;
  for (const runtime::Choice& choice : space.choices) places[choice.name] = choice.position;
  for (const runtime::Trigger& trigger : space.triggers) places[trigger.label] = trigger.position;
  return places;
}

}  // namespace

std::string DeclarationAt(std::string_view text, int line) {
  const std::vector<std::string_view> lines = LinesOf(text);
  if (line < 1 || static_cast<std::size_t>(line) > lines.size()) return "";
  std::size_t begin = static_cast<std::size_t>(line) - 1, end = begin + 1;
  const std::size_t indent = IndentOf(lines[begin]);
  const auto is_comment = [&](std::string_view text_line) {
    return IndentOf(text_line) == indent && text_line.substr(indent).starts_with("//");
  };
  while (begin > 0 && is_comment(lines[begin - 1])) --begin;
  while (end < lines.size() && IndentOf(lines[end]) > indent) ++end;
  std::string declaration;
  for (std::size_t i = begin; i < end; ++i) declaration += std::string(lines[i]) + "\n";
  return declaration;
}

std::vector<std::string> SpacePaths(const std::string& program_folder, const std::string& file) {
  const std::filesystem::path folder(program_folder);
  const std::string name = file.starts_with("kernels/") ? file.substr(8) : file;
  return {(folder / "../share/exhaust" / name).lexically_normal().string(),
          (folder / "../../.." / file).lexically_normal().string()};
}

void WriteRequirements(const std::set<std::string>& dead_ends, const Log& log,
                       const Rebuilt& rebuilt, ScriptJson& json) {
  json.Key("requirements").Open('[');
  if (rebuilt.trouble().empty()) {
    const auto places = Places(rebuilt.root().instance().space());
    std::set<std::string> labels = dead_ends;
    if (log.end) {
      for (const auto& [label, count] : log.end->dead_ends) labels.insert(label);
    }
    std::map<std::string, std::string> texts;
    for (const std::string& label : labels) {
      const auto place = places.find(label);
      if (place == places.end() || place->second.file.empty()) continue;
      const auto& [file, line] = place->second;
      if (!texts.contains(file)) texts[file] = SpaceText(file);
      json.Open('{');
      json.Key("label").Text(label);
      json.Key("place").Text(fmt::format("{}:{}", file, line));
      json.Key("text").Text(DeclarationAt(texts[file], line), 3000);
      json.Close();
    }
  }
  json.Close();
}

}  // namespace exh::search

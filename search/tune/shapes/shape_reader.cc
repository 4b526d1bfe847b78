// SPDX-License-Identifier: MIT
#include "search/tune/shapes/shape_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/numbers.h"
#include "base/system/user_file.h"

namespace exh::search {
namespace {

/// The first line that says something.
std::string_view FirstLine(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    if (!line.empty()) return line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

AskedShapes ReadAny(const std::string& path, std::string_view text, const std::string& type) {
  if (path.ends_with(".jsonl")) {
    return ReadJsonLines(text, std::filesystem::path(path).parent_path().string(), type);
  }
  const std::string_view first = FirstLine(text);
  if (first.starts_with("Validator,") || first.find("TunableOp_") != std::string_view::npos) {
    return ReadTunableOp(text);
  }
  if (path.ends_with(".csv") && !first.empty()) return ReadGemmTable(text, type);
  throw UsageError(
      fmt::format("'{}' is no file of shapes: a .jsonl with a line such as {{\"kernel\": "
                  "\"matmul\", \"sizes\": "
                  "{{\"m\": 512}}}}, or a .csv of PyTorch's TunableOp or of aiter",
                  path));
}

}  // namespace

ShapeList ReadShapes(const std::string& path, const std::string& type) {
  const std::string text = ReadUserFile(path);
  AskedShapes asked = ReadAny(path, text, type);
  ShapeList list;
  std::map<std::string, int> lines;
  for (const AskedShape& one : asked.shapes) {
    try {
      TuneShape shape = Resolve(one);
      const auto [known, is_new] = lines.emplace(shape.name, shape.line);
      if (is_new) {
        list.shapes.push_back(std::move(shape));
      } else {
        list.notes.push_back(fmt::format("{}:{}: the same as line {}: {}", path, one.line,
                                         known->second, shape.name));
      }
    } catch (const UsageError& error) {
      asked.mistakes.emplace_back(one.line, error.what());
    }
  }
  std::ranges::stable_sort(asked.mistakes, {}, &std::pair<int, std::string>::first);
  for (const auto& [line, what] : asked.mistakes) {
    list.mistakes.push_back(fmt::format("{}:{}: {}", path, line, what));
  }
  if (list.shapes.empty() && list.mistakes.empty()) {
    throw UsageError(fmt::format("'{}' has no shapes", path));
  }
  return list;
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/commands/fused/operators.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/system/user_file.h"

namespace exh::search {

namespace fused = kernels::fused;

std::optional<fused::Graph> ReadOneOperator(const std::string& path) {
  fused::ReadResult result = fused::ReadOperator(ReadUserFile(path));
  for (const fused::Mistake& mistake : result.mistakes) {
    fmt::print(stderr, "{}: {}\n", path, fused::TextOf(mistake));
  }
  return std::move(result.graph);
}

void ForEachOperator(std::string_view text,
                     const std::function<bool(std::size_t, const fused::ReadResult&)>& visit) {
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (!visit(line, fused::ReadOperator(one))) return;
  }
}

std::string PlaceOf(const fused::ReadResult& result, std::size_t line) {
  std::string place = fmt::format("line {}", line);
  for (const std::string* part : {&result.network, &result.level, &result.file}) {
    if (!part->empty()) place += (part == &result.network ? " " : "/") + *part;
  }
  return place;
}

void AddFusedCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "fused", "fused operators as JSON (docs/fused.md): how fast they are by their schedules");
  AddFusedCheck(*command, invocation);
  AddFusedExplain(*command, invocation);
  AddFusedSearch(*command, invocation);
  AddFusedRun(*command, invocation);
}

}  // namespace exh::search

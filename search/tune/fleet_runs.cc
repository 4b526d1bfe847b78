// SPDX-License-Identifier: MIT
#include "search/tune/fleet_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "search/log/log_reader.h"
#include "search/tune/fleet_folder.h"
#include "search/tune/shape_state.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;

/// What lies in a fleet beside its shapes.
constexpr std::array kNoShapes = {"board", "slurm", "tune"};

/// "fleet/" of "fleet/matmul-m512/".
std::pair<std::string, std::string> FolderAndName(std::string name) {
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  const fs::path path(name);
  const std::string folder = path.parent_path().string();
  return {folder.empty() ? "." : folder, path.filename().string()};
}

}  // namespace

FleetRuns RunsWithBest(const std::vector<std::string>& names) {
  FleetRuns runs;
  for (const std::string& name : names) {
    const auto [folder, shape] = FolderAndName(name);
    if (shape.find('@') != std::string::npos || !IsFleet(folder)) {
      runs.runs.push_back(name);
      continue;
    }
    if (std::ranges::find(kNoShapes, shape) != kNoShapes.end()) continue;
    try {
      TuneShape one;
      one.name = shape;
      const std::optional<Log> log = LogIfBegun(FleetFolder(folder), one);
      if (log && log->Best() != nullptr) {
        runs.runs.push_back(name);
      } else {
        runs.left_out.push_back(fmt::format("{}: nothing correct was found yet", name));
      }
    } catch (const Error& error) {
      runs.left_out.push_back(error.what());
    }
  }
  return runs;
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/tune/fleet_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/numbers.h"

namespace exh::search {
namespace {

constexpr ShapePhase kPhases[] = {ShapePhase::kDone, ShapePhase::kRunning, ShapePhase::kWaiting,
                                  ShapePhase::kFailed};

std::size_t Count(const std::vector<ShapeStatus>& all, ShapePhase phase) {
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [&](const ShapeStatus& one) { return one.state.phase == phase; }));
}

}  // namespace

std::vector<ShapeStatus> StatusOf(const FleetFolder& folder, const std::vector<TuneShape>& shapes) {
  const Journals journals(folder);
  std::vector<ShapeStatus> all;
  for (const TuneShape& shape : shapes) {
    all.push_back({shape.name, StateOf(folder, shape, journals)});
  }
  return all;
}

std::string CountsOf(const std::vector<ShapeStatus>& all) {
  std::string text;
  for (const ShapePhase phase : kPhases) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", Count(all, phase), PhaseName(phase));
  }
  return text;
}

std::string StatusText(const std::vector<ShapeStatus>& all) {
  std::size_t width = 5;
  for (const ShapeStatus& one : all) width = std::max(width, one.name.size());
  std::string text = fmt::format("{:<{}}  {:<7}  {:>8}  {:>4}  {:>7}\n", "shape", width, "state",
                                 "best", "gap", "seconds");
  for (const auto& [name, state] : all) {
    const std::string best = state.best_ns > 0 ? FormatTime(state.best_ns) : "-";
    const std::string gap = state.gap() >= 0 ? fmt::format("{:.0f}%", 100 * state.gap()) : "-";
    const std::string seconds = state.seconds > 0 ? fmt::format("{:.1f}", state.seconds) : "-";
    const std::string& more = state.why.empty() ? state.note : state.why;
    text += fmt::format("{:<{}}  {:<7}  {:>8}  {:>4}  {:>7}{}{}\n", name, width,
                        PhaseName(state.phase), best, gap, seconds, more.empty() ? "" : "  ", more);
  }
  return text + CountsOf(all) + "\n";
}

std::string StatusJson(const std::vector<ShapeStatus>& all) {
  using StatusObject = nlohmann::ordered_json;
  StatusObject shapes = StatusObject::array();
  for (const auto& [name, state] : all) {
    StatusObject one = {{"shape", name}, {"state", PhaseName(state.phase)}};
    if (state.best_ns > 0) one["best_ns"] = state.best_ns;
    if (state.bound_ns > 0) one["bound_ns"] = state.bound_ns;
    if (state.gap() >= 0) one["gap"] = state.gap();
    if (state.flops > 0) one["flops"] = state.flops;
    one["seconds"] = state.seconds;
    if (!state.why.empty()) one["why"] = state.why;
    if (!state.note.empty()) one["note"] = state.note;
    shapes.push_back(std::move(one));
  }
  StatusObject counts = StatusObject::object();
  for (const ShapePhase phase : kPhases) counts[PhaseName(phase)] = Count(all, phase);
  const StatusObject json = {{"shapes", shapes}, {"counts", counts}};
  return json.dump(2, ' ', false, StatusObject::error_handler_t::replace) + "\n";
}

}  // namespace exh::search

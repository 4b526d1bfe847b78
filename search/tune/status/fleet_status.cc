// SPDX-License-Identifier: MIT
#include "search/tune/status/fleet_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/numbers.h"
#include "base/parallel.h"
#include "search/subject/problem.h"
#include "search/tune/status/yardstick_means.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;
using StatusObject = nlohmann::ordered_json;

constexpr ShapePhase kPhases[] = {ShapePhase::kDone, ShapePhase::kRunning, ShapePhase::kWaiting,
                                  ShapePhase::kFailed};
/// A report of a shape that lies in its folder; pages of fleets point to it.
constexpr const char* kReport = "report.html";

std::size_t Count(const std::vector<ShapeStatus>& all, ShapePhase phase) {
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [&](const ShapeStatus& one) { return one.state.phase == phase; }));
}

void AddInterval(const TimeInterval& time, StatusObject& json) {
  if (!time.has_interval()) return;
  json["lo_ns"] = time.lo_ns;
  json["hi_ns"] = time.hi_ns;
}

StatusObject YardsticksJson(const ShapeState& state) {
  StatusObject list = StatusObject::array();
  for (const ShapeYardstick& yardstick : state.yardsticks) {
    StatusObject one = {{"name", yardstick.name}, {"ns", yardstick.time.ns}};
    AddInterval(yardstick.time, one);
    if (const auto ratio = RatioAgainst(state, yardstick)) one["ratio"] = *ratio;
    list.push_back(std::move(one));
  }
  return list;
}

StatusObject ShapeJson(const std::string& folder, const ShapeStatus& status) {
  const auto& [shape, state] = status;
  StatusObject one = {{"shape", shape.name}, {"state", PhaseName(state.phase)}};
  one["kernel"] = KernelOf(shape);
  if (const std::string type = TypeOf(shape, state); !type.empty()) one["type"] = type;
  StatusObject sizes = StatusObject::object();
  for (const auto& [name, value] : shape.sizes) {
    if (name != kTypeOption) sizes[name] = value;
  }
  one["sizes"] = std::move(sizes);
  if (state.best.ns > 0) {
    one["best_ns"] = state.best.ns;
    AddInterval(state.best, one);
    if (state.best_bound_ns > 0) one["best_bound_ns"] = state.best_bound_ns;
  }
  if (state.bound_ns > 0) one["bound_ns"] = state.bound_ns;
  if (state.gap() >= 0) one["gap"] = state.gap();
  if (state.flops > 0) one["flops"] = state.flops;
  one["seconds"] = state.seconds;
  one["evaluations"] = state.evaluations;
  if (!state.yardsticks.empty()) one["yardsticks"] = YardsticksJson(state);
  if (!state.why.empty()) one["why"] = state.why;
  if (!state.note.empty()) one["note"] = state.note;
  std::error_code ignored;
  const std::string report = shape.name + "/" + kReport;
  if (fs::is_regular_file(fs::path(folder) / report, ignored)) one["report"] = report;
  return one;
}

StatusObject MeansJson(const std::vector<ShapeStatus>& shapes) {
  StatusObject list = StatusObject::array();
  for (const YardstickMean& mean : MeansOf(shapes)) {
    StatusObject one = {{"kernel", mean.kernel}};
    if (!mean.type.empty()) one["type"] = mean.type;
    if (!mean.yardstick.empty()) one["yardstick"] = mean.yardstick;
    one["shapes"] = mean.shapes;
    one["ratio"] = mean.mean;
    one["least"] = mean.least;
    one["most"] = mean.most;
    one["faster"] = mean.faster;
    list.push_back(std::move(one));
  }
  return list;
}

/// What logs say, each once; what they do not say is left out.
template <typename Member>
std::set<std::string> Distinct(const std::vector<ShapeStatus>& shapes, Member member) {
  std::set<std::string> texts;
  for (const ShapeStatus& one : shapes) texts.insert(one.state.*member);
  texts.erase("");
  return texts;
}

}  // namespace

std::vector<ShapeStatus> StatusOf(const FleetFolder& folder, const std::vector<TuneShape>& shapes) {
  const Journals journals(folder);
  std::vector<ShapeStatus> all(shapes.size());
  RunInParallel(shapes.size(), NumCores(), [&](std::size_t i) {
    all[i] = {shapes[i], StateOf(folder, shapes[i], journals)};
    return true;
  });
  return all;
}

FleetStatus ReadFleetStatus(const std::string& folder) {
  const FleetFolder fleet(folder);
  FleetStatus status;
  status.folder = fleet.path();
  std::vector<TuneShape> shapes;
  fleet.Read(status.options, shapes);
  status.shapes = StatusOf(fleet, shapes);
  return status;
}

std::string KernelOf(const TuneShape& shape) {
  return shape.text.empty() ? shape.kernel : fs::path(KernelFileName(shape)).stem().string();
}

std::string TypeOf(const TuneShape& shape, const ShapeState& state) {
  const auto type = std::ranges::find(shape.sizes, kTypeOption, &SizeList::value_type::first);
  return type != shape.sizes.end() ? type->second : state.type;
}

std::string CountsOf(const std::vector<ShapeStatus>& all) {
  std::string text;
  for (const ShapePhase phase : kPhases) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", Count(all, phase), PhaseName(phase));
  }
  return text;
}

std::string StatusText(const FleetStatus& fleet) {
  std::size_t width = 5;
  for (const auto& [shape, state] : fleet.shapes) width = std::max(width, shape.name.size());
  std::string text = fmt::format("{:<{}}  {:<7}  {:>8}  {:>4}  {:>7}\n", "shape", width, "state",
                                 "best", "gap", "seconds");
  for (const auto& [shape, state] : fleet.shapes) {
    const std::string best = state.best.ns > 0 ? FormatTime(state.best.ns) : "-";
    const std::string gap = state.gap() >= 0 ? fmt::format("{:.0f}%", 100 * state.gap()) : "-";
    const std::string seconds = state.seconds > 0 ? fmt::format("{:.1f}", state.seconds) : "-";
    const std::string& more = state.why.empty() ? state.note : state.why;
    text += fmt::format("{:<{}}  {:<7}  {:>8}  {:>4}  {:>7}{}{}\n", shape.name, width,
                        PhaseName(state.phase), best, gap, seconds, more.empty() ? "" : "  ", more);
  }
  return text + CountsOf(fleet.shapes) + "\n";
}

std::string StatusJson(const FleetStatus& fleet, int indent) {
  double seconds = 0;
  std::uint64_t evaluations = 0;
  StatusObject shapes = StatusObject::array();
  for (const ShapeStatus& one : fleet.shapes) {
    seconds += one.state.seconds;
    evaluations += one.state.evaluations;
    shapes.push_back(ShapeJson(fleet.folder, one));
  }
  StatusObject counts = StatusObject::object();
  for (const ShapePhase phase : kPhases) counts[PhaseName(phase)] = Count(fleet.shapes, phase);
  const StatusObject json = {{"folder", fleet.folder},
                             {"device", fleet.options.device},
                             {"budgets", fleet.options.budgets},
                             {"options", fleet.options.words},
                             {"machines", Distinct(fleet.shapes, &ShapeState::machine)},
                             {"programs", Distinct(fleet.shapes, &ShapeState::program)},
                             {"counts", counts},
                             {"seconds", seconds},
                             {"evaluations", evaluations},
                             {"means", MeansJson(fleet.shapes)},
                             {"shapes", shapes}};
  return json.dump(indent, ' ', false, StatusObject::error_handler_t::replace) + "\n";
}

}  // namespace exh::search

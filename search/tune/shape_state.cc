// SPDX-License-Identifier: MIT
#include "search/tune/shape_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "search/log/ends/log_ends.h"
#include "search/log/run_folder.h"
#include "search/subject/problem.h"
#include "search/tune/shared/winner_board.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;

/// What a process writes before anything else.
constexpr const char* kStarts = "starts";

/// A member that is a text; otherwise empty.
std::string TextIn(const nlohmann::ordered_json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Has somebody or something ended it before its time?
bool IsInterrupted(const EndRecord& end) {
  return end.why == "signal" || end.why == "broken";
}

/// What was measured beside the best, and is none of the fleet's own.
std::vector<ShapeYardstick> YardsticksOf(const Log& log) {
  std::vector<ShapeYardstick> yardsticks;
  for (const ReferenceRecord& record : log.references) {
    const bool is_own = record.name == "winner" || record.name.starts_with("record ");
    const TimeInterval time = IntervalOf(record);
    if (is_own || record.verdict != kernels::Verdict::kCorrect || time.ns <= 0) continue;
    yardsticks.push_back({record.name, time});
  }
  std::ranges::stable_sort(yardsticks, {}, [](const ShapeYardstick& one) { return one.time.ns; });
  return yardsticks;
}

/// What the log adds to the state of a shape.
void AddLog(const Log& log, ShapeState& state) {
  const RunRecord& run = *log.run;
  state.seconds = log.last_dt;
  for (const EvalRecord& eval : log.evals) {
    state.evaluations = std::max(state.evaluations, eval.n);
  }
  state.best = BestTimeOf(log);
  if (const EvalRecord* const best = log.Best()) state.best_bound_ns = best->bound_ns;
  if (log.end) state.bound_ns = log.end->bound_ns;
  state.flops = run.flops;
  if (const auto type = run.words.find(kTypeOption); type != run.words.end()) {
    state.type = type->second;
  }
  state.machine = DeviceKey(run.device, run.limits);
  state.program = run.tool;
  state.yardsticks = YardsticksOf(log);
}

}  // namespace

const char* PhaseName(ShapePhase phase) {
  switch (phase) {
    case ShapePhase::kWaiting:
      return "waiting";
    case ShapePhase::kRunning:
      return "running";
    case ShapePhase::kDone:
      return "done";
    case ShapePhase::kFailed:
      return "failed";
  }
  return "";
}

Journals::Journals(const FleetFolder& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.journals(), error)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".jsonl")) continue;
    const bool is_written = IsWritten(path);
    const std::vector<ReadLine> lines = ReadLines(path);
    // What was begun before is no business of the process that writes now.
    int start = 0;
    for (const ReadLine& line : lines) {
      if (TextIn(line.json, "what") == kStarts) start = line.number;
    }
    for (const ReadLine& line : lines) {
      const std::string shape = TextIn(line.json, "shape");
      if (shape.empty()) continue;
      Said said{TextIn(line.json, "what"), TextIn(line.json, "why"), TextIn(line.json, "at"),
                is_written && line.number > start};
      Said& last = said_[shape];
      if (said.at >= last.at) last = std::move(said);
    }
  }
}

bool Journals::IsRunning(const std::string& shape) const {
  const auto said = said_.find(shape);
  return said != said_.end() && said->second.is_alive && said->second.what == "begins";
}

std::optional<std::string> Journals::Failure(const std::string& shape) const {
  const auto said = said_.find(shape);
  if (said == said_.end() || said->second.what != "fails") return std::nullopt;
  return said->second.why;
}

nlohmann::ordered_json JournalLine(const std::string& shape, const std::string& what,
                                   const std::string& why) {
  nlohmann::ordered_json line;
  if (!shape.empty()) line["shape"] = shape;
  line["what"] = what;
  if (!why.empty()) line["why"] = why;
  line["at"] = TimeStamp();
  return line;
}

std::optional<Log> LogIfBegun(const FleetFolder& folder, const TuneShape& shape) {
  std::error_code error;
  const fs::path path = folder.LogOf(shape);
  if (!fs::exists(path, error) || fs::file_size(path, error) == 0) return std::nullopt;
  {
    std::ifstream file(path, std::ios::binary);
    std::string line;
    if (!std::getline(file, line) || file.eof()) return std::nullopt;
  }
  return ReadLogEnds(folder.RunOf(shape));
}

bool IsDone(const Log& log) {
  return log.end && !IsInterrupted(*log.end) && log.Best() != nullptr;
}

ShapeState StateOf(const FleetFolder& folder, const TuneShape& shape, const Journals& journals) {
  ShapeState state;
  std::optional<Log> log;
  try {
    log = LogIfBegun(folder, shape);
  } catch (const Error& error) {
    state.phase = ShapePhase::kFailed;
    state.why = error.what();
    return state;
  }
  if (log) AddLog(*log, state);
  const std::optional<std::string> failure = journals.Failure(shape.name);
  if (journals.IsRunning(shape.name)) {
    state.phase = ShapePhase::kRunning;
  } else if (log && IsDone(*log)) {
    state.phase = ShapePhase::kDone;
  } else if (failure) {
    state.phase = ShapePhase::kFailed;
    state.why = *failure;
  } else if (log && log->end && !IsInterrupted(*log->end)) {
    state.phase = ShapePhase::kFailed;
    state.why = "no implementation was found to be correct";
  } else if (log) {
    state.note = fmt::format("interrupted after {:.0f} s", log->last_dt);
  }
  return state;
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/page/columns.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/evaluation.h"
#include "search/log/decisions.h"
#include "search/log/log_text.h"
#include "search/log/times/best_time.h"

namespace exh::search {
namespace {

/// A column of numbers; none when all of them are 0.
template <typename Get>
void WriteColumn(const Log& log, std::string_view name, ScriptJson& json, const Get& get) {
  if (std::ranges::all_of(log.evals, [&](const EvalRecord& eval) { return get(eval) == 0; })) {
    return;
  }
  ScriptJson column;
  column.Open('[');
  for (const EvalRecord& eval : log.evals) {
    const auto value = get(eval);
    if constexpr (std::is_floating_point_v<decltype(value)>) {
      column.Number(value);
    } else {
      column.Integer(static_cast<std::int64_t>(value));
    }
  }
  column.Close();
  json.Key(name).Column(column.Take());
}

void WriteIntegers(std::span<const int> values, ScriptJson& json) {
  ScriptJson column;
  column.Open('[');
  for (const int value : values) column.Integer(value);
  column.Close();
  json.Column(column.Take());
}

/// Different texts, each once.
class Dictionary {
 public:
  explicit Dictionary(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Its index; -2 when there is no place for it.
  int Add(const std::string& text) {
    const auto [entry, is_new] = index_.try_emplace(text, static_cast<int>(texts_.size()));
    if (!is_new) return entry->second;
    if (bytes_ + text.size() > most_bytes_) {
      entry->second = -2;
      ++num_left_out_;
    } else {
      bytes_ += text.size();
      texts_.push_back(text);
    }
    return entry->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }
  std::size_t num_left_out() const { return num_left_out_; }

 private:
  std::size_t most_bytes_, bytes_ = 0, num_left_out_ = 0;
  std::map<std::string, int> index_;
  std::vector<std::string> texts_;
};

double Milliseconds(double value) {
  return std::round(value * 10) / 10;
}

/// A decision in numbers: how often it was taken.
struct Taken {
  int decision = -1;
  std::size_t times = 0;
};

/// Decisions that were taken in some evaluation, most often taken first.
std::vector<Taken> TakenDecisions(const Log& log) {
  std::map<int, std::size_t> times;
  for (const EvalRecord& eval : log.evals) {
    for (const PathStep& step : eval.path) ++times[step.decision];
  }
  std::vector<Taken> taken;
  for (const auto& [decision, count] : times) {
    if (decision >= 0) taken.push_back({decision, count});
  }
  std::ranges::stable_sort(taken, std::greater<>(), &Taken::times);
  return taken;
}

/// The value of a decision in all evaluations.
struct Column {
  std::string characters;   ///< As the vectors have them.
  std::vector<int> values;  ///< Where some are above 63; empty otherwise.

  bool IsSameEverywhere() const {
    return values.empty() ? characters.find_first_not_of(characters.front()) == std::string::npos
                          : std::ranges::all_of(values, [&](int v) { return v == values.front(); });
  }
  /// About what it takes.
  std::size_t num_bytes() const { return characters.size() + 4 * values.size(); }
};

/// Of some decisions. The vectors lie far apart in memory, and so each is looked at once for all of
/// them. `sizes` are those of the vectors.
std::vector<Column> ColumnsOf(const Log& log, std::span<const std::size_t> sizes,
                              std::span<const Taken> taken) {
  std::vector<Column> columns(taken.size());
  for (Column& column : columns) column.characters.resize(sizes.size(), '.');
  for (std::size_t number = 0; number < sizes.size(); ++number) {
    const std::string& vector = log.evals[number].vector;
    for (std::size_t t = 0; t < taken.size(); ++t) {
      const auto index = static_cast<std::size_t>(taken[t].decision);
      if (index < sizes[number]) columns[t].characters[number] = vector[index];
    }
  }
  for (std::size_t t = 0; t < taken.size(); ++t) {
    if (columns[t].characters.find(kFarValue) == std::string::npos) continue;
    const auto index = static_cast<std::size_t>(taken[t].decision);
    for (std::size_t number = 0; number < sizes.size(); ++number) {
      const bool has_it = index < sizes[number];
      columns[t].values.push_back(has_it ? VectorValue(log.evals[number].vector, index) : -1);
    }
  }
  return columns;
}

void WriteDecision(const Log& log, const Taken& taken, const Column& column, ScriptJson& json) {
  const auto index = static_cast<std::size_t>(taken.decision);
  const bool is_known = index < log.choices.size() && log.choices[index].index == taken.decision;
  json.Open('{');
  json.Key("name").Text(DecisionName(log, taken.decision));
  json.Key("choice").Text(is_known ? log.choices[index].name : "");
  json.Key("values").Texts(is_known ? log.choices[index].domain : std::vector<std::string>());
  if (is_known && !log.choices[index].ranges.empty()) {
    json.Key("ranges").Open('[');
    for (const LoggedRange& range : log.choices[index].ranges) {
      json.Open('[');
      json.Integer(range.first);
      json.Integer(range.last);
      json.Close();
    }
    json.Close();
  }
  json.Key("taken").Integer(static_cast<std::int64_t>(taken.times));
  json.Key("column");
  if (column.values.empty()) {
    json.Column(ScriptString(column.characters, column.characters.size()));
  } else {
    WriteIntegers(column.values, json);
  }
  json.Close();
}

}  // namespace

void WriteEvaluations(const Log& log, const ColumnLimits& limits, ScriptJson& json) {
  Dictionary verdicts(std::string::npos), reasons(limits.reasons);
  std::vector<int> verdict, reason;
  for (const EvalRecord& eval : log.evals) {
    verdict.push_back(verdicts.Add(std::string(kernels::VerdictName(eval.verdict))));
    reason.push_back(eval.why.empty() ? -1 : reasons.Add(eval.why.substr(0, limits.reason + 1)));
  }
  json.Key("count").Integer(static_cast<std::int64_t>(log.evals.size()));
  json.Key("evals").Open('{');
  WriteColumn(log, "n", json, [](const EvalRecord& eval) { return eval.n; });
  WriteColumn(log, "dt", json,
              [](const EvalRecord& eval) { return std::round(eval.dt * 1000) / 1000; });
  for (const auto& [name, column] : {std::pair("verdict", &verdict), {"reason", &reason}}) {
    WriteIntegers(*column, json.Key(name));
  }
  WriteColumn(log, "ns", json, [](const EvalRecord& eval) { return eval.best_ns; });
  WriteColumn(log, "again", json, [](const EvalRecord& eval) { return eval.again_ns; });
  WriteColumn(log, "estimate", json, [](const EvalRecord& eval) { return eval.estimate_ns; });
  WriteColumn(log, "bound", json, [](const EvalRecord& eval) { return eval.bound_ns; });
  WriteColumn(log, "compile", json,
              [](const EvalRecord& eval) { return Milliseconds(eval.compile_ms); });
  WriteColumn(log, "check", json,
              [](const EvalRecord& eval) { return Milliseconds(eval.check_ms); });
  WriteColumn(log, "error", json,
              [](const EvalRecord& eval) { return std::round(eval.error_ratio * 1000) / 1000; });
  WriteColumn(log, "registers", json, [](const EvalRecord& eval) { return eval.registers; });
  WriteColumn(log, "blocks", json, [](const EvalRecord& eval) { return eval.blocks_per_sm; });
  WriteColumn(log, "clock", json, [](const EvalRecord& eval) { return eval.clock_mhz; });
  WriteColumn(log, "memory", json, [](const EvalRecord& eval) { return eval.memory_bytes; });
  WriteColumn(log, "workspace", json, [](const EvalRecord& eval) { return eval.workspace_bytes; });
  const auto typical = [](const EvalRecord& eval) {
    const bool is_on_front = eval.verdict == kernels::Verdict::kCorrect && eval.memory_bytes > 0;
    return is_on_front ? TypicalTime(eval) : 0;
  };
  WriteColumn(log, "typical", json, typical);
  json.Close();
  json.Key("verdicts").Texts(verdicts.texts());
  json.Key("reasons").Texts(reasons.texts(), limits.reason);
  json.Key("reasonsLeftOut").Integer(static_cast<std::int64_t>(reasons.num_left_out()));
}

void WriteDecisions(const Log& log, std::size_t most, ScriptJson& json) {
  std::size_t num_left_out = 0;
  std::vector<std::size_t> sizes;
  for (const EvalRecord& eval : log.evals) sizes.push_back(VectorSize(eval.vector));
  const std::size_t begin = json.size();
  json.Key("decisions").Open('[');
  const std::vector<Taken> taken = TakenDecisions(log);
  constexpr std::size_t kBytesAtOnce = 64 << 20;
  const std::size_t at_once = std::max<std::size_t>(1, kBytesAtOnce / (sizes.size() + 1));
  for (std::size_t first = 0; first < taken.size(); first += at_once) {
    const auto some = std::span(taken).subspan(first, std::min(at_once, taken.size() - first));
    const std::vector<Column> columns = ColumnsOf(log, sizes, some);
    for (std::size_t t = 0; t < some.size(); ++t) {
      if (columns[t].IsSameEverywhere()) continue;
      if (json.size() - begin + columns[t].num_bytes() > most) {
        ++num_left_out;
        continue;
      }
      WriteDecision(log, some[t], columns[t], json);
    }
  }
  json.Close();
  json.Key("decisionsLeftOut").Integer(static_cast<std::int64_t>(num_left_out));
}

}  // namespace exh::search

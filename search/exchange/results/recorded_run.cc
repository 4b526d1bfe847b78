// SPDX-License-Identifier: MIT
#include "search/exchange/results/recorded_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "base/spelling.h"
#include "dsl/dsl.h"
#include "load/load.h"
#include "search/descend/choice_order.h"
#include "search/exchange/exh_names.h"
#include "search/exchange/results/time_stamp.h"
#include "search/log/decisions.h"
#include "search/log/event_log.h"
#include "search/log/run_folder.h"
#include "search/own/own_text.h"

namespace exh::search {
namespace {

using runtime::Candidate;
using runtime::DecisionId;

constexpr double kMicros = 1e6;

/// The name that a decision has elsewhere, with its objects.
std::string NameIn(const ChoiceRecord& choice, const OriginalNames& names) {
  const auto found = names.choices.find(choice.name);
  const std::string& name = found == names.choices.end() ? choice.name : found->second;
  return choice.args.empty() ? name : fmt::format("{}({})", name, fmt::join(choice.args, ","));
}

/// A space whose decisions have names elsewhere.
class NamedSpace {
 public:
  explicit NamedSpace(const SpaceFile& file) {
    dsl::DiagnosticSink sink;
    const auto spec = dsl::CompileText(file.path, file.text, {}, sink);
    std::optional<load::LoadedSpace> loaded;
    if (spec) {
      const load::Given given{file.sizes, file.data, file.data_name};
      loaded = load::LoadSpace(*spec, NameOf(file.path), sink, given);
    }
    if (!loaded) throw UsageError(dsl::RenderText(sink));
    try {
      instance_ = load::Freeze(*loaded);
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
    names_ = OriginalNamesOf(*spec);
    const std::vector<ChoiceRecord> records = ChoiceRecords(*instance_);
    for (const std::string& choice : SearchedChoices(*instance_)) {
      const int number = instance_->FindChoice(choice);
      for (DecisionId decision = instance_->first_decision(number);
           decision < instance_->end_decision(number); ++decision) {
        Add(decision, records[decision]);
      }
    }
  }

  static std::string NameOf(const std::string& path) {
    const std::string name = path.substr(path.find_last_of('/') + 1);
    return name.substr(0, name.find('.'));
  }

  const runtime::Instance& instance() const { return *instance_; }

  /// The implementation with this configuration and its path; nothing: it is none of the space.
  /// Throws UsageError when the parameters are others.
  std::optional<std::pair<Candidate, Path>> Find(const Json& configuration,
                                                 const std::string& where) const {
    std::vector<std::string> known;
    for (const Parameter& parameter : parameters_) known.push_back(parameter.name);
    for (const auto& [name, value] : configuration.items()) {
      if (std::ranges::find(known, name) == known.end()) {
        throw UsageError(fmt::format("{}: {}", where, UnknownName("parameter", name, known)));
      }
    }
    if (instance_->root_result() == runtime::Propagation::kDeadEnd) return std::nullopt;
    std::pair<Candidate, Path> made{Candidate(instance_), {}};
    for (const Parameter& parameter : parameters_) {
      const auto value = configuration.find(parameter.name);
      if (value == configuration.end()) {
        throw UsageError(fmt::format("{} has no '{}'", where, parameter.name));
      }
      const auto found = std::ranges::find(parameter.values, *value);
      if (found == parameter.values.end()) return std::nullopt;
      const int index = static_cast<int>(found - parameter.values.begin());
      const bool is_open = !made.first.IsConstrained(parameter.decision);
      if (!is_open && made.first.FirstValue(parameter.decision) != index) return std::nullopt;
      if (!is_open) continue;
      if (made.first.Take(parameter.decision, index) != runtime::Propagation::kFixpoint) {
        return std::nullopt;
      }
      made.second.push_back({static_cast<int>(parameter.decision), index});
    }
    if (!made.first.IsImplementation()) return std::nullopt;
    return made;
  }

 private:
  struct Parameter {
    DecisionId decision = 0;
    std::string name;
    std::vector<Json> values;  ///< By index.
  };

  void Add(DecisionId decision, const ChoiceRecord& record) {
    Parameter parameter;
    parameter.decision = decision;
    parameter.name = NameIn(record, names_);
    const auto values = names_.values.find(record.name);
    const auto universe = instance_->universe(decision);
    for (int i = 0; i < instance_->num_values(decision); ++i) {
      parameter.values.push_back(values == names_.values.end()
                                     ? Json(universe[static_cast<std::size_t>(i)])
                                     : values->second.at(instance_->ValueName(decision, i)));
    }
    parameters_.push_back(std::move(parameter));
  }

  std::shared_ptr<const runtime::Instance> instance_;
  OriginalNames names_;
  std::vector<Parameter> parameters_;
};

RunRecord HeaderOf(const TuningResults& results, const SpaceFile& file, const NamedSpace& space,
                   std::int64_t started) {
  const runtime::Space& about = space.instance().space();
  RunRecord run;
  run.tool = "search import";
  run.started = TimeStampText(started);
  run.space = about.name;
  run.fingerprint = about.fingerprint;
  run.subject = kOwnSubject;
  run.kernel = NamedSpace::NameOf(file.path);
  OwnText text;
  text.files.push_back({file.path, file.text});
  text.data = file.data;
  run.sizes = file.sizes;
  run.text = WriteOwnText(text);
  run.device = results.device.empty() ? "program" : results.device;
  run.decisions = file.path;
  run.conditions = "results of another tuner";
  run.argv = {"search", "import"};
  run.order = SearchedChoices(space.instance());
  return run;
}

/// Seconds from the beginning to the end of each result: by their times of day where all have one
/// and they ascend, by what they took otherwise.
std::vector<double> TimesOf(const TuningResults& results, std::int64_t started) {
  const std::vector<TuningResult>& all = results.results;
  bool have_stamps = !all.empty() && started <= all.front().micros.value_or(INT64_MIN);
  for (std::size_t i = 0; i < all.size(); ++i) {
    have_stamps = have_stamps && all[i].micros && (i == 0 || *all[i].micros >= *all[i - 1].micros);
  }
  std::vector<double> times;
  double ms = 0;
  for (const TuningResult& result : all) {
    ms += result.compile_ms + result.check_ms + result.search_ms;
    for (const double ns : result.runtimes_ns) ms += ns / 1e6;
    times.push_back(have_stamps ? static_cast<double>(*result.micros - started) / kMicros
                                : ms / 1e3);
  }
  return times;
}

EvalRecord EvalOf(const TuningResult& result, const Candidate& candidate, Path path) {
  EvalRecord eval;
  eval.path = std::move(path);
  eval.vector = VectorText(candidate);
  eval.hash = eval.code = HashText(eval.vector);
  eval.verdict = result.verdict;
  eval.why = result.why;
  eval.compile_ms = result.compile_ms;
  eval.check_ms = result.check_ms;
  eval.runtimes_ns = result.runtimes_ns;
  eval.best_ns = result.ns;
  const bool is_correct = eval.verdict == kernels::Verdict::kCorrect;
  if (is_correct && eval.best_ns == 0 && !result.runtimes_ns.empty()) {
    eval.best_ns = std::ranges::min(result.runtimes_ns);
  }
  if (is_correct && eval.best_ns <= 0) {
    eval.verdict = kernels::Verdict::kBroken;
    eval.why = "it has no time";
  }
  return eval;
}

/// The value with this index; a number where the choice has numbers.
Json ValueOf(const ChoiceRecord& choice, int index) {
  if (!choice.domain.empty()) {
    const std::string& word = choice.domain.at(static_cast<std::size_t>(index));
    const auto number = ParseInteger(word);
    return number ? Json(*number) : Json(word);
  }
  for (const LoggedRange& range : choice.ranges) {
    const int size = static_cast<int>(range.last - range.first) + 1;
    if (index < size) return range.first + static_cast<std::uint32_t>(index);
    index -= size;
  }
  throw UsageError(fmt::format("the log has no value {} of '{}'", index, choice.name));
}

/// What the text of a run of an own program says; no names where it says none.
OriginalNames NamesOf(const RunRecord& run) {
  OriginalNames names;
  if (run.subject != kOwnSubject) return names;
  const OwnText own = ParseOwnText(run.text);
  std::map<std::string, std::string> files;
  for (const OwnFile& file : own.files) files[file.path] = file.text;
  dsl::CompileOptions options;
  options.files = &files;
  dsl::DiagnosticSink sink;
  const auto spec = dsl::CompileText(own.files.front().path, own.files.front().text, options, sink);
  return spec ? OriginalNamesOf(*spec) : names;
}

}  // namespace

RecordedRun RunOfResults(const TuningResults& results, const SpaceFile& file) {
  const NamedSpace space(file);
  const bool has_stamp = !results.results.empty() && results.results.front().micros.has_value();
  const std::int64_t now = ParseTimeStamp(TimeStamp()).value_or(0);
  const std::int64_t started =
      results.started.value_or(has_stamp ? *results.results.front().micros : now);
  RecordedRun made;
  Log& log = made.log;
  log.run = HeaderOf(results, file, space, started - started % 1'000'000);
  log.choices = ChoiceRecords(space.instance());
  const std::vector<double> times = TimesOf(results, started - started % 1'000'000);
  EndRecord end;
  for (std::size_t i = 0; i < results.results.size(); ++i) {
    const TuningResult& result = results.results[i];
    auto found = space.Find(result.configuration, fmt::format("result {}", i + 1));
    if (!found) {
      if (made.num_outside++ == 0) made.first_outside = result.configuration.dump();
      continue;
    }
    EvalRecord eval = EvalOf(result, found->first, std::move(found->second));
    eval.n = log.evals.size() + 1;
    eval.dt = times[i];
    log.last_dt = end.dt = std::max(end.dt, eval.dt);
    ++end.verdicts[std::string(kernels::VerdictName(eval.verdict))];
    const bool is_best = eval.verdict == kernels::Verdict::kCorrect &&
                         (log.bests.empty() || eval.best_ns < log.bests.back().ns);
    if (is_best) {
      log.bests.push_back({.n = eval.n, .dt = eval.dt, .ns = eval.best_ns, .hash = eval.hash});
      end.best = eval.n;
    }
    log.evals.push_back(std::move(eval));
  }
  end.why = "budget:evals";
  end.evaluations = end.descents = log.evals.size();
  log.end = std::move(end);
  return made;
}

void WriteRun(const Log& log, const std::string& folder) {
  RunFolder made(folder, log.run->kernel);
  EventLog events(made.log_path());
  events.Write(*log.run);
  for (const ChoiceRecord& choice : log.choices) events.Write(choice);
  auto best = log.bests.begin();
  for (const EvalRecord& eval : log.evals) {
    events.Write(eval);
    for (; best != log.bests.end() && best->n == eval.n; ++best) events.Write(*best);
  }
  if (log.end) events.Write(*log.end);
  made.Keep();
}

TuningResults ResultsOfRun(const Log& log) {
  TuningResults results;
  results.device = log.run->device;
  results.started = ParseTimeStamp(log.run->started);
  const OriginalNames names = NamesOf(*log.run);
  for (const EvalRecord& eval : log.evals) {
    TuningResult result;
    if (results.started) {
      result.micros = *results.started + std::llround(eval.dt * kMicros);
    }
    ForEachVectorValue(eval.vector, [&](std::size_t decision, int index) {
      if (decision >= log.choices.size() || log.choices[decision].index < 0) {
        throw UsageError(fmt::format("the log has no name of decision {}", decision));
      }
      const ChoiceRecord& choice = log.choices[decision];
      const auto values = names.values.find(choice.name);
      Json value = ValueOf(choice, index);
      if (values != names.values.end() && value.is_string()) {
        value = values->second.at(value.get<std::string>());
      }
      result.configuration[NameIn(choice, names)] = std::move(value);
    });
    result.verdict = eval.verdict;
    result.why = eval.why;
    result.compile_ms = eval.compile_ms;
    result.check_ms = eval.check_ms;
    result.runtimes_ns = eval.runtimes_ns;
    if (eval.best_ns > 0) result.ns = TimeOf(eval);
    results.results.push_back(std::move(result));
  }
  return results;
}

}  // namespace exh::search

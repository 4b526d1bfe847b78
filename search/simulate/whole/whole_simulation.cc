// SPDX-License-Identifier: MIT
#include "search/simulate/whole/whole_simulation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>

#include "base/parallel.h"
#include "base/system/scratch_folder.h"
#include "search/log/log_reader.h"
#include "search/run/explorer.h"

namespace exh::search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The best after each evaluation of a log.
Trace TraceOf(const Log& log) {
  Trace trace;
  auto next = log.bests.begin();
  double best = kInfinity;
  for (const EvalRecord& eval : log.evals) {
    for (; next != log.bests.end() && next->n <= eval.n; ++next) best = next->ns;
    trace.best.push_back(best);
  }
  return trace;
}

WholeResult::Look LookAt(const std::vector<Trace>& traces, double evaluations, double best_ns) {
  WholeResult::Look look;
  look.evaluations = evaluations;
  double logs = 0;
  for (const Trace& trace : traces) {
    look.all.push_back(trace.BestAfter(evaluations) / best_ns);
    logs += std::log(look.all.back());
  }
  look.mean = std::exp(logs / static_cast<double>(traces.size()));
  const auto [least, most] = std::ranges::minmax(look.all);
  look.least = least;
  look.most = most;
  return look;
}

/// Fills in what `result` is against the default.
void Compare(const WholeResult& usual, WholeResult& result) {
  const std::size_t seeds = usual.looks.front().all.size();
  double sum = 0, squares = 0;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    double logs = 0;
    for (std::size_t look = 0; look < usual.looks.size(); ++look) {
      logs += std::log(result.looks[look].all[seed] / usual.looks[look].all[seed]);
    }
    logs /= static_cast<double>(usual.looks.size());
    sum += logs;
    squares += logs * logs;
  }
  const auto n = static_cast<double>(seeds);
  const double mean = sum / n;
  result.against_default = std::exp(mean);
  if (seeds > 1) {
    result.error = std::sqrt(std::max(0.0, squares / n - mean * mean) / (n - 1));
  }
}

WholeResult ResultOf(const std::string& setting, const std::vector<Trace>& traces,
                     std::uint64_t evaluations, double best_ns) {
  WholeResult result;
  result.setting = setting;
  for (const double part : {0.125, 0.25, 0.5, 1.0}) {
    const double count = std::max(1.0, std::round(part * static_cast<double>(evaluations)));
    result.looks.push_back(LookAt(traces, count, best_ns));
  }
  for (const double percent : {5.0, 1.0}) {
    result.reached.push_back(ReachedOf(traces, best_ns, percent));
  }
  return result;
}

}  // namespace

Trace SimulateWhole(const WholeSpace& space, const WholeSetting& setting, std::uint64_t seed) {
  const ScratchFolder folder;
  ExplorerOptions options = space.options;
  options.seed = seed;
  options.jobs = 1;
  if (setting.change) setting.change->constant->set(options.proposer, setting.change->value);
  {
    OracleEvaluator evaluator(space.oracle, space.emit, space.most_text_bytes);
    const EvaluationsStopper stopper(space.evaluations);
    EventLog log(folder.path() + "/log.jsonl");
    log.Write(RunRecord{});
    ProgressReporter silent(ProgressMode::kNone, stderr);
    const Clock still = [] { return 0.0; };  // No time passes: nothing may depend on it.
    Explorer explorer(space.root, space.order, evaluator, stopper, log, silent, still, options);
    explorer.Run();
  }
  return TraceOf(ReadLog(folder.path()));
}

WholeResults SimulateWhole(const WholeSpace& space, std::span<const ChangedConstant> changes,
                           std::uint64_t first, int seeds, int jobs) {
  std::vector<WholeSetting> settings(1);
  for (const ChangedConstant& change : changes) settings.push_back({change});
  const auto num_seeds = static_cast<std::size_t>(seeds);
  std::vector<std::vector<Trace>> traces(settings.size(), std::vector<Trace>(num_seeds));
  RunInParallel(settings.size() * num_seeds, jobs, [&](std::size_t number) {
    const std::size_t setting = number / num_seeds, seed = number % num_seeds;
    traces[setting][seed] = SimulateWhole(space, settings[setting], first + seed);
    return true;
  });
  WholeResults results;
  for (const std::vector<Trace>& of : traces) {
    for (const Trace& trace : of) results.evaluations += trace.best.size();
  }
  for (std::size_t setting = 0; setting < settings.size(); ++setting) {
    results.settings.push_back(ResultOf(settings[setting].Text(), traces[setting],
                                        space.evaluations, space.oracle.best_ns()));
    if (setting > 0) Compare(results.settings.front(), results.settings.back());
  }
  return results;
}

}  // namespace exh::search

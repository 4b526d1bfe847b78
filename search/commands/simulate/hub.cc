// SPDX-License-Identifier: MIT
//
// `search --simulate FILE.json…`: the proposer on spaces that others have brute-forced, beside
// random search. Each file is searched by itself; what is said is after how many evaluations the
// best is within 1 % of the best of the file.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "search/commands/search_options.h"
#include "search/commands/session.h"
#include "search/commands/simulate/simulate.h"
#include "search/exact/exact_count.h"
#include "search/exchange/results/hub_file.h"
#include "search/log/run_folder.h"
#include "search/simulate/recorded_space.h"
#include "search/simulate/simulation.h"
#include "search/simulate/tables.h"
#include "search/solve/open_space.h"
#include "search/subject/registry.h"

namespace exh::search {
namespace {

/// Options that a file answers, or that mean nothing where nothing is measured.
constexpr const char* kMeaningless[] = {
    "--trace",       "--kernel",          "--device",  "--set",       "--threads",
    "--max-threads", "--deterministic",   "--stop",    "--objective", "--gpu",
    "--gpus",        "--worker",          "--l2",      "--under",     "--emit",
    "--resume",      "--resume-or-start", "--durable", "--cache",     "--first",
    "--bound",       "--progress",        "--vary"};

/// What came of one file.
struct HubResult {
  std::string file;
  std::string configurations;  ///< Of the space.
  std::size_t recorded = 0, correct = 0;
  double best_ns = 0;
  Reached random, proposer;  ///< Within 1 %.
};

std::string NumberOfConfigurations(const runtime::Candidate& root) {
  constexpr double kSeconds = 10;
  const Clock clock = SteadyClock();
  const double begin = clock();
  ExactCounter counter(root.shared_instance(), {});
  counter.set_stop([&](const CountStatus&) { return clock() - begin > kSeconds; });
  const ExactCount count = counter.Count(root);
  return count.complete ? count.count.get_str() : "";
}

HubResult ResultOf(const CLI::App& app, const SearchOptions& options, const std::string& path) {
  SpaceFile file;
  file.sizes = GivenSizes(options.problem.size);
  if (!options.problem.space.empty()) {
    file = ReadSpaceFile(options.problem.space, file.sizes, options.own.data);
  }
  RecordedRun recorded = ReadHubFile(path, file);
  if (recorded.num_outside > 0) {
    fmt::print("note: {}: {} results are left out, which the space does not allow: {}\n", path,
               recorded.num_outside, recorded.first_outside);
  }
  SimulatedRuns runs;
  runs.logs.push_back(std::move(recorded.log));
  runs.setup.runs = {path};
  runs.setup.run = *runs.logs.front().run;
  runs.setup.seed = options.seed;
  runs.setup.seeds = options.seeds;
  runs.subject = SubjectOf(runs.setup.run);

  HubResult result;
  result.file = path;
  const runtime::Candidate root = runs.subject->root();
  result.configurations = NumberOfConfigurations(root);
  const ChoiceOrder order = OrderOf(app, options, runs.setup.run, root.instance());
  const Record record(root, order, {}, LeavesOf(runs.logs, runs.setup.runs));
  if (record.num_correct() == 0) throw UsageError(path + ": nothing in it is correct");
  result.recorded = record.leaves().size();
  runs.is_complete = result.configurations == fmt::format("{}", result.recorded);
  result.correct = record.num_correct();
  result.best_ns = record.best_ns();
  result.random = SimulateAll(record, ParseSimulatedPolicy("random"), options.seed, options.seeds)
                      .reached.back();
  ForWholeSpace(app, options, runs, [&](const WholeSpace& space) {
    const int jobs = options.jobs.value_or(NumCores());
    const WholeResults results = SimulateWhole(space, {}, options.seed, options.seeds, jobs);
    result.proposer = results.settings.front().reached.back();
  });
  return result;
}

std::string FactorText(double factor) {
  return std::isfinite(factor) && factor > 0 ? fmt::format("{:.2f}", factor) : "-";
}

/// Of what is finite; 0: nothing is.
double GeometricMean(const std::vector<double>& numbers, std::size_t& count) {
  double logs = 0;
  count = 0;
  for (const double number : numbers) {
    if (!std::isfinite(number) || number <= 0) continue;
    logs += std::log(number);
    ++count;
  }
  return count == 0 ? 0 : std::exp(logs / static_cast<double>(count));
}

std::string TextOf(const std::vector<HubResult>& results, int seeds, std::uint64_t evaluations) {
  std::vector<std::vector<std::string>> rows = {
      {"file", "space", "recorded", "correct", "best", "random", "proposer", "random/proposer"}};
  std::vector<double> random, proposer, factors;
  for (const HubResult& result : results) {
    random.push_back(result.random.median);
    proposer.push_back(result.proposer.median);
    factors.push_back(result.random.median / result.proposer.median);
    rows.push_back({result.file, result.configurations.empty() ? "-" : result.configurations,
                    fmt::format("{}", result.recorded), fmt::format("{}", result.correct),
                    FormatTime(result.best_ns), ReachedText(result.random),
                    ReachedText(result.proposer), FactorText(factors.back())});
  }
  std::string text = fmt::format(
      "evaluations until the best is within 1 % of that of the file, median of {} seeds "
      "(least-most); the proposer makes at most {}:\n{}",
      seeds, evaluations, TableText(rows));
  if (results.size() == 1) return text;
  std::size_t of_random = 0, of_proposer = 0, of_both = 0;
  const double mean_random = GeometricMean(random, of_random);
  const double mean_proposer = GeometricMean(proposer, of_proposer);
  const double mean = GeometricMean(factors, of_both);
  return text + fmt::format(
                    "geometric means: random {:.1f} ({} of {} files), proposer {:.1f} "
                    "({} of {}), random/proposer {:.2f} ({} of {})\n",
                    mean_random, of_random, results.size(), mean_proposer, of_proposer,
                    results.size(), mean, of_both, results.size());
}

std::string JsonTextOf(const std::vector<HubResult>& results, const SearchOptions& options) {
  Json json = {{"format", 1}, {"seed", options.seed}, {"seeds", options.seeds}};
  for (const HubResult& result : results) {
    json["files"].push_back({{"file", result.file},
                             {"space", result.configurations},
                             {"recorded", result.recorded},
                             {"correct", result.correct},
                             {"best_ns", result.best_ns},
                             {"random", ReachedJson({result.random})},
                             {"proposer", ReachedJson({result.proposer})}});
  }
  return json.dump(1) + "\n";
}

}  // namespace

int SimulateHub(const CLI::App& app, const SearchOptions& options) {
  RefuseOptions(app, kMeaningless, "--simulate of files",
                "--space, --size, --data, --budget evals=2000, --seeds, --seed, --jobs, --policy, "
                "--topk, --delta, "
                "--epsilon, --local, --screen, --order and --out");
  if (options.seeds < 1 || options.seeds > 1000) throw UsageError("--seeds must be 1 to 1000");
  CheckRunOptions(options);
  for (const std::string& file : options.simulate) {
    if (file.ends_with(".json")) continue;
    throw UsageError(fmt::format(
        "--simulate takes runs, or files of other tuners (.json), not both: '{}'", file));
  }
  std::vector<HubResult> results;
  for (const std::string& file : options.simulate) {
    results.push_back(ResultOf(app, options, file));
  }
  fmt::print("{}", TextOf(results, options.seeds, EvaluationsOf(options)));
  if (!options.out.empty()) WriteFile(options.out, JsonTextOf(results, options));
  return 0;
}

}  // namespace exh::search

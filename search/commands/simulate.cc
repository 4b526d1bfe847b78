// SPDX-License-Identifier: MIT
#include "search/commands/simulate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "search/descend/choice_order.h"
#include "search/log/log_reader.h"
#include "search/log/replay.h"
#include "search/log/run_folder.h"
#include "search/simulate/recorded_space.h"
#include "search/simulate/simulation.h"
#include "search/simulate/simulation_report.h"
#include "search/subject/registry.h"

namespace exh::search {
namespace {

/// Options that a record answers, or that mean nothing where nothing is measured.
constexpr const char* kMeaningless[] = {
    "--kernel",        "--size",   "--device", "--space", "--set",   "--threads", "--max-threads",
    "--deterministic", "--budget", "--stop",   "--topk",  "--delta", "--epsilon", "--jobs",
    "--objective",     "--gpu",    "--l2",     "--under", "--emit",  "--resume",  "--durable"};

void CheckOptions(const CLI::App& app, const SearchOptions& options) {
  for (const char* option : kMeaningless) {
    if (app.count(option) == 0) continue;
    throw UsageError(
        fmt::format("{} means nothing with --simulate; it takes --policy (such as "
                    "tag,topk=20,bound=off), --seeds, --seed, --order and --out",
                    option));
  }
  if (options.seeds < 1 || options.seeds > 1000) throw UsageError("--seeds must be 1 to 1000");
}

std::vector<SimulatedPolicy> PoliciesOf(const SearchOptions& options) {
  std::vector<std::string> names = options.policies;
  if (names.empty()) names = {"tag", "tag,bound=off", "uct", "bound", "uniform", "random"};
  std::vector<SimulatedPolicy> policies;
  for (const std::string& name : names) policies.push_back(ParseSimulatedPolicy(name));
  return policies;
}

/// The bound of the space as it is now: runs without a tree have none of their own.
SearchBound CurrentBound(const Subject& subject, const RunRecord& run) {
  if (!run.bound.empty()) return BoundOf(subject, run);
  try {
    return subject.Bound(run.is_cold(), WhichRates::kOfThisMachine);
  } catch (const UsageError& error) {
    fmt::print("note: no lower bound: {}\n", error.what());
    return {};
  }
}

}  // namespace

int Simulate(const CLI::App& app, const SearchOptions& options) {
  CheckOptions(app, options);
  const std::vector<SimulatedPolicy> policies = PoliciesOf(options);
  std::vector<Log> logs;
  for (const std::string& run : options.simulate) logs.push_back(ReadLog(run));
  std::vector<RecordedLeaf> leaves = LeavesOf(logs, options.simulate);
  SimulationSetup setup;
  setup.runs = options.simulate;
  setup.run = *logs.front().run;
  setup.seed = options.seed;
  setup.seeds = options.seeds;
  for (std::size_t run = 0; run < logs.size(); ++run) {
    const std::string& policy = logs[run].run->policy;
    if (policy == "random") continue;
    fmt::print("note: '{}' was searched with '{}': it holds more of what that policy likes\n",
               options.simulate[run], policy);
  }
  const std::unique_ptr<Subject> subject = SubjectOf(setup.run);
  const runtime::Candidate root = subject->root();
  CheckSameSpace(logs.front(), options.simulate.front(), root.instance());
  const std::string names =
      app.count("--order") > 0 ? options.order : fmt::format("{}", fmt::join(setup.run.order, ","));
  const ChoiceOrder order = ChoiceOrder::Parse(names, root.instance());
  const SearchBound bound = CurrentBound(*subject, setup.run);
  setup.bound = bound.name;
  const Record record(root, order, bound.bound, std::move(leaves));
  if (record.num_correct() == 0) throw UsageError("nothing that was recorded is correct");
  std::vector<SimulationResult> results;
  for (const SimulatedPolicy& policy : policies) {
    results.push_back(SimulateAll(record, policy, setup.seed, setup.seeds));
  }
  fmt::print("{}", SimulationText(setup, record, results));
  if (!options.out.empty()) WriteFile(options.out, SimulationJson(setup, record, results));
  return 0;
}

}  // namespace exh::search

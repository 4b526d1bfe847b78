// SPDX-License-Identifier: MIT
#include "search/commands/simulate/simulate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "search/descend/choice_order.h"
#include "search/log/replay.h"
#include "search/log/run_folder.h"
#include "search/simulate/recorded_space.h"
#include "search/simulate/simulation.h"
#include "search/subject/registry.h"

namespace exh::search {
namespace {

/// Options that a record answers, or that mean nothing where nothing is measured.
constexpr const char* kMeaningless[] = {
    "--trace",   "--kernel",      "--size",          "--device",    "--space", "--set",
    "--threads", "--max-threads", "--deterministic", "--budget",    "--stop",  "--topk",
    "--delta",   "--epsilon",     "--jobs",          "--objective", "--gpu",   "--l2",
    "--under",   "--emit",        "--resume",        "--durable",   "--vary"};

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

int SimulatePolicies(const CLI::App& app, const SearchOptions& options) {
  RefuseOptions(app, kMeaningless, "--simulate",
                "--policy (such as tag,topk=20,bound=off), --seeds, --seed, --order, --out and "
                "--whole");
  const std::vector<SimulatedPolicy> policies = PoliciesOf(options);
  SimulatedRuns runs = ReadSimulatedRuns(options);
  SimulationSetup& setup = runs.setup;
  std::vector<RecordedLeaf> leaves = LeavesOf(runs.logs, options.simulate);
  for (std::size_t run = 0; run < runs.logs.size(); ++run) {
    const std::string& policy = runs.logs[run].run->policy;
    if (policy == "random") continue;
    fmt::print("note: '{}' was searched with '{}': it holds more of what that policy likes\n",
               options.simulate[run], policy);
  }
  const runtime::Candidate root = runs.subject->root();
  CheckSameSpace(runs.logs.front(), options.simulate.front(), root.instance());
  const ChoiceOrder order = OrderOf(app, options, setup.run, root.instance());
  const SearchBound bound = CurrentBound(*runs.subject, setup.run);
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

}  // namespace

void RefuseOptions(const CLI::App& app, std::span<const char* const> meaningless, const char* mode,
                   const char* takes) {
  for (const char* option : meaningless) {
    if (app.count(option) == 0) continue;
    throw UsageError(fmt::format("{} means nothing with {}; it takes {}", option, mode, takes));
  }
}

SimulatedRuns ReadSimulatedRuns(const SearchOptions& options) {
  if (options.seeds < 1 || options.seeds > 1000) throw UsageError("--seeds must be 1 to 1000");
  SimulatedRuns runs;
  for (const std::string& run : options.simulate) runs.logs.push_back(ReadLog(run));
  runs.setup.runs = options.simulate;
  runs.setup.run = *runs.logs.front().run;
  runs.setup.seed = options.seed;
  runs.setup.seeds = options.seeds;
  runs.subject = SubjectOf(runs.setup.run);
  return runs;
}

ChoiceOrder OrderOf(const CLI::App& app, const SearchOptions& options, const RunRecord& run,
                    const runtime::Instance& instance) {
  const bool is_asked = app.count("--order") > 0;
  return ChoiceOrder::Parse(is_asked ? options.order : fmt::format("{}", fmt::join(run.order, ",")),
                            instance);
}

int Simulate(const CLI::App& app, const SearchOptions& options) {
  if (options.simulate.front().ends_with(".json")) return SimulateHub(app, options);
  return options.whole ? SimulateProposer(app, options) : SimulatePolicies(app, options);
}

}  // namespace exh::search

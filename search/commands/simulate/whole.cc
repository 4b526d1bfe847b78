// SPDX-License-Identifier: MIT
//
// `search --simulate RUN… --whole`: settings of the proposer on the whole space of the runs.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/parallel.h"
#include "kernels/devices/backend.h"
#include "search/commands/session.h"
#include "search/commands/simulate/simulate.h"
#include "search/log/replay.h"
#include "search/log/run_folder.h"
#include "search/propose/constants/constants.h"
#include "search/simulate/recorded_space.h"
#include "search/simulate/whole/oracle.h"
#include "search/simulate/whole/whole_report.h"
#include "search/simulate/whole/whole_simulation.h"

namespace exh::search {
namespace {

/// Options that a record answers, or that mean nothing where nothing is measured.
constexpr const char* kMeaningless[] = {
    "--trace",     "--kernel",  "--size",        "--device",          "--space",
    "--set",       "--threads", "--max-threads", "--deterministic",   "--stop",
    "--objective", "--gpu",     "--gpus",        "--worker",          "--l2",
    "--under",     "--emit",    "--resume",      "--resume-or-start", "--durable",
    "--cache",     "--first",   "--bound",       "--progress"};

std::vector<ChangedConstant> ChangesOf(const SearchOptions& options) {
  std::vector<ChangedConstant> changes;
  for (const std::string& text : options.vary) {
    for (const ChangedConstant& change : ParseConstant("--vary", text)) changes.push_back(change);
  }
  return changes;
}

/// The bound of the space as it is now: that of the runs where this is still one.
SearchBound BoundNow(const Subject& subject, const RunRecord& run) {
  std::optional<SearchBound> found;
  std::string why;
  for (const WhichRates which : {WhichRates::kOfThisMachine, WhichRates::kRecorded}) {
    try {
      SearchBound bound = subject.Bound(run.is_cold(), which);
      if (!found || bound.name == run.bound) found = std::move(bound);
    } catch (const UsageError& error) {
      why = error.what();
    }
  }
  if (!found) fmt::print("note: no lower bound: {}\n", why);
  return found.value_or(SearchBound{});
}

}  // namespace

std::uint64_t EvaluationsOf(const SearchOptions& options) {
  constexpr std::uint64_t kUsual = 2000;
  if (options.budgets.empty()) return kUsual;
  const std::string& text = options.budgets.back();
  const auto left = ParseBudget(text, SteadyClock())->EvaluationsLeft({});
  if (!left || options.budgets.size() > 1) {
    throw UsageError(fmt::format(
        "bad --budget '{}': no time passes in a simulation; legal: one --budget evals=2000", text));
  }
  return *left;
}

void ForWholeSpace(const CLI::App& app, const SearchOptions& options, SimulatedRuns& runs,
                   const std::function<void(const WholeSpace& space)>& use) {
  std::shared_ptr<const Policy> policy = PolicyOf(options.policy(), options.policy_options);
  const Subject& subject = *runs.subject;
  const int jobs = options.jobs.value_or(NumCores());

  const runtime::Candidate root = subject.root();
  CheckSameSpace(runs.logs.front(), options.simulate.front(), root.instance());
  RunRecord run = runs.setup.run;
  const ChoiceOrder order = OrderOf(app, options, run, root.instance());
  const SearchBound bound = BoundNow(subject, run);
  runs.setup.bound = bound.name;
  const std::vector<RecordedLeaf> leaves = LeavesOf(runs.logs, runs.setup.runs);
  const Oracle oracle(root, leaves, bound, subject.slow_factor(), jobs, runs.is_complete);

  const kernels::Backend* const backend =
      subject.device() == nullptr ? nullptr : &kernels::BackendOf(*subject.device());
  const bool is_ahead = backend != nullptr && !backend->shares_processor();
  SetHowSearched(options, is_ahead, run);
  run.bound = bound.name;
  run.check.clear();
  WholeSpace space{
      .root = root,
      .order = order,
      .oracle = oracle,
      .emit = [&](const runtime::Candidate& candidate) { return subject.Emit(candidate); },
      .most_text_bytes = backend == nullptr ? 0 : backend->most_text_bytes(),
      .options = {},
      .evaluations = EvaluationsOf(options)};
  const BeginsWith begins = PriorFor(subject, root.instance(), bound, run, options.prior);
  space.options = ExplorerOptionsOf(run, subject, bound, begins.prior, std::move(policy));
  space.options.first = FirstOf(run, subject, root, order);
  // What is under way at once in a search on a machine with 16 cores, and beside a few compilers
  // that wait for what is measured.
  constexpr int kAhead = 32, kInTurn = 8;
  space.options.batch = is_ahead ? kAhead : kInTurn;
  use(space);
}

int SimulateProposer(const CLI::App& app, const SearchOptions& options) {
  RefuseOptions(app, kMeaningless, "--simulate --whole",
                "--vary NAME=VALUES, --budget evals=2000, --seeds, --seed, --jobs, --policy, "
                "--topk, --delta, --epsilon, --local, --screen, --prior, --order and --out");
  CheckRunOptions(options);
  const std::vector<ChangedConstant> changes = ChangesOf(options);
  EvaluationsOf(options);  // Its mistakes show before anything is read.
  SimulatedRuns runs = ReadSimulatedRuns(options);
  ForWholeSpace(app, options, runs, [&](const WholeSpace& space) {
    const int jobs = options.jobs.value_or(NumCores());
    const Clock clock = SteadyClock();
    const double begin = clock();
    const WholeResults results =
        SimulateWhole(space, changes, runs.setup.seed, runs.setup.seeds, jobs);
    const double seconds = clock() - begin;
    fmt::print("{}", WholeText(runs.setup, space.oracle, space.evaluations, results));
    fmt::print("{} evaluations in {:.1f} s, {} searches at once: {:.1f} a second\n",
               results.evaluations, seconds, jobs,
               static_cast<double>(results.evaluations) / seconds);
    if (!options.out.empty()) {
      WriteFile(options.out, WholeJson(runs.setup, space.oracle, space.evaluations, results));
    }
  });
  return 0;
}

}  // namespace exh::search

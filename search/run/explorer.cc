// SPDX-License-Identifier: MIT
#include "search/run/explorer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "search/run/beginning.h"

namespace exh::search {
namespace {

using kernels::Verdict;

/// A seed for part number `part` of a run: streams of neighbouring seeds and parts have nothing in
/// common.
std::uint64_t SeedOfPart(std::uint64_t seed, std::uint64_t part) {
  return Random(seed ^ (part * 0xd1342543de82ef95ULL)).Below(UINT64_MAX);
}

/// An evaluation is written before what follows from it: the very last one of a log may be a best
/// that has no line of its own yet.
bool IsUnwrittenBest(const Log& log, Objective objective) {
  const auto& end = log.end ? log.end : log.earlier_end;
  if (log.evals.empty() || (end && end->evaluations >= log.evals.back().n)) return false;
  const EvalRecord& last = log.evals.back();
  if (last.verdict != Verdict::kCorrect || last.again_ns <= 0) return false;
  const EvalRecord* const best = log.Best();
  return best == nullptr || IsBetter(objective, {last.workspace_bytes, QuietTime(last)},
                                     {best->workspace_bytes, log.bests.back().compared_ns()});
}

}  // namespace

Explorer::Explorer(const runtime::Candidate& root, const ChoiceOrder& order, Evaluator& evaluator,
                   const Stopper& stopper, EventLog& log, ProgressReporter& reporter, Clock clock,
                   const ExplorerOptions& options)
    : options_(options),
      entries_(root, order, evaluator, options_.proposer.bound, options_.proposer.check),
      exploration_(MakeExploration(entries_, options_.policy, options_.tree, options_.proposer,
                                   options_.seed, options_.max_duplicates, log)),
      evaluator_(evaluator),
      state_(*exploration_.frontier, evaluator, stopper, entries_.failed_checks(), log, reporter,
             std::move(clock), options_),
      judge_(state_, *exploration_.frontier, *exploration_.proposer, evaluator, options_) {}

void Explorer::Restore(const Log& log) {
  const runtime::Candidate& root = entries_.root();
  state_.tally().Restore(log);
  exploration_.frontier->Restore(log, state_.tally().restored_counts());
  state_.winners().Restore(log, root);
  LearnFrom(log, root, *exploration_.proposer);
  if (IsUnwrittenBest(log, options_.objective)) {
    const EvalRecord& last = log.evals.back();
    unwritten_ = state_.winners().Restored(log, last, TimeOf(last), root);
  }
  failed_before_ = log.checks;
  before_ = log.last_dt;
  // The tree draws by the numbers of its events, which go on. Other descents would begin anew.
  options_.seed = SeedOfPart(options_.seed, log.resumes.size() + 1);
}

Outcome Explorer::Run() {
  state_.Begin(before_);
  began_at_ = SecondsOfActivities();
  try {
    TakeUp();
    judge_.Prepare();
    state_.SetLimits();
    const RunParts parts{state_,     judge_,  *exploration_.frontier, *exploration_.proposer,
                         evaluator_, options_};
    pipeline_ = MakePipeline(parts);
    BeginRun(entries_, parts, *pipeline_);
    pipeline_->Run();
    state_.AwaitLastCall();
    if (state_.why() != "signal") {
      // The rest of what is reserved is for measuring.
      const double least = 0.5 * options_.reserve;
      state_.winners().CompileRestored(options_.jobs, [&] { return state_.SecondsLeft() > least; });
    }
  } catch (const Error& error) {
    // The log, a file of the compiler: what was found so far still counts.
    state_.Break(error.what());
  }
  state_.reporter().Clear();
  if (state_.broken().empty()) state_.WriteFailedChecks();
  return Conclude();
}

void Explorer::TakeUp() {
  exploration_.frontier->GiveUpOpen();
  if (unwritten_) state_.Promote(*std::exchange(unwritten_, std::nullopt));
}

/// When no thread is at work any more.
Outcome Explorer::Conclude() {
  const RunTally& tally = state_.tally();
  Outcome outcome;
  outcome.end = tally.counts();
  outcome.end.why = state_.why();
  outcome.end.dt = state_.Elapsed();
  outcome.end.best = state_.winners().incumbent_number();
  const ActivitySeconds now = SecondsOfActivities();
  for (std::size_t i = 0; i < kNumActivities; ++i) {
    // To the microsecond, as logs have times.
    const double seconds = std::round((now[i] - began_at_[i]) * 1e6) / 1e6;
    outcome.end.seconds[std::string(NameOf(static_cast<Activity>(i)))] = seconds;
  }
  outcome.broken = state_.broken();
  outcome.failures = tally.Failures();
  outcome.front = tally.front();
  outcome.failed_checks = failed_before_;
  for (const FailedCheckRecord& check : entries_.failed_checks().all()) {
    outcome.failed_checks.push_back(check);
  }
  Proof& proof = outcome.proof;
  proof.violations = tally.violations();
  proof.examples = tally.examples();
  if (const std::optional<Proven> proven = exploration_.frontier->Prove()) {
    proof.exhausted = proven->exhausted;
    proof.of_least_memory = options_.objective == Objective::kMemory;
    proof.bound_ns = proven->bound_ns;
    proof.epsilon = proven->epsilon;
    proof.pruned = exploration_.frontier->num_pruned();
    for (const auto& [verdict, count] : outcome.end.verdicts) {
      const bool has_time = verdict == kernels::VerdictName(Verdict::kCorrect) ||
                            verdict == kernels::VerdictName(Verdict::kSlow);
      if (!has_time) proof.unmeasured[verdict] = count;
    }
    outcome.end.tree = proven->tree;
    outcome.end.bound_ns = proven->bound_ns;
    outcome.end.pruned = proof.pruned;
    outcome.end.violations = proof.violations;
  }
  outcome.winner = state_.winners().TakeIncumbent();
  outcome.finalists = state_.winners().TakeFinalists();
  return outcome;
}

}  // namespace exh::search

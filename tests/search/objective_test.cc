// SPDX-License-Identifier: MIT
//
// Searches for what takes the least memory: the best is the best of the whole space, with a tree
// that cuts and without one, also of runs that went on.
#include "search/run/objective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

#include "base/error.h"
#include "search/tree/policy.h"
#include "tests/search/scene.h"

namespace exh::search {
namespace {

using kernels::Verdict;
using testing::HasSubstr;

TEST(Objective, SaysWhatIsBetter) {
  const Merit small_and_slow{0, 90}, large_and_fast{8, 50}, small_and_fast{0, 50};
  EXPECT_TRUE(IsBetter(Objective::kTime, large_and_fast, small_and_slow));
  EXPECT_FALSE(IsBetter(Objective::kMemory, large_and_fast, small_and_slow));
  EXPECT_TRUE(IsBetter(Objective::kMemory, small_and_slow, large_and_fast));
  EXPECT_TRUE(IsBetter(Objective::kMemory, small_and_fast, small_and_slow));
  for (const Objective objective : {Objective::kTime, Objective::kMemory}) {
    EXPECT_FALSE(IsBetter(objective, small_and_fast, small_and_fast));
  }
}

TEST(Objective, HasAName) {
  EXPECT_EQ(ParseObjective("time"), Objective::kTime);
  EXPECT_EQ(ParseObjective("memory"), Objective::kMemory);
  try {
    ParseObjective("memry");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'memry'; did you mean 'memory'?"));
  }
}

/// Nothing fast takes little.
std::uint64_t BytesOf(const std::string& source) {
  std::uint64_t bytes = source.find("color(a)=RED") != source.npos ? 64 : 0;
  for (const char* size : {"size(a)=4", "size(b)=4"}) {
    if (source.find(size) != source.npos) bytes += 32;
  }
  return bytes;
}

struct Best {
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  double ns = 0;
  friend bool operator==(const Best&, const Best&) = default;
};

/// The best of the whole space, by brute force.
Best BestOfAll() {
  Scene run;
  run.options.max_duplicates = 20000;
  run.evaluator.workspace_bytes = BytesOf;
  run.Go();
  Best best;
  int with_workspace = 0;
  for (const EvalRecord& eval : run.log().evals) {
    with_workspace += eval.workspace_bytes > 0;
    EXPECT_EQ(eval.memory_bytes, FakeEvaluator::kArgumentBytes + eval.workspace_bytes);
    if (std::pair(eval.workspace_bytes, eval.best_ns) < std::pair(best.bytes, best.ns)) {
      best = {eval.workspace_bytes, eval.best_ns};
    }
  }
  EXPECT_GT(with_workspace, 10);
  EXPECT_EQ(best.bytes, 0u);
  EXPECT_GT(best.ns, 700) << "what takes nothing is slow";
  return best;
}

void Prepare(Scene& run, bool has_tree) {
  run.options.objective = Objective::kMemory;
  run.options.max_duplicates = 20000;
  run.evaluator.workspace_bytes = BytesOf;
  if (!has_tree) return;
  run.options.policy = MakePolicy("tag", {});
  run.options.tree.epsilon = 0;
  run.options.proposer.bound = ToyBound;
}

Best BestOf(const Outcome& outcome) {
  return outcome.winner ? Best{outcome.winner->workspace_bytes, outcome.winner->ns} : Best{};
}

TEST(Objective, OfMemoryFindsTheBestOfAll) {
  const Best best = BestOfAll();
  for (const bool has_tree : {false, true}) {
    Scene run;
    Prepare(run, has_tree);
    const Outcome outcome = run.Go();
    EXPECT_EQ(outcome.end.why, "exhausted");
    EXPECT_EQ(BestOf(outcome), best) << has_tree;
    const Log log = run.log();
    EXPECT_EQ(log.Best()->workspace_bytes, best.bytes);
    EXPECT_EQ(log.BestTime(), best.ns);
    if (has_tree) {
      EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
    }
    EXPECT_EQ(outcome.front.points(), FrontOf(log).points());
  }
}

TEST(Objective, OfMemoryCompilesNothingThatTakesMoreThanTheBest) {
  Scene run;
  Prepare(run, false);
  run.Go();
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  int idle = 0;
  for (const EvalRecord& eval : run.log().evals) {
    if (eval.verdict == Verdict::kIdle) {
      ++idle;
      EXPECT_GT(eval.workspace_bytes, least);
      EXPECT_THAT(eval.why, HasSubstr(" bytes beside the arrays, and the best "));
    } else {
      EXPECT_EQ(eval.verdict, Verdict::kCorrect);
      least = std::min(least, eval.workspace_bytes);
    }
  }
  EXPECT_GT(idle, 10);
}

// A best that takes more than its arguments cuts nothing: what is slower may take less.
TEST(Objective, OfMemoryCutsByTimeOnlyWhereNothingCanTakeLess) {
  Scene run;
  Prepare(run, true);
  const Outcome outcome = run.Go();
  const Log log = run.log();
  for (const BestRecord& best : log.bests) {
    EXPECT_EQ(best.no_cut, log.Find(best.n)->workspace_bytes > 0) << best.n;
  }
  EXPECT_FALSE(log.bests.back().no_cut);
  EXPECT_GT(outcome.proof.pruned, 0u);
}

TEST(Objective, OfMemoryGoesOn) {
  const Best best = BestOfAll();
  for (const int evaluations : {1, 3, 10, 40}) {
    Scene run;
    Prepare(run, true);
    run.options.seed = static_cast<std::uint64_t>(evaluations);
    run.Budget("evals=" + std::to_string(evaluations));
    run.Go();
    run.stopper = {};
    const Outcome outcome = run.Resume();
    EXPECT_EQ(outcome.end.why, "exhausted");
    EXPECT_EQ(BestOf(outcome), best) << evaluations;
    EXPECT_EQ(outcome.front.points(), FrontOf(run.log()).points());
  }
}

TEST(Objective, FinalistsTakeAsLittleAsTheBest) {
  Scene run;
  Prepare(run, false);
  run.options.finalists = 5;
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.finalists.size(), 5u);
  EXPECT_EQ(outcome.finalists.front().n, outcome.winner->n);
  for (const Winner& finalist : outcome.finalists) EXPECT_EQ(finalist.workspace_bytes, 0u);
}

TEST(Objective, OfTimeLooksAtTimeAlone) {
  Scene run;
  Prepare(run, true);
  run.options.objective = Objective::kTime;
  const Outcome outcome = run.Go();
  EXPECT_GT(outcome.winner->workspace_bytes, 0u);
  EXPECT_EQ(outcome.end.verdicts.count("idle"), 0u);
  EXPECT_GE(outcome.front.points().size(), 2u);
  EXPECT_EQ(outcome.front.points().back().n, outcome.winner->n) << "the fastest takes the most";
}

}  // namespace
}  // namespace exh::search

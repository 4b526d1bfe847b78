// SPDX-License-Identifier: MIT
//
// Problems that are so large that no cap can be chosen before: the cap of a search that knows
// nothing, and what it learns of what was run in part.
#include "search/run/opening_cap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/search/scene.h"

namespace exh::search {
namespace {

using kernels::Verdict;
using testing::Each;
using testing::Gt;

constexpr double kForever = std::numeric_limits<double>::infinity();

TEST(OpeningCap, DoublesWheneverSomeWereStopped) {
  OpeningCap cap(5e6);
  EXPECT_EQ(cap.ns(0, kForever), 5e6);
  for (int stopped = 0; stopped < 8; ++stopped) cap.NoteSlow();
  EXPECT_EQ(cap.ns(0, kForever), 10e6);
  for (int stopped = 0; stopped < 15; ++stopped) cap.NoteSlow();
  EXPECT_EQ(cap.ns(0, kForever), 20e6);
}

TEST(OpeningCap, BeginsAboveTheBound) {
  OpeningCap cap(5e6);
  EXPECT_EQ(cap.ns(1e5, kForever), 5e6);
  EXPECT_EQ(cap.ns(2e6, kForever), 20e6);
}

TEST(OpeningCap, LeavesTimeForOthers) {
  OpeningCap cap(5e6);
  EXPECT_EQ(cap.ns(1e9, 10), 0.2e9);
  EXPECT_EQ(cap.ns(1e9, 1e6), 10e9);
  EXPECT_EQ(cap.ns(1e9, 0), 5e6);
  for (int stopped = 0; stopped < 100000; ++stopped) cap.NoteSlow();
  EXPECT_EQ(cap.ns(0, kForever), 10e9);
}

TEST(OpeningCap, WhereThereIsNoneThereIsNone) {
  OpeningCap cap(0);
  for (int stopped = 0; stopped < 100; ++stopped) cap.NoteSlow();
  EXPECT_EQ(cap.ns(1e9, 10), 0);
}

/// Times lie between 300 and 1,010 ns, and what is above the cap is stopped.
kernels::Measurement StopAboveCap(const FakeEvaluator& evaluator, const std::string& source) {
  const double ns = FakeEvaluator::TimeOf(source), cap = evaluator.caps.back();
  return cap > 0 && ns > cap ? Failed(Verdict::kSlow, "the cap") : Correct(ns);
}

TEST(LargeProblem, SomethingEndsInTheEnd) {
  for (const char* const policy : {"tag", "random"}) {
    for (const bool ahead : {false, true}) {
      Scene run;
      run.options.policy = MakePolicy(policy, {});
      run.options.jobs = ahead ? 3 : 1;
      run.evaluator.ahead = ahead;
      run.evaluator.first_cap = 50;
      run.evaluator.measure = [&](const std::string& source, int) {
        return StopAboveCap(run.evaluator, source);
      };
      run.Budget("evals=120");
      const Outcome outcome = run.Go();
      ASSERT_TRUE(outcome.winner) << policy << ahead;
      // 50, 100, 200, 400 and 800 ns: among the last eight some end.
      EXPECT_GE(outcome.end.verdicts.at("slow"), 24u);
      EXPECT_LE(outcome.end.verdicts.at("slow"), 48u);
    }
  }
}

TEST(LargeProblem, TheBoundSaysWhereToBegin) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.options.proposer.bound = ToyBound;  // 300 ns at least.
  run.evaluator.first_cap = 50;
  run.evaluator.measure = [&](const std::string& source, int) {
    return StopAboveCap(run.evaluator, source);
  };
  run.Budget("evals=20");
  const Outcome outcome = run.Go();
  EXPECT_TRUE(outcome.winner);
  EXPECT_EQ(outcome.end.verdicts.count("slow"), 0u);
}

/// What is not RED is slow by a part of its blocks.
kernels::Measurement InPart(const std::string& source) {
  if (source.find("color(a)=RED") != source.npos) return Correct(FakeEvaluator::TimeOf(source));
  kernels::Measurement slow = Failed(Verdict::kSlow, "not run whole");
  slow.estimate_ns = FakeEvaluator::TimeOf(source) / 100;
  slow.estimate_blocks = 12;
  return slow;
}

TEST(LargeProblem, WhatWasRunInPartTeachesTheTreeAndIsNeverTheBest) {
  for (const bool ahead : {false, true}) {
    Scene run;
    run.options.policy = MakePolicy("tag", {});
    run.options.proposer.local_share = 0.5;
    run.options.proposer.screen = 8;
    run.options.jobs = ahead ? 3 : 1;
    run.evaluator.ahead = ahead;
    run.evaluator.measure = [](const std::string& source, int) { return InPart(source); };
    run.Budget("evals=150");
    const Outcome outcome = run.Go();
    ASSERT_TRUE(outcome.winner);
    EXPECT_GT(outcome.winner->ns, 100);
    const Log log = run.log();
    std::vector<double> estimates;
    for (const EvalRecord& eval : log.evals) {
      if (eval.verdict != Verdict::kSlow) continue;
      EXPECT_EQ(eval.best_ns, 0);
      EXPECT_EQ(eval.estimate_blocks, 12u);
      EXPECT_EQ(LearnedTime(eval), eval.estimate_ns);
      estimates.push_back(eval.estimate_ns);
    }
    EXPECT_GT(estimates.size(), 10u);
    EXPECT_THAT(estimates, Each(Gt(2)));
    for (const BestRecord& best : log.bests) EXPECT_GT(best.ns, 100);
    // The log makes the same tree again, times of parts and all.
    EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
  }
}

TEST(LargeProblem, ARunThatGoesOnHasLearnedTheSame) {
  Scene whole, cut;
  for (Scene* run : {&whole, &cut}) {
    run->options.policy = MakePolicy("tag", {});
    run->options.batch = 1;
    run->evaluator.measure = [](const std::string& source, int) { return InPart(source); };
  }
  whole.Budget("evals=90");
  whole.Go();
  cut.Budget("evals=40");
  cut.Go();
  cut.stopper = AnyStopper();
  cut.Budget("evals=90");
  cut.Resume();
  const Log one = whole.log(), other = cut.log();
  ASSERT_EQ(one.evals.size(), other.evals.size());
  for (std::size_t n = 0; n < one.evals.size(); ++n) {
    EXPECT_EQ(one.evals[n].vector, other.evals[n].vector) << n;
  }
}

TEST(LearnedTime, IsOfWhatWasTimed) {
  EvalRecord eval;
  eval.verdict = Verdict::kSlow;
  eval.bound_ns = 70;
  EXPECT_EQ(LearnedTime(eval), 0);
  eval.estimate_ns = 100;
  EXPECT_EQ(LearnedTime(eval), 100);
  EXPECT_EQ(BackupOf(eval).kind, Backup::Kind::kTimed);
  EXPECT_EQ(BackupOf(eval).ns, 100);
  eval.estimate_ns = 60;  // Less than it can take.
  EXPECT_EQ(LearnedTime(eval), 70);
  eval.best_ns = 500;  // Run whole all the same, and stopped.
  EXPECT_EQ(LearnedTime(eval), 0);
  EXPECT_EQ(BackupOf(eval).kind, Backup::Kind::kFailed);
  eval.verdict = Verdict::kWrong;
  EXPECT_EQ(LearnedTime(eval), 0);
  eval.verdict = Verdict::kCorrect;
  EXPECT_EQ(LearnedTime(eval), 500);
}

}  // namespace
}  // namespace exh::search

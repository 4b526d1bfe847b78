// SPDX-License-Identifier: MIT
//
// What a time budget, a signal and the first implementations mean for a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

#include "search/descend/first.h"
#include "search/measure/references.h"
#include "tests/search/scene.h"

namespace exh::search {
namespace {

using kernels::Verdict;
using testing::ElementsAre;
using testing::HasSubstr;

/// Wishes of the toy space: the fastest but one.
runtime::Candidate FirstToy(const std::string& size_of_c) {
  const runtime::Candidate root = ToyRoot();
  const kernels::Recipe recipe{"toy",
                               {{"color(a)", {"PINK", "RED"}},
                                {"shape(a)", {"ROUND"}},
                                {"size(c)", {size_of_c}},
                                {"size", {"8", "4"}},
                                {"order", {"BEFORE"}}}};
  const auto [implementation, missed] = Follow(recipe, root, ChoiceOrder::Default(root.instance()));
  EXPECT_EQ(missed, "");
  EXPECT_TRUE(implementation);
  return *implementation;
}

TEST(Follow, TakesWhatIsPossible) {
  const runtime::Candidate found = FirstToy("2");
  EXPECT_TRUE(found.IsImplementation());
  FakeEvaluator evaluator;
  const std::string source = evaluator.Emit(found).text;
  for (const char* taken : {"color(a)=RED", "size(a)=4", "size(b)=4", "size(c)=2",
                            "order(a,b)=BEFORE", "order(a,c)=BEFORE", "order(b,c)=BEFORE"}) {
    EXPECT_THAT(source, HasSubstr(taken));
  }
}

TEST(Follow, WhatContradictsIsLeftOut) {
  const runtime::Candidate root = ToyRoot();
  const kernels::Recipe recipe{
      "toy", {{"color(a)", {"RED"}}, {"color(b)", {"RED"}}, {"color(c)", {"RED", "GREEN"}}}};
  const auto [found, missed] = Follow(recipe, root, ChoiceOrder::Default(root.instance()));
  ASSERT_TRUE(found);
  EXPECT_EQ(missed, "color(b)");
  FakeEvaluator evaluator;
  const std::string source = evaluator.Emit(*found).text;
  EXPECT_THAT(source, HasSubstr("color(b)=BLUE"));
  EXPECT_THAT(source, HasSubstr("color(c)=GREEN"));
}

TEST(First, IsEvaluatedBeforeAnythingElseAndTheLogReplays) {
  for (const bool ahead : {false, true}) {
    Scene run;
    run.options.policy = MakePolicy("tag", {});
    run.options.proposer.local_share = 0.8;
    run.options.jobs = ahead ? 3 : 1;
    run.evaluator.ahead = ahead;
    run.options.first = {FirstToy("2"), FirstToy("1")};
    run.Budget("evals=40");
    const Outcome outcome = run.Go();
    const Log log = run.log();
    ASSERT_EQ(log.evals.size(), 40u);
    EXPECT_EQ(log.selects.front().policy, "first");
    EXPECT_EQ(log.evals.front().selection, log.selects.front().sequence);
    EXPECT_EQ(log.bests.front().n, 1u);
    // The first one is correct, so that the second one is not needed.
    EXPECT_EQ(std::ranges::count(log.selects, "first", &SelectRecord::policy), 1);
    EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
  }
}

TEST(First, TheNextOneFollowsOneThatFails) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.options.first = {FirstToy("2"), FirstToy("2"), FirstToy("1")};
  run.evaluator.measure = [](const std::string& source, int) {
    if (source.find("size(c)=2") != source.npos) return Failed(Verdict::kCrash, "signal 11");
    return Correct(FakeEvaluator::TimeOf(source));
  };
  run.Budget("evals=2");
  run.Go();
  const Log log = run.log();
  EXPECT_EQ(log.evals[0].verdict, kernels::Verdict::kCrash);
  EXPECT_EQ(log.evals[1].verdict, kernels::Verdict::kCorrect);
  EXPECT_EQ(std::ranges::count(log.selects, "first", &SelectRecord::policy), 2);
}

TEST(First, WhatTakesAGoodPartOfTheTimeByItsInstructionsAloneIsLeftAside) {
  for (const bool ahead : {false, true}) {
    Scene run;
    run.options.policy = MakePolicy("tag", {});
    run.options.idle_factor = 20;
    run.evaluator.ahead = ahead;
    run.options.first = {FirstToy("2"), FirstToy("1")};
    bool slow_compiled = false;
    const auto is_slow = [](const std::string& source) {
      return source.find("size(c)=2") != source.npos;
    };
    run.evaluator.rough_ns = [&](const std::string& source) {
      return is_slow(source) ? 1e10 : 500;
    };
    run.evaluator.compile = [&](const std::string& source) {
      slow_compiled |= is_slow(source);
      return Verdict::kCorrect;
    };
    run.Budget("100s");  // Of which ten seconds would be spent on one run.
    run.Budget("evals=2");
    run.Go();
    const Log log = run.log();
    EXPECT_EQ(log.evals[0].verdict, kernels::Verdict::kIdle);
    EXPECT_EQ(log.evals[1].verdict, kernels::Verdict::kCorrect);
    EXPECT_FALSE(slow_compiled);
  }
}

TEST(First, ASlowCompilerHoldsNothingUp) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.options.jobs = 2;
  run.options.first_patience_s = 0.01;
  run.evaluator.ahead = true;
  run.options.first = {FirstToy("2"), FirstToy("1")};
  const std::string slow = FakeEvaluator().Emit(FirstToy("2")).text;
  std::promise<void> measured, compiled;
  std::shared_future<void> others(measured.get_future());
  run.evaluator.compile = [&](const std::string& source) {
    // It ends when something else was measured, and would never end otherwise.
    if (source == slow) {
      others.wait();
      compiled.set_value();
    }
    return Verdict::kCorrect;
  };
  int measurements = 0;
  run.evaluator.measure = [&](const std::string& source, int) {
    if (++measurements == 1) measured.set_value();
    if (measurements == 10) compiled.get_future().wait();  // Thirty are left for it to come up.
    return Correct(FakeEvaluator::TimeOf(source));
  };
  run.Budget("evals=40");
  run.Go();
  const Log log = run.log();
  ASSERT_EQ(log.evals.size(), 40u);
  EXPECT_EQ(std::ranges::count(log.selects, "first", &SelectRecord::policy), 2);
  // The slow one was not lost.
  EXPECT_TRUE(std::ranges::any_of(log.evals, [&](const EvalRecord& eval) {
    return eval.selection == log.selects.front().sequence;
  }));
}

TEST(First, IsMeasuredUnderNoCapHoweverLateItsCompilerEnds) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.options.jobs = 2;
  run.options.first_patience_s = 0.01;
  run.evaluator.ahead = true;
  run.evaluator.first_cap = 1;
  run.options.first = {FirstToy("2")};
  const std::string first = FakeEvaluator().Emit(FirstToy("2")).text;
  std::promise<void> measured, compiled;
  std::shared_future<void> others(measured.get_future());
  run.evaluator.compile = [&](const std::string& source) {
    if (source == first) {
      others.wait();
      compiled.set_value();
    }
    return Verdict::kCorrect;
  };
  int measurements = 0;
  run.evaluator.measure = [&](const std::string& source, int) {
    if (++measurements == 1) measured.set_value();
    if (measurements == 4) compiled.get_future().wait();
    // No cap is ever high enough but for what has none.
    if (run.evaluator.efforts.back() == Effort::kQuick) return Failed(Verdict::kSlow, "the cap");
    return Correct(FakeEvaluator::TimeOf(source));
  };
  run.Budget("evals=40");
  const Outcome outcome = run.Go();
  ASSERT_TRUE(outcome.winner);
  EXPECT_EQ(outcome.winner->compiled.source, first);
}

TEST(First, IsNotEvaluatedAgainByARunThatGoesOn) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.options.first = {FirstToy("2")};
  run.evaluator.measure = [](const std::string& source, int) {
    if (source.find("size(c)=2") != source.npos) return Failed(Verdict::kCrash, "signal 11");
    return Correct(FakeEvaluator::TimeOf(source));
  };
  run.Budget("evals=1");
  run.Go();
  run.stopper = AnyStopper();
  run.Budget("evals=20");
  run.Resume();
  const Log log = run.log();
  EXPECT_EQ(std::ranges::count(log.selects, "first", &SelectRecord::policy), 1);
  std::set<std::string> codes;
  for (const EvalRecord& eval : log.evals) EXPECT_TRUE(codes.insert(eval.code).second) << eval.n;
}

TEST(Budget, HoweverShortOneCandidateIsMeasured) {
  for (const char* policy : {"tag", "random"}) {
    for (const bool ahead : {false, true}) {
      Scene run;
      run.options.policy = MakePolicy(policy, {});
      run.options.jobs = 2;
      run.evaluator.ahead = ahead;
      run.Budget("0.001s");  // A look at the clock.
      const Outcome outcome = run.Go();
      EXPECT_EQ(outcome.end.why, "budget:time");
      EXPECT_EQ(outcome.end.evaluations, 1u) << policy << ahead;
      EXPECT_TRUE(outcome.winner);
    }
  }
}

TEST(Budget, APartIsLeftForWhatFollows) {
  const auto ends_at = [](double reserve) {
    Scene run;
    run.options.policy = MakePolicy("tag", {});
    run.options.reserve = reserve;
    run.Budget("1s");
    const Outcome outcome = run.Go();
    EXPECT_EQ(outcome.end.why, "budget:time");
    return outcome.end.dt;
  };
  EXPECT_NEAR(ends_at(0), 1, 0.1);
  EXPECT_NEAR(ends_at(0.6), 0.4, 0.1);
}

TEST(Budget, TheTimeBeforeTheSearchCounts) {
  Scene run;
  run.now = 100;
  run.options.start = 97;
  run.Budget("evals=1");
  EXPECT_GT(run.Go().end.dt, 3);
}

/// Measures nothing: it waits until the token is stopped.
kernels::Measurement WaitFor(const StopToken& stop) {
  while (!stop.stopped()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return Failed(Verdict::kStopped, "");
}

TEST(Budget, WhatIsInFlightIsStoppedAtItsEnd) {
  Scene run;
  StopToken stop;
  run.options.policy = MakePolicy("tag", {});
  run.options.stop = &stop;
  run.evaluator.measure = [&](const std::string& source, int) {
    if (run.evaluator.measured < 5) return Correct(FakeEvaluator::TimeOf(source));
    return WaitFor(stop);
  };
  run.Budget("0.05s");
  const double before = stop.SecondsLeft();
  EXPECT_EQ(before, std::numeric_limits<double>::infinity());
  const Outcome outcome = run.Go();
  EXPECT_TRUE(outcome.winner);
  EXPECT_LT(run.log().evals.size(), 5u);
  // There is time for what follows, and no more than kGrace.
  EXPECT_LE(stop.SecondsLeft(), kGrace + 0.1);
}

TEST(Budget, ABestThatCouldNotBeMeasuredTwiceIsOne) {
  Scene run;
  StopToken stop;
  run.options.policy = MakePolicy("tag", {});
  run.options.stop = &stop;
  run.evaluator.measure = [&](const std::string& source, int before) {
    if (before == 0) return Correct(FakeEvaluator::TimeOf(source));
    stop.Stop();
    return WaitFor(stop);
  };
  const Outcome outcome = [&] {
    run.Budget("0.02s");
    return run.Go();
  }();
  ASSERT_TRUE(outcome.winner);
  const Log log = run.log();
  ASSERT_EQ(log.evals.size(), 1u);
  EXPECT_EQ(log.BestTime(), log.evals[0].best_ns);
  EXPECT_EQ(log.evals[0].again_ns, 0);
}

TEST(Failures, AreCountedByReason) {
  Scene run;
  run.evaluator.measure = [](const std::string& source, int) {
    const bool is_wrong = source.find("size(a)=1") != source.npos;
    return is_wrong ? Failed(Verdict::kWrong, "z[" + std::to_string(source.size()) + "]")
                    : Failed(Verdict::kCrash, "signal 11");
  };
  run.Budget("evals=30");
  const Outcome outcome = run.Go();
  ASSERT_EQ(outcome.failures.size(), 2u);
  EXPECT_EQ(outcome.failures[0].verdict, kernels::Verdict::kCrash);
  EXPECT_EQ(outcome.failures[0].why, "signal 11");
  EXPECT_EQ(outcome.failures[0].count + outcome.failures[1].count, 30u);
  EXPECT_GT(outcome.failures[0].count, outcome.failures[1].count);
}

bool Never() {
  return false;
}

TEST(MeasureInTurn, OneThatTakesTooLongCostsItsShareAlone) {
  FakeEvaluator evaluator;
  StopToken stop;
  std::string turns;
  evaluator.measure = [&](const std::string& source, int) {
    turns += source;
    return source == "n" ? WaitFor(stop) : Correct(100);
  };
  const auto contenders =
      CompileYardsticks(evaluator, {{"winner", "w"}, {"naive", "n"}, {"eigen", "e"}}, 1);
  stop.StopIn(2);
  const auto records = MeasureInTurn(evaluator, contenders, 2, Never, &stop);
  EXPECT_EQ(turns, "wnewe");
  EXPECT_EQ(records[1].verdict, kernels::Verdict::kStopped);
  EXPECT_THAT(records[1].why, HasSubstr("longer than its share of what was left"));
  EXPECT_EQ(records[2].verdict, kernels::Verdict::kCorrect);
  EXPECT_FALSE(stop.stopped());
  EXPECT_GT(stop.SecondsLeft(), 0);
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// Duels, and searches on a machine that something else keeps busy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "search/measure/duel.h"
#include "tests/search/scene.h"

namespace exh::search {
namespace {

using kernels::Verdict;
using testing::ElementsAre;

/// Both sides answer with these times in turn, after a look that the candidate wins; a time of 0 is
/// a failure.
Duel Fight(std::vector<double> candidate, std::vector<double> best, double known,
           TimePair look = {1, 2}) {
  const auto side = [](std::vector<double>& times, double look_ns) {
    return [&times, look_ns](Effort effort) {
      if (effort == Effort::kQuick) return Correct(look_ns);
      const double ns = times.front();
      times.erase(times.begin());
      return ns > 0 ? Correct(ns) : Failed(Verdict::kCrash, "signal 11");
    };
  };
  return RunDuel(side(candidate, look.ns), side(best, look.best_ns), known);
}

TEST(Duel, WhoLosesAShortRoundHasLost) {
  const Duel lost = Fight({}, {}, 100, {103, 102});
  EXPECT_FALSE(lost.is_won);
  EXPECT_THAT(lost.rounds, ElementsAre(TimePair{103, 102}));
  EXPECT_EQ(lost.ns, 103);
  // Who wins it has not won by it.
  EXPECT_FALSE(Fight({110, 111}, {100, 101}, 100, {50, 100}).is_won);
}

TEST(Duel, OnlyOneRoundLooksInFull) {
  std::vector<Effort> candidate, best;
  const auto side = [](std::vector<Effort>& efforts, double ns) {
    return [&efforts, ns](Effort effort) {
      efforts.push_back(effort);
      return Correct(ns);
    };
  };
  EXPECT_TRUE(RunDuel(side(candidate, 99), side(best, 100), 100).is_won);
  EXPECT_THAT(candidate,
              ElementsAre(Effort::kQuick, Effort::kFinal, Effort::kAgain, Effort::kAgain));
  EXPECT_THAT(best, ElementsAre(Effort::kQuick, Effort::kAgain, Effort::kAgain, Effort::kAgain));
}

TEST(Duel, TwoClearRoundsAreEnough) {
  const Duel won = Fight({90, 91}, {100, 101}, 100);
  EXPECT_TRUE(won.is_won);
  EXPECT_EQ(won.ns, 90);
  EXPECT_EQ(won.slowdown, 1);
  EXPECT_THAT(won.rounds, ElementsAre(TimePair{90, 100}, TimePair{91, 101}));
  EXPECT_EQ(won.measurement.runtimes_ns.size(), 6u);
  const Duel lost = Fight({110, 111}, {100, 101}, 100);
  EXPECT_FALSE(lost.is_won);
  EXPECT_EQ(lost.ns, 110);
}

TEST(Duel, OtherwiseTheThirdDecides) {
  EXPECT_TRUE(Fight({99, 101, 98}, {100, 100, 100}, 100).is_won);
  const Duel lost = Fight({99, 101, 102}, {100, 100, 100}, 100);
  EXPECT_FALSE(lost.is_won);
  EXPECT_EQ(lost.quiet_ns, 100);  // What lost is not faster, whatever one of its times says.
}

TEST(Duel, OnABusyMachineTheRatioCounts) {
  const Duel won = Fight({450, 470}, {500, 520}, 100);
  EXPECT_TRUE(won.is_won);
  EXPECT_EQ(won.slowdown, 5);
  EXPECT_EQ(won.quiet_ns, 90);
  const Duel lost = Fight({600, 550}, {500, 520}, 100);
  EXPECT_FALSE(lost.is_won);
  EXPECT_EQ(lost.quiet_ns, 110);
}

TEST(Duel, ItsTimeIsOneThatWasMeasured) {
  EXPECT_EQ(Fight({450, 470}, {520, 500}, 100).ns, 450);
  EXPECT_EQ(Fight({600, 550}, {500, 520}, 100).ns, 550);
  // One that lost takes no less than what it lost to, as far as any of its rounds does.
  const Duel lost = Fight({99, 101, 102}, {100, 100, 100}, 100);
  EXPECT_EQ(lost.ns, 101);
  EXPECT_EQ(Fight({98, 99, 97}, {97.5, 98.5, 98}, 100).ns, 99);
  EXPECT_EQ(Fight({900, 950}, {400000, 500000}, 100).ns, 900);
}

TEST(Duel, OnAMachineThatIsTooBusyNoRatioCounts) {
  const Duel lost = Fight({900, 950}, {400000, 500000}, 100);
  EXPECT_FALSE(lost.is_won);
  EXPECT_EQ(lost.ns, 900);
  EXPECT_TRUE(Fight({90, 95}, {400000, 500000}, 100).is_won);
}

TEST(Duel, ABestWhoseTimeWasTakenOnABusyMachineIsFasterThanWasKnown) {
  const Duel lost = Fight({110, 112}, {100, 101}, 500);
  EXPECT_FALSE(lost.is_won);
  EXPECT_EQ(lost.improved_ns, 100);
  EXPECT_EQ(lost.ns, 110);
  EXPECT_EQ(Fight({110, 112}, {99, 100}, 100).improved_ns, 0);
}

TEST(Duel, KnowsWhatWasMeasured) {
  const Duel won = Fight({450, 470}, {520, 500}, 100);
  EXPECT_TRUE(won.has_won_rounds);
  EXPECT_EQ(won.best_measured_ns, 500);
  EXPECT_EQ(Fight({90, 91}, {0, 0}, 100).best_measured_ns, 0);
}

TEST(Duel, WhoFailsLoses) {
  const Duel lost = Fight({90, 0}, {100, 100}, 100);
  EXPECT_FALSE(lost.is_won);
  EXPECT_EQ(lost.measurement.verdict, Verdict::kCrash);
  const Duel won = Fight({90, 91}, {0, 0}, 100);
  EXPECT_TRUE(won.is_won);
  EXPECT_EQ(won.ns, 90);
}

TEST(Duel, WhatTheEnvironmentSpoiltSaysNothing) {
  const auto fine = [](Effort) { return Correct(90); };
  const auto broken = [](Effort) { return Failed(Verdict::kBroken, "no space left"); };
  const Duel duel = RunDuel(fine, broken, 100);
  EXPECT_FALSE(duel.is_won);
  EXPECT_EQ(duel.measurement.verdict, Verdict::kBroken);
  EXPECT_EQ(duel.measurement.why, "no space left");
}

TEST(BusyMachine, ABestThatTakesLessThanItCanIsNotBelieved) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.options.proposer.check = ToyBound;
  run.evaluator.measure = [&](const std::string& source, int before) {
    // Whatever is measured for the fourth time, as a best is, pretends to take no time.
    return Correct(before < 3 ? FakeEvaluator::TimeOf(source) : 1);
  };
  run.Budget("evals=150");
  const Outcome outcome = run.Go();
  ASSERT_TRUE(outcome.winner);
  for (const BestRecord& best : run.log().bests) EXPECT_GT(best.ns, 100);
}

/// Other work may slow down one program and not another: one that uses all cores, say. Times that
/// were divided by that must not cut what is faster, nor end up at the bound.
/// The bound is this share of the least time.
Log SlowedAlone(double factor, double bound_share) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.options.proposer.bound = [=](const runtime::Candidate& candidate) {
    return bound_share * ToyBound(candidate);
  };
  double fastest = 1e9;
  std::map<std::string, bool> suffers;  // What is measured first is slow from some moment on.
  run.evaluator.measure = [&](const std::string& source, int) {
    const double ns = FakeEvaluator::TimeOf(source);
    suffers.emplace(source, run.evaluator.measured < 8);
    fastest = std::min(fastest, ns);
    const bool is_slow = run.evaluator.measured > 8 && suffers.at(source);
    return Correct((is_slow ? factor : 1) * ns);
  };
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.why, "exhausted");
  EXPECT_LT(fastest, 310) << "one of the fastest of the space was looked at";
  EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
  EXPECT_TRUE(outcome.winner);
  if (outcome.winner) {
    EXPECT_LT(FakeEvaluator::TimeOf(outcome.winner->compiled.source), 1.02 * fastest);
  }
  const Log log = run.log();
  for (const BestRecord& best : log.bests) EXPECT_GE(best.cut_ns(), fastest) << best.n;
  return log;
}

TEST(BusyMachine, WhatSlowsOneAloneCutsNothing) {
  const auto is_divided = [](const BestRecord& best) { return best.quiet_ns > 0; };
  EXPECT_TRUE(std::ranges::any_of(SlowedAlone(2, 0.3).bests, is_divided));
}

TEST(BusyMachine, ATimeThatCannotBeEndsTheDivision) {
  const Log log = SlowedAlone(4, 1);
  const auto is_faster = [](const BestRecord& a, const BestRecord& b) {
    return a.compared_ns() < b.compared_ns();
  };
  EXPECT_TRUE(std::ranges::adjacent_find(log.bests, is_faster) != log.bests.end());
}

/// A time without noise for every source.
double TrueTime(const std::string& source) {
  return FakeEvaluator::TimeOf(source);
}

/// Every best is a time that some batch of its own took.
void ExpectMeasuredBests(const Log& log) {
  for (const BestRecord& best : log.bests) {
    std::vector<double> times;
    for (const EvalRecord& eval : log.evals) {
      // A best is measured again and again: later times of it stand in the duels it fought.
      if (eval.n == best.n)
        times.insert(times.end(), eval.runtimes_ns.begin(), eval.runtimes_ns.end());
      if (eval.against != best.n) continue;
      for (const TimePair& pair : eval.pairs) times.push_back(pair.best_ns);
    }
    EXPECT_TRUE(std::ranges::count(times, best.ns) > 0)
        << "record " << best.n << " never took " << best.ns << " ns";
  }
}

/// `best` and what the log says of the fastest agree.
void ExpectTheLogAgrees(const Log& log, const Outcome& outcome) {
  ExpectMeasuredBests(log);
  ASSERT_TRUE(outcome.winner);
  EXPECT_EQ(log.BestTime(), outcome.winner->ns);
  EXPECT_EQ(log.bests.back().n, outcome.winner->n);
  for (const EvalRecord& eval : log.evals) {
    if (eval.verdict == kernels::Verdict::kCorrect && eval.n != outcome.winner->n &&
        !eval.pairs.empty()) {
      EXPECT_GE(QuietTime(eval), outcome.winner->compared_ns) << eval.n;
    }
  }
  for (std::size_t index = 1; index < log.bests.size(); ++index) {
    EXPECT_LT(log.bests[index].compared_ns(), log.bests[index - 1].compared_ns());
  }
}

TEST(BusyMachine, SlowFromSomeMomentOnItStillFindsTheFastest) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  double fastest = 1e9;
  run.evaluator.measure = [&](const std::string& source, int) {
    fastest = std::min(fastest, TrueTime(source));
    const double slowdown = run.evaluator.measured > 40 ? 5 : 1;
    return Correct(slowdown * TrueTime(source));
  };
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.why, "exhausted");
  ASSERT_TRUE(outcome.winner);
  EXPECT_NEAR(outcome.winner->ns, 5 * fastest, 5e-6 * fastest);  // Nobody measured less of it.
  EXPECT_EQ(TrueTime(outcome.winner->compiled.source), fastest);
  ExpectTheLogAgrees(run.log(), outcome);
}

/// Other work that slows down the best so far more than what is new: each division by its slowdown
/// would make the next best seem faster than it is, and the one after it once more.
TEST(BusyMachine, QuotientsDoNotAddUp) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  double fastest = 1e9;
  run.evaluator.measure = [&](const std::string& source, int before) {
    const double ns = TrueTime(source) * (before == 0 ? 1 : 1.6);
    fastest = std::min(fastest, ns);
    return Correct(before < 2 ? ns : 1.3 * ns);
  };
  const Outcome outcome = run.Go();
  ASSERT_TRUE(outcome.winner);
  const Log log = run.log();
  ExpectMeasuredBests(log);
  EXPECT_GE(outcome.winner->ns, fastest);
  // Of what is compared, each best is ahead of the one before, and none of all that was measured.
  for (const BestRecord& best : log.bests) EXPECT_GT(best.compared_ns(), 0.99 * fastest) << best.n;
}

TEST(BusyMachine, OlderLogsAreReadAsIfTheyHadBothTimes) {
  EvalRecord eval = {
      .n = 7, .verdict = Verdict::kCorrect, .runtimes_ns = {500, 450}, .best_ns = 90};
  eval.again_ns = 450;
  eval.pairs = {{450, 500}};
  BestRecord best = {.n = 7, .ns = 90, .measured_ns = 450};
  TempFolder folder;
  {
    EventLog file(folder / "log.jsonl");
    file.Write(RunRecord{});
    file.Write(eval);
    file.Write(best);
  }
  const Log log = ReadLog(folder.path());
  EXPECT_EQ(log.evals.at(0).best_ns, 450);
  EXPECT_EQ(LearnedTime(log.evals.at(0)), 90);
  EXPECT_EQ(log.BestTime(), 450);
  EXPECT_EQ(log.bests.at(0).compared_ns(), 90);
}

TEST(BusyMachine, SlowAtFirstTheBestIsKnownBetterLater) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  double fastest = 1e9;
  run.evaluator.measure = [&](const std::string& source, int) {
    fastest = std::min(fastest, TrueTime(source));
    const double slowdown = run.evaluator.measured < 4 ? 5 : 1;
    return Correct(slowdown * TrueTime(source));
  };
  const Outcome outcome = run.Go();
  ASSERT_TRUE(outcome.winner);
  EXPECT_EQ(TrueTime(outcome.winner->compiled.source), fastest);
  ExpectTheLogAgrees(run.log(), outcome);
}

TEST(BusyMachine, UnderNoiseOfTimesFiveTheBestIsNearTheFastest) {
  for (const std::uint64_t seed : {1, 2}) {
    Scene run;
    run.options.policy = MakePolicy("tag", {});
    Random noise(seed);
    double slowdown = 1, fastest = 1e9;
    run.evaluator.measure = [&](const std::string& source, int) {
      // Other work comes and goes; what is measured in turn mostly sees the same of it.
      if (noise.Below(20) == 0) slowdown = 1 + 4 * noise.Real();
      fastest = std::min(fastest, TrueTime(source));
      return Correct(slowdown * (1 + 0.02 * noise.Real()) * TrueTime(source));
    };
    const Outcome outcome = run.Go();
    ASSERT_TRUE(outcome.winner) << seed;
    EXPECT_LT(TrueTime(outcome.winner->compiled.source), 1.1 * fastest) << seed;
    ExpectTheLogAgrees(run.log(), outcome);
  }
}

TEST(BusyMachine, RunsThatGoOnKnowTheBestAsItWasWritten) {
  Scene whole;
  whole.options.policy = MakePolicy("tag", {});
  whole.evaluator.measure = [&](const std::string& source, int) {
    return Correct((whole.evaluator.measured > 30 ? 5 : 1) * TrueTime(source));
  };
  whole.Budget("evals=200");
  whole.Go();
  const std::string text = ReadAll(whole.folder / "log.jsonl");
  Random random(7);
  for (int cut = 0; cut < 10; ++cut) {
    const std::size_t header = text.find("{\"t\":\"eval\"");
    Scene run;
    run.options.policy = MakePolicy("tag", {});
    std::ofstream(run.folder / "log.jsonl", std::ios::binary)
        << text.substr(0, header + random.Below(text.size() - header));
    run.Budget("evals=210");
    const Outcome outcome = run.Resume();
    ExpectTheLogAgrees(run.log(), outcome);
    EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
  }
}

}  // namespace
}  // namespace exh::search

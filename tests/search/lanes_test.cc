// SPDX-License-Identifier: MIT
#include "search/run/lanes/lanes_pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "search/run/lanes/calibration.h"
#include "search/run/lanes/lane_threads.h"
#include "tests/search/fake_lanes.h"
#include "tests/search/scene.h"

namespace exh::search {
namespace {

using kernels::Verdict;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A search of the toy space at several lanes.
struct LanesScene : Scene {
  std::deque<FakeLane> lanes;

  explicit LanesScene(int count) {
    for (int i = 0; i < count; ++i) {
      lanes.emplace_back("lane " + std::to_string(i));
      evaluator.at.push_back(&lanes.back());
    }
    evaluator.ahead = true;
    options.jobs = 2;
    options.max_duplicates = 20000;
    options.policy = MakePolicy("tag", {});
  }
  std::map<std::string, int> Counts() {
    std::map<std::string, int> counts;
    for (const EvalRecord& eval : log().evals) ++counts[eval.lane];
    return counts;
  }
  // On a busy machine a lane may come too late to measure anything.
  int CountOf(const std::string& lane) {
    const auto counts = Counts();
    const auto found = counts.find(lane);
    return found == counts.end() ? 0 : found->second;
  }
};

TEST(Lanes, AllMeasureAndOneThreadRecords) {
  LanesScene run(3);
  for (FakeLane& lane : run.lanes) lane.takes = std::chrono::milliseconds(1);
  run.Budget("evals=200");
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.why, "budget:evals");
  EXPECT_EQ(outcome.end.evaluations, 200u);
  const Log log = run.log();
  ASSERT_THAT(log.evals, SizeIs(200));
  std::set<std::string> codes;
  for (std::size_t i = 0; i < log.evals.size(); ++i) {
    EXPECT_EQ(log.evals[i].n, i + 1);
    EXPECT_TRUE(codes.insert(log.evals[i].code).second) << "evaluated twice";
  }
  const auto counts = run.Counts();
  EXPECT_THAT(counts, SizeIs(3));
  for (const auto& [lane, count] : counts) EXPECT_GT(count, 20) << lane;
  for (FakeLane& lane : run.lanes) EXPECT_FALSE(lane.overlapped);
  EXPECT_EQ(run.evaluator.measured, 0) << "measured beside the lanes";
  // The tree of the log is that of the run.
  EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
  // Finals are measured where the best was.
  ASSERT_NE(run.evaluator.finals_at, nullptr);
  const auto best = std::ranges::find(log.evals, outcome.end.best, &EvalRecord::n);
  EXPECT_EQ(run.evaluator.finals_at->name(), best->lane);
}

TEST(Lanes, FindTheBestOfAnExhaustedSpace) {
  for (const bool has_tree : {true, false}) {
    LanesScene run(4);
    if (!has_tree) run.options.policy = nullptr;
    const Outcome outcome = run.Go();
    EXPECT_EQ(outcome.end.why, "exhausted");
    EXPECT_EQ(outcome.end.evaluations, static_cast<std::uint64_t>(kToyImplementations));
    double fastest = 1e9;
    for (const EvalRecord& eval : run.log().evals) fastest = std::min(fastest, eval.best_ns);
    ASSERT_TRUE(outcome.winner);
    EXPECT_EQ(outcome.winner->ns, fastest);
  }
}

TEST(Lanes, WhatIsConfirmedIsMeasuredInTurnWithTheIncumbentAtOneLane) {
  LanesScene run(3);
  run.Budget("evals=300");
  run.Go();
  const Log log = run.log();
  std::map<std::uint64_t, const EvalRecord*> by_number;
  for (const EvalRecord& eval : log.evals) by_number[eval.n] = &eval;
  int duels = 0;
  std::uint64_t best = 0;
  for (const EvalRecord& eval : log.evals) {
    if (eval.pairs.empty()) continue;
    ++duels;
    ASSERT_TRUE(by_number.contains(eval.against));
    EXPECT_LT(eval.against, eval.n);
    EXPECT_FALSE(eval.lane.empty());
    best = eval.n;
  }
  EXPECT_GT(duels, 0);
  EXPECT_GT(best, 0u);
  // A new best always beat the best before it, whoever else measured meanwhile.
  for (std::size_t i = 1; i < log.bests.size(); ++i) {
    EXPECT_LT(log.bests[i].ns, log.bests[i - 1].ns);
    EXPECT_EQ(by_number.at(log.bests[i].n)->against, log.bests[i - 1].n);
  }
}

TEST(Lanes, OneThatFailsAgainAndAgainIsLeftOutAndTheRunGoesOn) {
  LanesScene run(3);
  run.lanes[1].dies = [](const std::string&) { return true; };
  run.Budget("evals=100");
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.why, "budget:evals");
  // Nothing of it is lost, and nothing that it failed with is called broken.
  EXPECT_EQ(outcome.end.verdicts.at("correct"), 100u);
  EXPECT_EQ(run.CountOf("lane 1"), 0);
  EXPECT_LE(run.lanes[1].measured, 8);  // Calibrations among them.
}

TEST(Lanes, OneThatIsLostIsNotAskedAgain) {
  LanesScene run(2);
  run.lanes[0].dies = [&](const std::string&) { return run.lanes[0].measured > 10; };
  run.lanes[0].lost_when_dead = "its machine is gone";
  run.Budget("evals=100");
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.verdicts.at("correct"), 100u);
  EXPECT_EQ(run.lanes[0].measured, 11);
  EXPECT_EQ(run.evaluator.finals_at, &run.lanes[1]);
}

TEST(Lanes, WhatTwoOfThemDieOfIsACrash) {
  LanesScene run(3);
  const auto kills = [](const std::string& source) {
    const auto has = [&](const char* decision) { return source.find(decision) != source.npos; };
    return has("size(a)=2\n") && has("size(b)=2\n") && has("size(c)=2\n");
  };
  for (FakeLane& lane : run.lanes) lane.dies = kills;
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.evaluations, static_cast<std::uint64_t>(kToyImplementations));
  EXPECT_EQ(outcome.end.verdicts.count("broken"), 0u);
  EXPECT_GT(outcome.end.verdicts.at("crash"), 0u);
  for (const EvalRecord& eval : run.log().evals) {
    if (eval.verdict != Verdict::kCrash) continue;
    EXPECT_THAT(eval.why, HasSubstr("2 lanes died over it"));
  }
}

TEST(Lanes, WithoutOneLeftTheRunEndsAsBroken) {
  LanesScene run(2);
  for (FakeLane& lane : run.lanes) {
    lane.dies = [](const std::string&) { return true; };
    lane.lost_when_dead = "somebody pulled the plug";
  }
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.why, "broken");
  EXPECT_THAT(outcome.broken, HasSubstr("no lane is left"));
  EXPECT_THAT(outcome.broken, HasSubstr("somebody pulled the plug"));
}

TEST(Lanes, OneThatLiesIsLeftOut) {
  for (const double factor : {1.1, 0.9}) {
    LanesScene run(3);
    run.lanes[2].factor = factor;
    for (FakeLane& lane : run.lanes) lane.takes = std::chrono::milliseconds(1);
    run.Budget("evals=300");
    const Outcome outcome = run.Go();
    EXPECT_EQ(outcome.end.why, "budget:evals");
    EXPECT_LT(run.CountOf("lane 2"), 60) << factor;
    EXPECT_GT(run.CountOf("lane 0"), 20) << factor;
    EXPECT_NE(run.evaluator.finals_at, &run.lanes[2]);
  }
}

TEST(Lanes, OneThatIsNotThereYetIsNotWaitedFor) {
  LanesScene run(2);
  run.lanes[1].is_there = false;
  run.Budget("evals=50");
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.evaluations, 50u);
  EXPECT_EQ(run.lanes[1].measured, 0);
}

TEST(Lanes, ASlowOneHoldsNobodyUp) {
  LanesScene run(2);
  run.lanes[0].takes = std::chrono::milliseconds(300);
  run.Budget("evals=60");
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.evaluations, 60u);
  EXPECT_LT(run.Counts()["lane 0"], 20);
}

TEST(Calibration, WhoDeviatesTwiceInARowIsNamed) {
  Calibration calibration;
  ASSERT_TRUE(calibration.IsDue(0));
  const auto round = [&](std::vector<double> times, double now) {
    std::vector<std::size_t> lanes;
    for (std::size_t lane = 0; lane < times.size(); ++lane) lanes.push_back(lane);
    calibration.Begin(lanes, now);
    for (const std::size_t lane : lanes) {
      EXPECT_TRUE(calibration.IsWaitedFor(lane));
      EXPECT_THAT(calibration.Take(), IsEmpty());
      calibration.Add(lane, times[lane]);
    }
    return calibration.Take();
  };
  EXPECT_THAT(round({100, 102, 98}, 0), IsEmpty());
  EXPECT_FALSE(calibration.IsDue(Calibration::kEvery - 1));
  EXPECT_TRUE(calibration.IsDue(Calibration::kEvery));
  EXPECT_THAT(round({100, 104, 100}, 60), IsEmpty());  // It may be an accident …
  EXPECT_TRUE(calibration.IsDue(60));                  // … and is looked at again at once.
  const std::vector<Deviation> deviations = round({100, 106, 101}, 61);
  ASSERT_THAT(deviations, SizeIs(1));
  EXPECT_EQ(deviations[0].lane, 1u);
  EXPECT_EQ(deviations[0].middle_ns, 101);
  // An accident, and what failed, are none. Of two the faster one is right.
  EXPECT_THAT(round({100, 104, 100}, 130), IsEmpty());
  EXPECT_THAT(round({100, 100, 104}, 131), IsEmpty());
  EXPECT_THAT(round({100, 100, 0}, 200), IsEmpty());
  EXPECT_THAT(round({100, 105}, 300), IsEmpty());
  EXPECT_EQ(round({100, 105}, 301)[0].lane, 1u);
}

TEST(LaneThreads, SaysWhatEndedAndThrowsWhatWasThrown) {
  LaneThreads threads({"one", "other"});
  std::atomic<int> done = 0;
  threads.Start(1, [&] { ++done; });
  EXPECT_FALSE(threads.is_free(1));
  std::optional<std::size_t> ended;
  while (!ended) ended = threads.Next(1);
  EXPECT_EQ(*ended, 1u);
  EXPECT_EQ(done, 1);
  EXPECT_TRUE(threads.are_all_free());
  threads.Start(0, [] { throw std::runtime_error("no disk"); });
  EXPECT_THROW(
      while (true) { threads.Next(1); }, std::runtime_error);
  EXPECT_TRUE(threads.is_free(0));
  threads.Wake();
  EXPECT_FALSE(threads.Next(100));
}

}  // namespace
}  // namespace exh::search

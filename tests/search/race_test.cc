// SPDX-License-Identifier: MIT
#include "search/measure/race/race.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "search/measure/race/median_interval.h"
#include "search/measure/race/run_race.h"
#include "search/measure/references.h"
#include "tests/search/fake_evaluator.h"

namespace exh::search {
namespace {

using kernels::Verdict;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(IntervalOfMedian, OfFewValuesIsAllOfThem) {
  const MedianInterval interval = IntervalOfMedian({5, 1, 3});
  EXPECT_EQ(interval.lo, 1);
  EXPECT_EQ(interval.median, 3);
  EXPECT_EQ(interval.hi, 5);
}

TEST(IntervalOfMedian, LeavesOutWhatIsUnlikely) {
  // The ranks of 40 values at 95 % are 14 and 27; ours may be wider, never narrower.
  std::vector<double> values;
  for (int i = 40; i >= 1; --i) values.push_back(i);
  const MedianInterval interval = IntervalOfMedian(values);
  EXPECT_EQ(interval.median, 20.5);
  EXPECT_LE(interval.lo, 14);
  EXPECT_GE(interval.lo, 10);
  EXPECT_EQ(interval.lo + interval.hi, 41);
}

/// A round of all that are in.
void Round(Race& race, const std::vector<double>& times) {
  for (std::size_t racer = 0; racer < times.size(); ++racer) {
    if (race.IsIn(racer)) race.Add(racer, times[racer]);
  }
  race.EndRound();
}

std::vector<std::size_t> In(const Race& race) {
  std::vector<std::size_t> in;
  for (std::size_t racer = 0; racer < race.size(); ++racer) {
    if (race.IsIn(racer)) in.push_back(racer);
  }
  return in;
}

TEST(Race, TheEightFastestOfTheFirstRoundGoOn) {
  Race race(10);
  Round(race, {10, 11, 12, 13, 14, 30, 15, 16, 17, 40});
  EXPECT_THAT(In(race), ElementsAre(0, 1, 2, 3, 4, 6, 7, 8));
}

TEST(Race, WhatIsClearlySlowerIsOutAfterTwoRounds) {
  Race race(3);
  Round(race, {100, 104, 106});
  EXPECT_THAT(In(race), ElementsAre(0, 1, 2)) << "one round says nothing";
  Round(race, {100, 104, 106});
  EXPECT_THAT(In(race), ElementsAre(0, 1));
  EXPECT_TRUE(race.is_open());
  for (int round = 3; round < 6; ++round) Round(race, {100, 104, 0});
  EXPECT_THAT(In(race), ElementsAre(0, 1));
  Round(race, {100, 104, 0});
  EXPECT_THAT(In(race), ElementsAre(0)) << "six rounds in a row are no accident";
  EXPECT_FALSE(race.is_open());
  EXPECT_EQ(race.Leader(), 0u);
}

TEST(Race, TheClockCancels) {
  // It falls by half meanwhile, so that no interval of times lies above another.
  Race race(2);
  for (int round = 0; round < 6; ++round) {
    const double slower = 1 + 0.2 * round;
    Round(race, {101 * slower, 100 * slower});
  }
  EXPECT_THAT(In(race), ElementsAre(1));
}

TEST(Race, WhoWinsNowAndThenStaysIn) {
  Race race(2);
  for (int round = 0; round < 12; ++round) Round(race, {100, round % 4 == 0 ? 99.0 : 102.0});
  EXPECT_THAT(In(race), ElementsAre(0, 1));
  EXPECT_EQ(race.Leader(), 0u);
}

class RunRaceTest : public ::testing::Test {
 protected:
  RaceOutcome Run(const std::vector<std::string>& sources, const RaceOptions& options,
                  StopToken* stop = nullptr) {
    std::vector<kernels::NamedSource> all;
    for (const std::string& source : sources) all.push_back({"record " + source, source});
    return RunRace(
        evaluator_, CompileYardsticks(evaluator_, all, 1), options, [this] { return is_stopped_; },
        stop);
  }
  /// Times by source, each round the same.
  void Take(const std::map<std::string, double>& times) {
    evaluator_.measure = [this, times](const std::string& source, int) {
      ++runs_[source];
      return times.at(source) > 0 ? Correct(times.at(source)) : Failed(Verdict::kWrong, "z[1]");
    };
  }
  FakeEvaluator evaluator_;
  std::map<std::string, int> runs_;
  bool is_stopped_ = false;
};

TEST_F(RunRaceTest, RanksThoseThatAreInBeforeTheOthers) {
  Take({{"best", 100}, {"wrong", 0}, {"slow", 200}, {"fastest", 98}});
  const RaceOutcome outcome =
      Run({"best", "wrong", "slow", "fastest"}, {.seconds = 1e9, .most_rounds = 9});
  EXPECT_THAT(outcome.ranking, ElementsAre(3, 0, 2));
  EXPECT_EQ(runs_["wrong"], 1);
  EXPECT_EQ(runs_["slow"], 2);
  EXPECT_EQ(runs_["best"], 6) << "until one is left";
  EXPECT_EQ(runs_["fastest"], 6);
  EXPECT_EQ(outcome.records[1].why, "z[1]");
  EXPECT_EQ(outcome.records[3].runtimes_ns.size(), 6u);
  EXPECT_GT(outcome.records[3].median_ns, 0);
}

TEST_F(RunRaceTest, TiesRaceToTheEnd) {
  Take({{"a", 100}, {"b", 100}});
  const RaceOutcome outcome = Run({"a", "b"}, {.seconds = 1e9, .most_rounds = 9});
  EXPECT_EQ(runs_["a"], 9);
  EXPECT_THAT(outcome.ranking, ElementsAre(0, 1));
}

TEST_F(RunRaceTest, InFewRoundsNobodyOvertakesTheBest) {
  Take({{"best", 100}, {"other", 98}, {"third", 97}});
  const RaceOutcome few = Run({"best", "other", "third"}, {.seconds = 1e9, .most_rounds = 2});
  EXPECT_THAT(few.ranking, ElementsAre(0, 2, 1));
  const RaceOutcome more = Run({"best", "other", "third"}, {.seconds = 1e9, .most_rounds = 3});
  EXPECT_THAT(more.ranking, ElementsAre(2, 1, 0));
  // What dropped out is overtaken.
  Take({{"best", 100}, {"other", 50}, {"third", 51}});
  const RaceOutcome clear = Run({"best", "other", "third"}, {.seconds = 1e9, .most_rounds = 2});
  EXPECT_THAT(clear.ranking, ElementsAre(1, 2, 0));
}

TEST_F(RunRaceTest, WithoutTimeTheBestIsAlone) {
  Take({{"best", 100}, {"other", 50}});
  const RaceOutcome outcome = Run({"best", "other"}, {.seconds = 0});
  EXPECT_THAT(outcome.ranking, ElementsAre(0));
  EXPECT_EQ(runs_["other"], 0);
  EXPECT_EQ(outcome.records[1].verdict, Verdict::kStopped);
}

TEST_F(RunRaceTest, StoppedBeforeTheFirstThereIsNothing) {
  Take({{"best", 100}, {"other", 50}});
  is_stopped_ = true;
  EXPECT_THAT(Run({"best", "other"}, {}).records, IsEmpty());
}

TEST_F(RunRaceTest, WhatLastsTooLongForItsShareEndsTheRace) {
  evaluator_.measure = [](const std::string&, int) { return Failed(Verdict::kStopped, ""); };
  StopToken stop;
  stop.StopIn(100);
  EXPECT_THAT(Run({"best", "other"}, {}, &stop).records, IsEmpty());
  EXPECT_GT(stop.SecondsLeft(), 50) << "it has its deadline back";
}

}  // namespace
}  // namespace exh::search

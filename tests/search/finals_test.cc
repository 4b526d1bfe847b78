// SPDX-License-Identifier: MIT
#include "search/measure/finals.h"

#include <gtest/gtest.h>

#include <map>

#include "search/measure/references.h"
#include "tests/search/fake_evaluator.h"

namespace exh::search {
namespace {

using kernels::Verdict;

class FinalsTest : public ::testing::Test {
 protected:
  std::vector<ReferenceRecord> Run(int stop_after = -1) {
    evaluator_.measure = [this](const std::string& source, int before) {
      ++runs_[source];
      if (source == "wrong") return Failed(Verdict::kWrong, "z[1]");
      // "fast" and "near" overlap, the others are far.
      const double noise = before % 3;
      return Correct(source == "slow" ? 500 + noise : source == "near" ? 101 + noise : 100 + noise);
    };
    const auto contenders = CompileYardsticks(
        evaluator_, {{"record 1", "slow"}, {"record 2", "fast"}, {"x", second_}, {"y", "wrong"}},
        1);
    int looks = 0;
    return Finals(evaluator_, contenders, {.least_rounds = 6, .most_rounds = 12, .seconds = 1e9},
                  [&] { return stop_after >= 0 && looks++ >= stop_after; });
  }
  FakeEvaluator evaluator_;
  std::map<std::string, int> runs_;
  std::string second_ = "near";
};

TEST_F(FinalsTest, WhatIsSettledIsNotMeasuredAgain) {
  const auto records = Run();
  EXPECT_EQ(runs_["slow"], 6);
  EXPECT_EQ(runs_["fast"], 12);  // A tie to the end.
  EXPECT_EQ(runs_["near"], 12);
  EXPECT_EQ(runs_["wrong"], 1);
  EXPECT_EQ(FastestOf(records), 1);
  EXPECT_TRUE(Tied(records[1], records[2]));
  EXPECT_FALSE(Tied(records[0], records[1]));
  EXPECT_EQ(records[3].why, "z[1]");
}

TEST_F(FinalsTest, OfOneAreShort) {
  evaluator_.measure = [this](const std::string& source, int before) {
    ++runs_[source];
    return Correct((source == "slow" ? 500 : source == "near" ? 101 : 100) + before % 3);
  };
  const auto contenders =
      CompileYardsticks(evaluator_, {{"record 1", "fast"}, {"x", "near"}, {"y", "slow"}}, 1);
  const auto records = Finals(evaluator_, contenders, kShortFinals, [] { return false; });
  EXPECT_EQ(runs_["slow"], 3);
  EXPECT_EQ(runs_["fast"], 6);              // A tie.
  EXPECT_EQ(records[2].lo_ns, 500 * 1.25);  // The middle of two batches, of which one is slower.
  EXPECT_EQ(records[2].hi_ns, 502 * 1.25);
}

TEST_F(FinalsTest, EndWhenAllIsSettled) {
  second_ = "slow";
  Run();
  EXPECT_EQ(runs_["fast"], 6);
}

TEST_F(FinalsTest, StoppedInTheFirstRoundThereIsNothing) {
  EXPECT_TRUE(Run(2).empty());
  EXPECT_EQ(Run(6).size(), 4u);
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/references.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/search/fake_evaluator.h"

namespace exh::search {
namespace {

using kernels::Verdict;
using testing::ElementsAre;

bool Never() {
  return false;
}

std::vector<Contender> Contenders(FakeEvaluator& evaluator) {
  return CompileYardsticks(evaluator, {{"winner", "w"}, {"naive", "n"}, {"eigen", "e"}}, 2);
}

TEST(MeasureInTurn, TakesTurnsAndKeepsTheBest) {
  FakeEvaluator evaluator;
  std::string turns;
  evaluator.measure = [&](const std::string& source, int before) {
    turns += source;
    return Correct(source == "n" ? 1000 : 100 - before);
  };
  const auto records = MeasureInTurn(evaluator, Contenders(evaluator), 3, Never);
  EXPECT_EQ(turns, "wnewnewne");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].name, "winner");
  EXPECT_EQ(records[0].best_ns, 98);
  EXPECT_EQ(records[0].runtimes_ns.size(), 6u);
  EXPECT_EQ(records[1].best_ns, 1000);
  EXPECT_EQ(records[2].verdict, "correct");
}

TEST(MeasureInTurn, WhatFailsIsNotRunAgain) {
  FakeEvaluator evaluator;
  evaluator.compile = [](const std::string& source) {
    return source == "e" ? Verdict::kCompileError : Verdict::kCorrect;
  };
  std::string turns;
  evaluator.measure = [&](const std::string& source, int) {
    turns += source;
    return source == "n" ? Failed(Verdict::kWrong, "z[1]") : Correct(5);
  };
  const auto records = MeasureInTurn(evaluator, Contenders(evaluator), 2, Never);
  EXPECT_EQ(turns, "wnw");
  EXPECT_EQ(records[1].verdict, "wrong");
  EXPECT_EQ(records[1].why, "z[1]");
  EXPECT_EQ(records[2].verdict, "compile_error");
  EXPECT_EQ(records[2].why, "no such luck");
}

TEST(MeasureInTurn, StoppedInTheFirstRoundThereIsNothingToCompare) {
  FakeEvaluator evaluator;
  EXPECT_TRUE(MeasureInTurn(evaluator, Contenders(evaluator), 3, [&] {
                return evaluator.measured >= 2;
              }).empty());
  FakeEvaluator later;
  EXPECT_EQ(MeasureInTurn(later, Contenders(later), 3, [&] { return later.measured >= 4; }).size(),
            3u);
}

}  // namespace
}  // namespace exh::search

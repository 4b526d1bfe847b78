// SPDX-License-Identifier: MIT
#include "search/measure/references.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "search/report/comparison.h"
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
  EXPECT_EQ(records[2].verdict, kernels::Verdict::kCorrect);
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
  EXPECT_EQ(records[1].verdict, kernels::Verdict::kWrong);
  EXPECT_EQ(records[1].why, "z[1]");
  EXPECT_EQ(records[2].verdict, kernels::Verdict::kCompileError);
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

/// Has yardsticks beside what a FakeEvaluator does.
class WithYardsticks final : public Evaluator {
 public:
  explicit WithYardsticks(std::vector<std::string> names) : names_(std::move(names)) {}
  kernels::Source Emit(const runtime::Candidate&) override { return ""; }
  kernels::Compiled Compile(const kernels::Source& source) override {
    return evaluator_.Compile(source);
  }
  kernels::Measurement Measure(const kernels::Compiled& compiled, const kernels::Cap& cap,
                               Effort effort) override {
    return evaluator_.Measure(compiled, cap, effort);
  }
  std::vector<Contender> Yardsticks(int) override {
    std::vector<Contender> all;
    for (const std::string& name : names_) all.push_back({name, Compile(name)});
    return all;
  }
  void Discard(const kernels::Compiled&) override {}

 private:
  FakeEvaluator evaluator_;
  std::vector<std::string> names_;
};

/// Who was compared with the winner.
std::vector<std::string> ComparedWith(const std::vector<std::string>& known, Yardsticks choice) {
  WithYardsticks evaluator(known);
  const Comparison comparison =
      Compare(evaluator, {{"winner", evaluator.Compile("w")}}, 1, Never, nullptr, choice);
  EXPECT_EQ(comparison.has_yardsticks, choice != Yardsticks::kNone);
  std::vector<std::string> names;
  for (const ReferenceRecord& record : comparison.records) {
    EXPECT_GT(record.median_ns, 0) << "every one has an interval";
    names.push_back(record.name);
  }
  return names;
}

TEST(Compare, WithAllWithLibrariesOrWithNothing) {
  const std::vector<std::string> both = {"naive", "eigen"};
  EXPECT_THAT(ComparedWith(both, Yardsticks::kAll), ElementsAre("winner", "naive", "eigen"));
  EXPECT_THAT(ComparedWith(both, Yardsticks::kLibraries), ElementsAre("winner", "eigen"));
  EXPECT_THAT(ComparedWith({"naive"}, Yardsticks::kLibraries), ElementsAre("winner", "naive"));
  EXPECT_THAT(ComparedWith(both, Yardsticks::kNone), ElementsAre("winner"));
}

Comparison CompareTwo(FakeEvaluator& evaluator) {
  evaluator.measure = [](const std::string& source, int) {
    return Correct(source == "fast" ? 10 : 20);
  };
  const auto contenders =
      CompileYardsticks(evaluator, {{"record 3", "fast"}, {"record 5", "slow"}}, 1);
  return Compare(evaluator, contenders, 1, Never);
}

TEST(Compare, WhatDoesNotPassTheAuditDoesNotWin) {
  FakeEvaluator evaluator;
  std::string audited;
  evaluator.audit = [&](const std::string& source) {
    audited += source + " ";
    return source == "fast" ? Failed(Verdict::kWrong, "run 99") : Correct(20);
  };
  const Comparison comparison = CompareTwo(evaluator);
  EXPECT_EQ(audited, "fast slow ");
  EXPECT_EQ(comparison.winner, 1);
  EXPECT_EQ(comparison.records[0].verdict, kernels::Verdict::kWrong);
  EXPECT_EQ(comparison.records[0].why, "run 99");
  EXPECT_EQ(comparison.records[1].name, "winner");
  EXPECT_EQ(FailureOf(comparison, 2), "");
}

TEST(Compare, NothingWinsWhereEverythingFailsTheAudit) {
  FakeEvaluator evaluator;
  evaluator.audit = [](const std::string& source) { return Failed(Verdict::kCrash, source); };
  const Comparison comparison = CompareTwo(evaluator);
  EXPECT_EQ(comparison.winner, -1);
  EXPECT_EQ(FailureOf(comparison, 2), "crash: fast");
}

TEST(Compare, TheWinnerOfTheRaceIsMeasuredWithTheYardsticks) {
  FakeEvaluator evaluator;
  std::map<std::string, int> runs;
  evaluator.measure = [&](const std::string& source, int) {
    ++runs[source];
    return Correct(source == "fast" ? 10 : 20);
  };
  const auto contenders =
      CompileYardsticks(evaluator, {{"record 3", "slow"}, {"record 5", "fast"}}, 1);
  const Comparison comparison = Compare(evaluator, contenders, 1, Never);
  EXPECT_EQ(comparison.winner, 1);
  EXPECT_EQ(comparison.records[0].name, "record 3");
  EXPECT_EQ(comparison.records[0].runtimes_ns.size(), 2u);  // Out after two rounds.
  EXPECT_EQ(comparison.records[1].name, "winner");
  // Two in the race, one of the audit; the rest are the finals, which its record is of.
  EXPECT_EQ(comparison.records[1].runtimes_ns.size(), static_cast<std::size_t>(runs["fast"] - 3));
}

TEST(Compare, OfWhomTheFinalsSayNothingHasTheTimesOfTheRace) {
  FakeEvaluator evaluator;
  evaluator.measure = [](const std::string& source, int before) {
    if (source == "slow") return Correct(20);
    return before < 2 ? Correct(10) : Failed(Verdict::kStopped, "");
  };
  const auto contenders =
      CompileYardsticks(evaluator, {{"record 3", "slow"}, {"record 5", "fast"}}, 1);
  const Comparison comparison = Compare(evaluator, contenders, 1, Never);
  EXPECT_EQ(comparison.winner, 1);
  EXPECT_EQ(comparison.records[1].verdict, Verdict::kCorrect);
  EXPECT_EQ(comparison.records[1].runtimes_ns.size(), 2u);
}

TEST(Compare, WhatThereIsNoTimeToAuditIsBelieved) {
  FakeEvaluator evaluator;
  evaluator.audit = [](const std::string&) { return Failed(Verdict::kStopped, ""); };
  EXPECT_EQ(CompareTwo(evaluator).winner, 0);
}

}  // namespace
}  // namespace exh::search

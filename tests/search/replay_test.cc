// SPDX-License-Identifier: MIT
#include "search/log/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "search/descend/descent.h"
#include "search/log/decisions.h"
#include "tests/search/temp_folder.h"
#include "tests/search/toy_space.h"

namespace exh::search {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A log with one record, as the explorer would write it.
Log OneRecord(std::uint64_t seed) {
  const runtime::Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  Descender descender(order);
  Random random(seed);
  EXPECT_EQ(descender.Run(root, random, [](const DeadEnd&) {}), DescentResult::kImplementation);
  Log log;
  log.run.emplace();
  log.run->space = "toy";
  log.run->fingerprint = "f00d";
  log.choices = ChoiceRecords(root.instance());
  EvalRecord eval;
  eval.n = 1;
  eval.path = descender.path();
  CompletePath(root, descender.candidate(), order, eval.path);
  eval.vector = VectorText(descender.candidate());
  log.evals.push_back(eval);
  return log;
}

TEST(Replay, LandsOnTheLoggedVector) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Log log = OneRecord(seed);
    runtime::Candidate candidate = ToyRoot();
    ReplayRecord(log, log.evals[0], candidate);
    EXPECT_EQ(VectorText(candidate), log.evals[0].vector) << "seed " << seed;
  }
}

TEST(Replay, GoesByNameNotByNumber) {
  Log log = OneRecord(1);
  // The same log as a space that lists its decisions the other way round would write it.
  const int count = static_cast<int>(log.choices.size());
  std::reverse(log.choices.begin(), log.choices.end());
  for (PathStep& step : log.evals[0].path) step.decision = count - 1 - step.decision;
  log.run->fingerprint = "another";
  runtime::Candidate candidate = ToyRoot();
  const std::string expected = log.evals[0].vector;
  ReplayRecord(log, log.evals[0], candidate);
  EXPECT_EQ(VectorText(candidate), expected);
  const PathStep local = LocalStep(log, log.evals[0].path[0], candidate);
  EXPECT_EQ(local.decision, count - 1 - log.evals[0].path[0].decision);
}

TEST(Replay, ADecisionThatIsGoneNamesBothSpaces) {
  Log log = OneRecord(1);
  const int first = log.evals[0].path[0].decision;
  log.choices[static_cast<std::size_t>(first)].name = "sise";
  log.run->fingerprint = "another";
  runtime::Candidate candidate = ToyRoot();
  EXPECT_THAT(
      Thrown<UsageError>([&] { ReplayRecord(log, log.evals[0], candidate); }),
      AllOf(HasSubstr("record 1: "), HasSubstr("sise"), HasSubstr("another"), HasSubstr("f00d")));
}

TEST(Replay, ADifferentVectorIsNotAccepted) {
  Log log = OneRecord(1);
  log.evals[0].vector[0] = 'Z';
  runtime::Candidate candidate = ToyRoot();
  EXPECT_THAT(Thrown<UsageError>([&] { ReplayRecord(log, log.evals[0], candidate); }),
              HasSubstr("no longer give its decision vector"));
}

TEST(Replay, AContradictionIsTold) {
  Log log = OneRecord(1);
  int colors = 0;
  log.evals[0].path.clear();
  for (const ChoiceRecord& choice : log.choices) {
    if (choice.name == "color" && ++colors <= 2) log.evals[0].path.push_back({choice.index, 0});
  }
  runtime::Candidate candidate = ToyRoot();
  EXPECT_THAT(Thrown<UsageError>([&] { ReplayRecord(log, log.evals[0], candidate); }),
              AllOf(HasSubstr("record 1: color(b)=RED is contradicted"),
                    HasSubstr("left is only GREEN|BLUE")));
}

TEST(Decisions, VectorTextMarksWhatIsOpen) {
  runtime::Candidate candidate = ToyRoot();
  EXPECT_EQ(VectorText(candidate), std::string(candidate.instance().num_decisions(), '?'));
  ASSERT_EQ(Take(candidate, "mode(r)=LOOSE"), runtime::Propagation::kFixpoint);
  EXPECT_EQ(VectorText(candidate)[0], '0');
  const std::string vector = "0A/.?";
  EXPECT_EQ(VectorSize(vector), 5u);
  const int values[] = {0, 10, 63, -1, -1};
  for (std::size_t decision = 0; decision < 5; ++decision) {
    EXPECT_EQ(VectorValue(vector, decision), values[decision]) << decision;
  }
}

TEST(Decisions, CommentsAreNoCode) {
  EXPECT_EQ(WithoutComments("// a\n\n  // b\nint x;  // c\n\t\nint y;"), "int x;  // c\nint y;\n");
}

}  // namespace
}  // namespace exh::search

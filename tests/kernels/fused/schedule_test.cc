// SPDX-License-Identifier: MIT
//
// From statements to scops: what depends on what, and schedules of whole operators.
#include "kernels/fused/schedule/schedules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/fused/inputs.h"
#include "kernels/fused/lower.h"
#include "kernels/fused/merge.h"
#include "kernels/fused/reference.h"
#include "kernels/fused/versions.h"
#include "poly/isl/legality.h"
#include "poly/isl/loops.h"
#include "tests/kernels/fused/operator_files.h"
#include "tests/kernels/fused/operator_text.h"
#include "tests/kernels/fused/statement_oracle.h"

namespace exh::kernels::fused {
namespace {

using testing::GraphOf;
using testing::OperatorJson;

OperatorProgram ProgramOfJson(const nlohmann::json& text) {
  return ProgramOf(StatementsOf(GraphOf(text)));
}

std::vector<std::string> NamesOf(const ProgramPart& part) {
  std::vector<std::string> names;
  for (const poly::ScopStatement& statement : part.scop.statements) names.push_back(statement.name);
  return names;
}

TEST(Versions, EveryTensorIsWrittenOnceAndResultsAreTheSame) {
  for (const auto& [name, graph] : testing::AllOperators()) {
    const StatementList list = StatementsOf(graph), once = WrittenOnce(list);
    std::vector<int> writers(once.tensors.size(), 0);
    for (const Statement& statement : once.statements) {
      ++writers[static_cast<std::size_t>(statement.write.tensor)];
    }
    for (std::size_t i = 0; i < once.tensors.size(); ++i) {
      const bool is_input = once.tensors[i].role == StatementTensor::Role::kInput;
      EXPECT_LE(writers[i], is_input ? 0 : 1) << name << " " << once.tensors[i].name;
      EXPECT_NE(once.tensors[i].role, StatementTensor::Role::kUpdated);
    }
    auto inputs = DrawInputs(graph, 3);
    const auto values = testing::ValuesByStatement(list, inputs);
    inputs.resize(once.tensors.size());
    const auto of_versions = testing::ValuesByStatement(once, inputs);
    for (std::size_t i = 0; i < list.tensors.size(); ++i) {
      if (!list.tensors[i].is_result()) continue;
      const std::string updated = list.tensors[i].name + ", updated";
      const auto found = std::ranges::find_if(once.tensors, [&](const StatementTensor& tensor) {
        return tensor.is_result() &&
               (tensor.name == list.tensors[i].name || tensor.name == updated);
      });
      ASSERT_NE(found, once.tensors.end()) << name << " " << list.tensors[i].name;
      const auto at = static_cast<std::size_t>(found - once.tensors.begin());
      EXPECT_EQ(values[i].values, of_versions[at].values) << name << " " << list.tensors[i].name;
    }
  }
}

TEST(Merged, ComputesTheSame) {
  for (const auto& [name, graph] : testing::AllOperators()) {
    const StatementList list = StatementsOf(graph), merged = Merged(list);
    const auto inputs = DrawInputs(graph, 11);
    const auto values = Evaluate(list, inputs), of_merged = Evaluate(merged, inputs);
    for (std::size_t i = 0; i < list.tensors.size(); ++i) {
      EXPECT_EQ(values[i].reference, of_merged[i].reference) << name << " " << list.tensors[i].name;
      EXPECT_LE(merged.tensors[i].shape.size(), list.tensors[i].shape.size());
    }
  }
}

TEST(Merged, WhatIsOnlyUsedTogetherIsOneDimension) {
  const auto merged = [](const nlohmann::json& text) {
    return TextOf(Merged(StatementsOf(GraphOf(text))));
  };
  EXPECT_EQ(merged(OperatorJson({"x: float32 [2, 3, 1, 4]"},
                                {{"Exp", {"x"}, "y: float32 [2, 3, 1, 4]"}}, {"y"})),
            "y[l] = exp(x[l])    l < 24\n");
  // A row of b is used without the rest.
  EXPECT_EQ(merged(OperatorJson({"x: float32 [2, 3, 4]", "b: float32 [4]"},
                                {{"Add", {"x", "b"}, "y: float32 [2, 3, 4]"}}, {"y"})),
            "y[j, k] = x[j, k] + b[k]    j < 6, k < 4\n");
  // What one statement takes apart is two for the other as well.
  EXPECT_EQ(merged(OperatorJson({"x: float32 [2, 3, 4]"},
                                {{"Exp", {"x"}, "e: float32 [2, 3, 4]"},
                                 {"ReduceSum", {"e"}, "s: float32 [2, 3]", {{"axis", 2}}}},
                                {"e", "s"})),
            "e[j, k] = exp(x[j, k])    j < 6, k < 4\n"
            "s[j] = sum(k) e[j, k]    j < 6, k < 4\n");
  EXPECT_EQ(merged(OperatorJson(
                {"x: float32 [2, 3, 4]"},
                {{"Transpose", {"x"}, "t: float32 [4, 2, 3]", {{"perm", {2, 0, 1}}}}}, {"t"})),
            "t[i, k] = x[k, i]    i < 4, k < 6\n");
}

TEST(FusedProgram, SplitsTheBeginningOfAReductionOff) {
  const OperatorProgram program = ProgramOfJson(
      OperatorJson({"x: float32 [8, 1, 15]"},
                   {{"ReduceSum", {"x"}, "y: float32 [8, 1]", {{"axis", 2}}}}, {"y"}));
  ASSERT_EQ(program.parts.size(), 1u);
  EXPECT_EQ(NamesOf(program.parts[0]),
            (std::vector<std::string>{"ReduceSum_0_begin", "ReduceSum_0"}));
  // Iterators of one step are none of the scop's.
  EXPECT_EQ(program.parts[0].scop.statements[0].iterators.size(), 1u);
  EXPECT_EQ(program.parts[0].scop.statements[1].iterators.size(), 2u);
  EXPECT_EQ(program.arrays.size(), program.list.tensors.size());
}

TEST(FusedProgram, SumsOfHalvesHaveAnArrayAndAnEnd) {
  const OperatorProgram program = ProgramOfJson(OperatorJson(
      {"x: float16 [8, 15]"}, {{"ReduceSum", {"x"}, "y: float16 [8]", {{"axis", 1}}}}, {"y"}));
  EXPECT_EQ(NamesOf(program.parts.at(0)),
            (std::vector<std::string>{"ReduceSum_0_begin", "ReduceSum_0", "ReduceSum_0_end"}));
  ASSERT_EQ(program.arrays.size(), program.list.tensors.size() + 1);
  EXPECT_EQ(program.arrays.back().type, ir::Type::kF32);
}

TEST(FusedProgram, QuotientsOfWhatWasJustWrittenBeginAPart) {
  const auto text = [](const char* read) {
    return OperatorJson(
        {"x: float32 [4, 6]"},
        {{"Exp", {"x"}, "y: float32 [4, 6]"},
         {"Reshape", {read}, "z: float32 [3, 8]", {{"shape", {3, 8}}}},
         {"ReduceMax", {"y"}, "m: float32 [1, 1]", {{"axis", {0, 1}}, {"keep_dims", true}}},
         {"Mul", {"z", "m"}, "w: float32 [3, 8]"}},
        {"y", "z", "w"});
  };
  const OperatorProgram of_written = ProgramOfJson(text("y"));
  ASSERT_EQ(of_written.parts.size(), 2u);
  EXPECT_EQ(NamesOf(of_written.parts[0]), std::vector<std::string>{"Exp_0"});
  EXPECT_EQ(NamesOf(of_written.parts[1]),
            (std::vector<std::string>{"Reshape_1", "ReduceMax_2_begin", "ReduceMax_2", "Mul_3"}));
  EXPECT_EQ(ProgramOfJson(text("x")).parts.size(), 1u);
}

TEST(FusedProgram, WhatHasNothingToDoWithEachOtherIsInPartsOfItsOwn) {
  const OperatorProgram program =
      ProgramOfJson(OperatorJson({"a: float32 [8]", "b: float32 [16]"},
                                 {{"Exp", {"a"}, "x: float32 [8]"},
                                  {"Neg", {"b"}, "y: float32 [16]"},
                                  {"ReduceSum", {"x"}, "s: float32 [1]", {{"axis", 0}}},
                                  {"Sqrt", {"b"}, "z: float32 [16]"}},
                                 {"x", "y", "s", "z"}));
  ASSERT_EQ(program.parts.size(), 3u);
  EXPECT_EQ(NamesOf(program.parts[0]),
            (std::vector<std::string>{"Exp_0", "ReduceSum_2_begin", "ReduceSum_2"}));
  EXPECT_EQ(NamesOf(program.parts[1]), std::vector<std::string>{"Neg_1"});
  EXPECT_EQ(NamesOf(program.parts[2]), std::vector<std::string>{"Sqrt_3"});
}

TEST(FusedSchedules, AreLegalForAllOperatorsInEveryWay) {
  int influenced = 0;
  for (const auto& [name, graph] : testing::AllOperators()) {
    const OperatorProgram program = ProgramOf(StatementsOf(graph));
    for (const auto kind : {poly::DependenceKind::kValue, poly::DependenceKind::kMemory}) {
      const Schedules schedules(program, kind);
      std::vector<ProgramSchedule> all = {schedules.Influenced(), schedules.Original()};
      for (const poly::NamedIslOptions& setting : poly::IslSettings()) {
        all.push_back(schedules.ByIsl(setting));
      }
      for (ProgramSchedule& leaf : schedules.Leaves(6)) all.push_back(std::move(leaf));
      for (const ProgramSchedule& schedule : all) {
        EXPECT_EQ(schedule.why, "") << name << " " << schedule.way;
        for (std::size_t i = 0; i < schedule.parts.size(); ++i) {
          EXPECT_EQ(poly::WhyIllegal(program.parts[i].scop, schedules.parts()[i].dependences,
                                     schedule.parts[i]),
                    "")
              << name << " " << schedule.way;
        }
      }
      influenced += all[0].leaves[0].empty() ? 0 : 1;
      EXPECT_GT(all[0].cost.systems, 0) << name;
    }
  }
  EXPECT_GT(influenced, 6);
}

/// A setting of isl may not end, whatever it is asked: the others have their schedules all the
/// same.
TEST(FusedSchedules, WaitForIslNoLongerThanTheyMay) {
  const OperatorProgram program = ProgramOfJson(OperatorJson(
      {"x: float32 [2, 3]"},
      {{"Reshape", {"x"}, "r: float32 [6]"}, {"Neg", {"r"}, "u: float32 [6]"}}, {"r", "u"}));
  const Schedules schedules(program, poly::DependenceKind::kValue, {.seconds = 0.3});
  int found = 0;
  for (const poly::NamedIslOptions& setting : poly::IslSettings()) {
    const ProgramSchedule schedule = schedules.ByIsl(setting);
    found += schedule.why.empty() ? 1 : 0;
    if (schedule.in_time) continue;
    EXPECT_EQ(schedule.why, "isl did not end within 0.3 s") << setting.name;
  }
  EXPECT_GE(found, 3);
}

TEST(FusedSchedules, HearTheirToken) {
  const OperatorProgram program = ProgramOfJson(
      OperatorJson({"x: float32 [64, 32]"}, {{"Exp", {"x"}, "y: float32 [64, 32]"}}, {"y"}));
  StopToken stop;
  const Schedules schedules(program, poly::DependenceKind::kValue, {.stop = &stop});
  stop.Stop();
  EXPECT_THROW(Schedules(program, poly::DependenceKind::kValue, {.stop = &stop}), Interrupted);
  EXPECT_EQ(schedules.ByIsl(poly::IslSettings().front()).why,
            "isl did not end within what was left of the budget");
}

TEST(FusedSchedules, TransposesWriteOrReadNeighboursInnermost) {
  const OperatorProgram program =
      ProgramOfJson(OperatorJson({"x: float32 [64, 32]"},
                                 {{"Transpose", {"x"}, "t: float32 [32, 64]", {{"perm", {1, 0}}}},
                                  {"Exp", {"t"}, "y: float32 [32, 64]"}},
                                 {"y"}));
  const Schedules schedules(program, poly::DependenceKind::kValue);
  const ProgramSchedule schedule = schedules.Influenced();
  ASSERT_FALSE(schedule.leaves.at(0).empty());
  const std::string text = ExplanationOf(schedules);
  for (const char* piece :
       {"scenario 0, cost", "tree\n", "dimension 0:", "reached '0 ", "loops\nfor"}) {
    EXPECT_NE(text.find(piece), std::string::npos) << piece << "\n" << text;
  }
}

TEST(FusedSchedules, LeavesDifferFromTheFirstAndFromEachOther) {
  const OperatorProgram program = ProgramOfJson(
      OperatorJson({"x: float32 [64, 32]"},
                   {{"Transpose", {"x"}, "t: float32 [32, 64]", {{"perm", {1, 0}}}}}, {"t"}));
  const Schedules schedules(program, poly::DependenceKind::kValue);
  std::vector<ProgramSchedule> all = schedules.Leaves(5);
  all.push_back(schedules.Influenced());
  ASSERT_GE(all.size(), 2u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(all[i].parts[0].statements, all[j].parts[0].statements);
    }
  }
  EXPECT_TRUE(schedules.Leaves(0).empty());
}

// The paper's Figure 2(a), with a sum for its Y, leads to its Figure 2(c) at once: the beginning of
// the sum waits until the sum has no more rows than it.
TEST(Schedules, TheRunningExampleOfThePaperIsItsFigure2c) {
  for (auto& [name, graph] : testing::AllOperators()) {
    if (name != "running_example") continue;
    const OperatorProgram program = ProgramOf(StatementsOf(graph));
    const Schedules schedules(program, poly::DependenceKind::kValue);
    const ProgramSchedule influenced = schedules.Influenced();
    ASSERT_EQ(influenced.why, "");
    EXPECT_EQ(influenced.leaves, std::vector<std::string>{"0 fused"});
    EXPECT_EQ(poly::LoopsText(program.parts[0].scop, influenced.parts[0]),
              "for (int c0 = 0; c0 < n0; c0 += 1)\n"
              "  for (int c1 = 0; c1 < n0; c1 += 1) {\n"
              "    Exp_0(c0, c1);\n"
              "    for (int c2 = 0; c2 < n0; c2 += 1) {\n"
              "      if (c1 == 0)\n"
              "        ReduceSum_4_begin(c0, c2);\n"
              "      ReduceSum_4(c0, c2, c1);\n"
              "    }\n"
              "  }\n");
    return;
  }
  FAIL() << "no running_example";
}

}  // namespace
}  // namespace exh::kernels::fused

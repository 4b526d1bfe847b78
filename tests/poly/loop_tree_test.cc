// SPDX-License-Identifier: MIT
#include "poly/isl/loop_tree.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/loops/loop_text.h"
#include "poly/isl/legality.h"
#include "poly/scheduler.h"
#include "poly/tree_text.h"
#include "tests/poly/scops.h"

namespace exh::poly {
namespace {

using kernels::loops::ToText;

TEST(LoopTreeTest, HasTheLoopsOfFigure2cAtTheirSizes) {
  const Scop scop = Figure2(256);
  const auto dependences = DependencesOf(scop, DependenceKind::kValue);
  const Schedule schedule = Scheduler(scop, dependences).Find(Figure3()).schedule;
  const NestNode tree = LoopTreeOf(scop, schedule);
  EXPECT_EQ(ToText(tree),
            "loop c0:256\n"
            "  loop c1:256\n"
            "    statement 0(c0, c1)\n"
            "    loop c3:256\n"
            "      statement 1(c0, c3, c1)\n");
  EXPECT_EQ(RowOf(tree), 0);
  EXPECT_EQ(kernels::loops::StatementsIn(tree), (std::set<int>{0, 1}));
}

TEST(LoopTreeTest, LoopsOfTheProgramItselfStandOneAfterTheOther) {
  const Scop scop = Figure2(3);  // Extents that are no parameters.
  EXPECT_EQ(ToText(LoopTreeOf(scop, OriginalSchedule(scop))),
            "loop c1:3\n"
            "  loop c3:3\n"
            "    statement 0(c1, c3)\n"
            "loop c1:3\n"
            "  loop c3:3\n"
            "    loop c5:3\n"
            "      statement 1(c1, c3, c5)\n");
}

TEST(LoopTreeTest, ShiftedRowsBeginElsewhere) {
  // Y runs one iteration behind X.
  const Scop scop = {.statements = {{.name = "X", .iterators = {{"i", 8}}},
                                    {.name = "Y", .iterators = {{"i", 8}}}}};
  const Schedule schedule = {.num_parameters = 1,
                             .rows = {{}, {.is_scalar = true}},
                             .statements = {{{1, 0, 0}, {0, 0, 0}}, {{1, 0, 1}, {0, 0, 1}}}};
  const std::string text = ToText(LoopTreeOf(scop, schedule));
  EXPECT_NE(text.find("statement 1(c0 - 1)"), std::string::npos) << text;
}

TEST(CarriedByTest, SaysWhichRowsOrderADependence) {
  const Scop scop = Figure2(64);
  const auto dependences = DependencesOf(scop, DependenceKind::kValue);
  const Schedule schedule = Scheduler(scop, dependences).Find(Figure3()).schedule;
  const auto carried = CarriedBy(scop, dependences, schedule);
  ASSERT_EQ(carried.size(), 4u);
  for (std::size_t i = 0; i < dependences.size(); ++i) {
    // Y sums up along k, which is row 1; X comes before Y by row 2.
    const bool is_sum = dependences[i].source == dependences[i].target;
    for (std::size_t row = 0; row < carried.size(); ++row) {
      EXPECT_EQ(carried[row][i], row == (is_sum ? 1u : 2u)) << row << " " << i;
    }
  }
}

TEST(SeparatedByTest, SaysWhichRowsGiveADependenceTwoDates) {
  const Scop scop = Figure2(64);
  const auto dependences = DependencesOf(scop, DependenceKind::kValue);
  const Schedule schedule = Scheduler(scop, dependences).Find(Figure3()).schedule;
  const auto separated = SeparatedBy(scop, dependences, schedule);
  const auto carried = CarriedBy(scop, dependences, schedule);
  ASSERT_EQ(separated.size(), 4u);
  for (std::size_t i = 0; i < dependences.size(); ++i) {
    EXPECT_FALSE(separated[0][i]) << "both statements have the i of the row: a loop of threads";
    for (std::size_t row = 0; row < separated.size(); ++row) {
      // What orders a pair gives it two dates. Y's sum stays at its i and j.
      if (carried[row][i]) {
        EXPECT_TRUE(separated[row][i]) << row << " " << i;
      }
      if (dependences[i].source == dependences[i].target) {
        EXPECT_EQ(separated[row][i], row == 1) << row << " " << i;
      }
    }
  }
}

/// Conditions of loops that end at a choice, `c < d ? 0 : 1`.
std::vector<std::string> Choices(const NestNode& nest) {
  std::vector<std::string> found;
  for (const NestNode* loop : kernels::loops::LoopsOf(nest)) {
    const std::string text = loop->range.condition.Text();
    if (text.find('?') != std::string::npos) found.push_back(text);
  }
  return found;
}

// A loop that runs once may begin at a choice, which binds less than a comparison.
TEST(LoopTreeTest, BoundsThatAreChoicesStandInBrackets) {
  const Scop scop = {
      .statements = {{.name = "R", .iterators = {{"i", 4}, {"j", 8}, {"k", 4}, {"l", 8}}}}};
  const Schedule schedule = {.num_parameters = 2,
                             .rows = {{}, {}, {}, {}},
                             .statements = {{{8, 1, 0, 0, 0, 0, 0},
                                             {1, 0, 0, 0, 0, 0, 0},
                                             {7, 0, 8, 1, 0, 0, 0},
                                             {0, 0, 1, 0, 0, 0, 0}}}};
  const std::vector<std::string> choices = Choices(LoopTreeOf(scop, schedule));
  ASSERT_FALSE(choices.empty());
  for (const std::string& choice : choices) {
    EXPECT_NE(choice.find("<= ("), std::string::npos) << choice;
  }
}

TEST(TreeTextTest, SaysWhatEachNodeAsksFor) {
  const Scop scop = Figure2(256);
  EXPECT_EQ(TreeText(scop, Figure3()),
            "dimension 0: X.i = Y.i, Y.j = 0, X.k = Y.k\n"
            "  dimension 1: X.i = Y.i, Y.j = 0, X.k = Y.k\n"
            "    dimension 2: Y.j = 1    (alike)\n"
            "dimension 0: Y.j = 0\n"
            "  dimension 1: Y.j = 0\n"
            "    dimension 2: Y.j = 1    (vector only)\n");
}

TEST(TreeTextTest, SaysWhatScenariosReserve) {
  const Scop scop = Figure2(256);
  const std::string text = ScenariosText(scop, ScenariosOf(scop, {}));
  EXPECT_EQ(text.substr(0, 11), "scenario 0,");
  EXPECT_NE(text.find("Y: "), std::string::npos) << text;
  EXPECT_NE(text.find(" by 4"), std::string::npos) << text;
}

}  // namespace
}  // namespace exh::poly

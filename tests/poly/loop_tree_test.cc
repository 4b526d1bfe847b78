// SPDX-License-Identifier: MIT
#include "poly/isl/loop_tree.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "poly/isl/legality.h"
#include "poly/scheduler.h"
#include "poly/tree_text.h"
#include "tests/poly/scops.h"

namespace exh::poly {
namespace {

using Kind = ScopNode::Kind;

// "c0<256{c1<256{X(c0,c1);c3<256{Y(c0,c3,c1);}}}"
std::string TextOf(const Scop& scop, const ScopNode& node) {
  std::string text;
  switch (node.kind) {
    case Kind::kBlock:
      for (const ScopNode& child : node.children) text += TextOf(scop, child);
      return text;
    case Kind::kLoop:
      return node.variable.name + "<" + std::to_string(node.extent.value_or(-1)) + "{" +
             TextOf(scop, node.children.at(0)) + "}";
    case Kind::kIf:
      return "if " + node.condition.Text() + "{" + TextOf(scop, node.children.at(0)) + "}";
    case Kind::kCall:
      break;
  }
  text = scop.statements[static_cast<std::size_t>(node.statement)].name + "(";
  for (std::size_t i = 0; i < node.arguments.size(); ++i)
    text += (i > 0 ? "," : "") + node.arguments[i].Text();
  return text + ");";
}

TEST(LoopTreeTest, HasTheLoopsOfFigure2cAtTheirSizes) {
  const Scop scop = Figure2(256);
  const auto dependences = DependencesOf(scop, DependenceKind::kValue);
  const Schedule schedule = Scheduler(scop, dependences).Find(Figure3()).schedule;
  const ScopNode tree = LoopTreeOf(scop, schedule);
  EXPECT_EQ(TextOf(scop, tree), "c0<256{c1<256{X(c0,c1);c3<256{Y(c0,c3,c1);}}}");
  EXPECT_EQ(tree.row, 0);
  EXPECT_EQ(tree.Statements(), (std::vector<int>{0, 1}));
}

TEST(LoopTreeTest, LoopsOfTheProgramItselfStandOneAfterTheOther) {
  const Scop scop = Figure2(3);  // Extents that are no parameters.
  EXPECT_EQ(TextOf(scop, LoopTreeOf(scop, OriginalSchedule(scop))),
            "c1<3{c3<3{X(c1,c3);}}c1<3{c3<3{c5<3{Y(c1,c3,c5);}}}");
}

TEST(LoopTreeTest, ShiftedRowsBeginElsewhere) {
  // Y runs one iteration behind X.
  const Scop scop = {.statements = {{.name = "X", .iterators = {{"i", 8}}},
                                    {.name = "Y", .iterators = {{"i", 8}}}}};
  const Schedule schedule = {.num_parameters = 1,
                             .rows = {{}, {.is_scalar = true}},
                             .statements = {{{1, 0, 0}, {0, 0, 0}}, {{1, 0, 1}, {0, 0, 1}}}};
  const ScopNode tree = LoopTreeOf(scop, schedule);
  const std::string text = TextOf(scop, tree);
  EXPECT_NE(text.find("Y(c0 - 1)"), std::string::npos) << text;
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
std::vector<std::string> Choices(const ScopNode& node) {
  std::vector<std::string> found;
  if (node.kind == Kind::kLoop && node.condition.Text().find('?') != std::string::npos) {
    found.push_back(node.condition.Text());
  }
  for (const ScopNode& child : node.children) {
    for (std::string& condition : Choices(child)) found.push_back(std::move(condition));
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

// SPDX-License-Identifier: MIT
#include "poly/scheduler.h"

#include <gtest/gtest.h>

#include "poly/isl/legality.h"
#include "poly/isl/loops.h"
#include "tests/poly/scops.h"

namespace exh::poly {
namespace {

using Outcome = Scheduled::Outcome;

constexpr DependenceKind kKinds[] = {DependenceKind::kValue, DependenceKind::kMemory};

Scheduled Find(const Scop& scop, DependenceKind kind, const InfluenceTree& tree) {
  return Scheduler(scop, DependencesOf(scop, kind)).Find(tree);
}

TEST(SchedulerTest, LeadsFromFigure2aToFigure2c) {
  for (const DependenceKind kind : kKinds) {
    const Scop scop = Figure2(256);
    const Scheduled found = Find(scop, kind, Figure3());
    EXPECT_EQ(found.outcome, Outcome::kInfluenced);
    EXPECT_EQ(found.leaf, "alike");
    EXPECT_EQ(EventsText(found), "");
    EXPECT_EQ(found.num_systems, 3);
    EXPECT_EQ(TableText(scop, found.schedule),
              "row  X  Y\n"
              "0    i  i  band 0, parallel\n"
              "1    k  k  band 0\n"
              "2    0  1  scalar\n"
              "3    0  j  band 2, parallel\n");
    EXPECT_EQ(LoopsText(scop, found.schedule),
              "for (int c0 = 0; c0 < n0; c0 += 1)\n"
              "  for (int c1 = 0; c1 < n0; c1 += 1) {\n"
              "    X(c0, c1);\n"
              "    for (int c3 = 0; c3 < n0; c3 += 1)\n"
              "      Y(c0, c3, c1);\n"
              "  }\n");
  }
}

// n0 x n0 points of one statement, or n0 of two, and what the pairs of their only dependence
// satisfy beyond that.
Scop OneStatement() {
  return {.statements = {{.name = "S", .iterators = {{"i", 64}, {"k", 64}}}}};
}

Scop TwoStatements() {
  return {.statements = {{.name = "X", .iterators = {{"i", 64}}},
                         {.name = "Y", .iterators = {{"j", 64}}}}};
}

Dependence Between(int source, int target, int num_variables, IntMatrix equalities) {
  Polyhedron pairs{
      .num_variables = num_variables, .num_parameters = 1, .equalities = std::move(equalities)};
  for (int i = 0; i < num_variables; ++i) {
    IntRow from_zero(num_variables + 2, 0), below_n(num_variables + 2, 0);
    from_zero[i] = 1;
    below_n[i] = -1;
    below_n[num_variables] = 1;
    below_n.back() = -1;
    pairs.inequalities.push_back(std::move(from_zero));
    pairs.inequalities.push_back(std::move(below_n));
  }
  return {.source = source, .target = target, .pairs = std::move(pairs)};
}

// A node that wants a row of one statement, by its iterators.
InfluenceNode Wants(int statement, int depth, const IntRow& row, std::string label = "") {
  InfluenceNode node{.label = std::move(label)};
  for (std::size_t i = 0; i < row.size(); ++i) {
    node.rows.push_back(Fixed(statement, depth, static_cast<int>(i), row[i]));
  }
  return node;
}

std::vector<SchedulerStep> StepsOf(const Scheduled& found) {
  std::vector<SchedulerStep> steps;
  for (const ScheduleEvent& event : found.events) steps.push_back(event.step);
  return steps;
}

TEST(SchedulerTest, DropsProgressionWhereInfluenceWantsMoreDimensions) {
  InfluenceTree tree;
  AddPath(tree, {Wants(0, 0, {1, 0}), Wants(0, 1, {1, 0}), Wants(0, 2, {0, 1}, "i i k")});
  const Scop scop = OneStatement();
  const Scheduled found = Scheduler(scop, {}).Find(tree);
  EXPECT_EQ(StepsOf(found), (std::vector{SchedulerStep::kDropProgression}));
  EXPECT_EQ(EventsText(found), "dimension 1: (1) without progression\n");
  EXPECT_EQ(found.leaf, "i i k");
  EXPECT_EQ(found.num_systems, 4);
  EXPECT_EQ(found.num_infeasible, 1);
  EXPECT_EQ(TableText(scop, found.schedule),
            "row  S\n"
            "0    i  band 0, parallel\n"
            "1    i  band 0, parallel\n"
            "2    k  band 0, parallel\n");
}

TEST(SchedulerTest, TakesTheNextSibling) {
  InfluenceTree tree{{Wants(0, 0, {0}, "zero"), Wants(0, 0, {1}, "one")}};
  const Scheduled found =
      Scheduler(TwoStatements(), {Between(0, 0, 2, {{1, -1, 0, 1}})}).Find(tree);
  EXPECT_EQ(StepsOf(found), (std::vector{SchedulerStep::kNextSibling}));
  EXPECT_EQ(EventsText(found), "dimension 0: (2) next sibling, after 'zero'\n");
  EXPECT_EQ(found.outcome, Outcome::kInfluenced);
  EXPECT_EQ(found.leaf, "one");
  EXPECT_EQ(found.num_systems, 2);
  EXPECT_EQ(found.num_infeasible, 1);
}

// Of S(t, x) to S(t + 1, y) for all y: t orders it, and no row with x keeps it.
TEST(SchedulerTest, EndsABandWhereRowsHaveOrderedDependences) {
  const Scop scop = OneStatement();
  const Scheduled found = Scheduler(scop, {Between(0, 0, 4, {{1, 0, -1, 0, 0, 1}})}).Find({});
  EXPECT_EQ(StepsOf(found), (std::vector{SchedulerStep::kDropSatisfied}));
  EXPECT_EQ(found.num_systems, 3);
  EXPECT_EQ(found.num_infeasible, 1);
  EXPECT_EQ(TableText(scop, found.schedule),
            "row  S\n"
            "0    i  band 0\n"
            "1    k  band 1, parallel\n");
}

TEST(SchedulerTest, GoesBackToTheSiblingOfAnAncestor) {
  InfluenceTree tree;
  AddPath(tree, {Wants(1, 0, {1, 0, 0}, "i"), Wants(1, 1, {1, 0, 0}, "i again")});
  AddPath(tree, {Wants(1, 0, {0, 0, 1}, "k")});
  const Scop scop = Figure2(64);
  for (const DependenceKind kind : kKinds) {
    const Scheduled found = Find(scop, kind, tree);
    EXPECT_EQ(StepsOf(found), (std::vector{SchedulerStep::kAncestorSibling}));
    EXPECT_EQ(EventsText(found), "dimension 1: (4) sibling of an ancestor, after 'i again'\n");
    EXPECT_EQ(found.leaf, "k");
    EXPECT_EQ(found.schedule.statements[1][0], (IntRow{0, 0, 1, 0, 0}));
    EXPECT_EQ(found.num_infeasible, 1);
    EXPECT_EQ(found.num_systems, 5);
  }
}

TEST(SchedulerTest, SplitsStatementsThatNoRowHoldsTogether) {
  const Scop scop = TwoStatements();
  const Scheduled found = Scheduler(scop, {Between(0, 1, 2, {})}).Find({});
  EXPECT_EQ(StepsOf(found), (std::vector{SchedulerStep::kSplit}));
  // The row, both statements as one group, and the row once more.
  EXPECT_EQ(found.num_systems, 3);
  EXPECT_EQ(found.num_infeasible, 2);
  EXPECT_EQ(TableText(scop, found.schedule),
            "row  X  Y\n"
            "0    0  1  scalar\n"
            "1    i  j  band 2, parallel\n");
}

// Three in a row, of which only the last needs all of what comes before: the first two stay
// together.
TEST(SchedulerTest, SplitsWhereItMust) {
  Scop scop = TwoStatements();
  scop.statements.push_back({.name = "Z", .iterators = {{"l", 64}}});
  const Scheduled found =
      Scheduler(scop, {Between(0, 1, 2, {{1, -1, 0, 0}}), Between(1, 2, 2, {})}).Find({});
  EXPECT_EQ(StepsOf(found), (std::vector{SchedulerStep::kSplit}));
  EXPECT_EQ(TableText(scop, found.schedule),
            "row  X  Y  Z\n"
            "0    0  0  1  scalar\n"
            "1    i  j  l  band 2, parallel\n"
            "2    0  1  0  scalar\n");
}

TEST(SchedulerTest, IsAsWithoutInfluenceWhereNoScenarioIsFeasible) {
  const Scop scop = Figure2(64);
  InfluenceTree tree;
  AddPath(tree, {Wants(1, 0, {1, 0, 0}, "i"), Wants(1, 1, {1, 0, 0}, "i again")});
  AddPath(tree, {Wants(1, 0, {0, 0, 0}, "nothing")});
  for (const DependenceKind kind : kKinds) {
    const Scheduled found = Find(scop, kind, tree);
    EXPECT_EQ(found.outcome, Outcome::kUninfluenced);
    EXPECT_EQ(found.leaf, "");
    EXPECT_EQ(found.NumSteps(SchedulerStep::kLeaveTree), 1);
    const Scheduled without = Find(scop, kind, {});
    EXPECT_EQ(without.events.size(), 0U);
    EXPECT_EQ(TableText(scop, found.schedule), TableText(scop, without.schedule));
  }
}

TEST(SchedulerTest, AsksForParallelDimensions) {
  const Scop scop = Figure2(64);
  InfluenceNode k = Wants(1, 0, {0, 0, 1}, "k");
  k.parallel = true;
  InfluenceNode j = Wants(1, 0, {0, 1, 0}, "j");
  j.parallel = true;
  const Scheduled found = Find(scop, DependenceKind::kValue, {{k, j}});
  EXPECT_EQ(found.leaf, "j");
  // No row of X is that of Y where Y has j: X comes before all of Y.
  EXPECT_EQ(StepsOf(found), (std::vector{SchedulerStep::kNextSibling, SchedulerStep::kSplit}));
  EXPECT_TRUE(found.schedule.rows[0].is_scalar);
  EXPECT_EQ(found.schedule.statements[1][1], (IntRow{0, 1, 0, 0, 0}));
  EXPECT_TRUE(found.schedule.rows[1].is_parallel);
}

// As EndsABand..., but the second row must not begin a new band.
TEST(SchedulerTest, AsksForPermutableDimensions) {
  InfluenceNode second = Wants(0, 1, {0, 1}, "x in the same band");
  const std::vector<Dependence> all_of_next = {Between(0, 0, 4, {{1, 0, -1, 0, 0, 1}})};
  InfluenceTree tree;
  AddPath(tree, {Wants(0, 0, {1, 0}), second});
  EXPECT_EQ(Scheduler(OneStatement(), all_of_next).Find(tree).outcome, Outcome::kInfluenced);
  tree.nodes[0].children[0].permutable = true;
  EXPECT_EQ(Scheduler(OneStatement(), all_of_next).Find(tree).outcome, Outcome::kUninfluenced);
}

TEST(SchedulerTest, TakesTheOrderOfTheProgramWhenNothingIsFound) {
  const Scop scop = Figure2(64);
  const Scheduled found =
      Scheduler(scop, DependencesOf(scop, DependenceKind::kValue), {.max_nodes = 0})
          .Find(Figure3());
  EXPECT_EQ(found.outcome, Outcome::kOriginal);
  EXPECT_EQ(found.events.back().step, SchedulerStep::kOriginalOrder);
  EXPECT_EQ(LoopsText(scop, found.schedule), LoopsText(scop, OriginalSchedule(scop)));
}

TEST(SchedulerTest, ExchangesLoopsByInfluence) {
  InfluenceTree tree;
  AddPath(tree, {Wants(0, 0, {0, 1}), Wants(0, 1, {1, 0}, "k i")});
  const Scheduled found = Scheduler(OneStatement(), {}).Find(tree);
  EXPECT_EQ(found.schedule.statements[0], (IntMatrix{{0, 1, 0, 0}, {1, 0, 0, 0}}));
}

}  // namespace
}  // namespace exh::poly

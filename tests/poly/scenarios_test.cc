// SPDX-License-Identifier: MIT
#include "poly/scenarios.h"

#include <gtest/gtest.h>

#include "poly/isl/loops.h"
#include "poly/scheduler.h"
#include "tests/poly/scops.h"

namespace exh::poly {
namespace {

constexpr int kX = 0, kY = 1, kI = 0, kJ = 1, kK = 2;

TEST(ScenariosTest, KnowsWhichAccessesCanBeVectors) {
  Scop scop = Figure2(64);
  const auto vector = [&](int access, int iterator) {
    return VectorAccessOf(scop, kY, access, iterator);
  };
  // C[i][j], B[i][k], D[k][i][j] along j.
  EXPECT_TRUE(vector(0, kJ).is_contiguous);
  EXPECT_EQ(vector(0, kJ).width, 4);
  EXPECT_TRUE(vector(1, kJ).is_constant);
  EXPECT_EQ(vector(1, kJ).width, 4);
  EXPECT_EQ(vector(2, kJ).width, 4);
  EXPECT_EQ(vector(2, kK).width, 0);
  // A vector has 16 bytes at most.
  scop.arrays[3].element_bytes = 8;
  EXPECT_EQ(vector(2, kJ).width, 2);
  // Rows of 65 elements do not begin where vectors do.
  scop.arrays[3].extents = {64, 64, 65};
  EXPECT_EQ(vector(2, kJ).width, 0);
  scop.arrays[0].extents = {64, 66};
  scop.statements[kX].accesses[0].map[1].back() = 2;
  EXPECT_EQ(VectorAccessOf(scop, kX, 0, 1).width, 2);
  scop.statements[kX].accesses[0].map[1].back() = 1;
  EXPECT_EQ(VectorAccessOf(scop, kX, 0, 1).width, 0);
}

// By hand: w1 |Vw| + w2 |Vr| + w3 / M + w4 |C| + w5 N / L.
TEST(ScenariosTest, CostsWhatTheFormulaSays) {
  const Scop scop = Figure2(64);
  EXPECT_DOUBLE_EQ(CostOf(scop, kY, kJ, true, 1024, {}), 5 * 1 + 3 * 3 + 1 + 4 + 64.0 / 1024);
  EXPECT_DOUBLE_EQ(CostOf(scop, kY, kJ, false, 1024, {}), 1 + 4 + 64.0 / 1024);
  // Along k: C twice at stride 0, as good as B at stride 1; beside B's, as C is constant, it is
  // vectors. D is scattered.
  EXPECT_DOUBLE_EQ(CostOf(scop, kY, kK, true, 1024, {}), 5 * 1 + 3 * 2 + 1 + 3 + 64.0 / 1024 - 3);
  EXPECT_DOUBLE_EQ(CostOf(scop, kY, kI, false, 16, {}), 1.0 / 64 + 4.0 / 64 + 1);
  EXPECT_DOUBLE_EQ(CostOf(scop, kY, kI, false, 1024, {.as_printed = true}),
                   1.0 / 64 + 4 + 1024.0 / 64);
  EXPECT_DOUBLE_EQ(CostOf(scop, kY, kI, false, 64, {}), 1.0 / 64 + 4.0 / 64 + 1);
}

// A transpose whose rows are no vectors where it writes, and are where it reads: neighbours are
// written. What is constant along an iterator makes it no vector by itself.
TEST(ScenariosTest, StoresThatAreScatteredCostMoreThanLoads) {
  Scop scop;
  scop.arrays = {{.name = "x", .extents = {49, 2048}, .element_bytes = 4},
                 {.name = "y", .extents = {2048, 49}, .element_bytes = 4},
                 {.name = "s", .extents = {2048}, .element_bytes = 4}};
  ScopStatement copy{.name = "T", .iterators = {{"i", 2048}, {"j", 49}}};
  copy.accesses = {{.array = 1, .is_write = true, .map = {{1, 0, 0}, {0, 1, 0}}},
                   {.array = 0, .map = {{0, 1, 0}, {1, 0, 0}}}};
  scop.statements = {copy};
  EXPECT_DOUBLE_EQ(CostOf(scop, 0, 0, true, 1, {}), 3 + 1 + 1 + 1 - 8);
  EXPECT_DOUBLE_EQ(CostOf(scop, 0, 1, true, 1, {}), 1 + 1 + 1 - 3);
  EXPECT_EQ(ScenariosOf(scop, {})[0].statements[0].iterators.back(), 1);
  // y[i, j] = s[i] three times: along j all loads are constant, and nothing is a vector.
  scop.statements[0].accesses.resize(1);
  for (int i = 0; i < 3; ++i) {
    scop.statements[0].accesses.push_back({.array = 2, .map = {{1, 0, 0}}});
  }
  EXPECT_DOUBLE_EQ(CostOf(scop, 0, 1, true, 1, {}), 1 + 4 + 1);
}

// Images whose three colours become innermost: next to them come the many points of one image,
// along which reads are neighbours, and not the images.
TEST(ScenariosTest, MoreThanThreadsIsNoLessThanThreads) {
  Scop scop;
  scop.arrays = {{.name = "x", .extents = {64, 3, 50176}, .element_bytes = 4},
                 {.name = "y", .extents = {64, 50176, 3}, .element_bytes = 4}};
  ScopStatement copy{.name = "T", .iterators = {{"i", 64}, {"k", 50176}, {"l", 3}}};
  copy.accesses = {
      {.array = 1, .is_write = true, .map = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}},
      {.array = 0, .map = {{1, 0, 0, 0}, {0, 0, 1, 0}, {0, 1, 0, 0}}}};
  scop.statements = {copy};
  EXPECT_GT(CostOf(scop, 0, 1, false, 1024.0 / 3, {}), CostOf(scop, 0, 0, false, 1024.0 / 3, {}));
}

// The first statement must leave its threads to the second: the paper's program divides one budget.
TEST(ScenariosTest, GivesEachStatementItsThreads) {
  Scop scop = Figure2(16);
  scop.statements.push_back(scop.statements[kY]);
  scop.statements.back().name = "Z";
  const std::vector<Scenario> scenarios = ScenariosOf(scop, {});
  EXPECT_EQ(scenarios[0].statements[1].iterators, scenarios[0].statements[2].iterators);
  EXPECT_EQ(scenarios[0].statements[1].cost, scenarios[0].statements[2].cost);
}

TEST(ScenariosTest, OfFigure2LeadToFigure2c) {
  const Scop scop = Figure2(256);
  const std::vector<Scenario> scenarios = ScenariosOf(scop, {});
  ASSERT_EQ(scenarios.size(), 4U);  // The best, one other of X, two others of Y.
  EXPECT_EQ(scenarios[0].statements[kX].iterators, (std::vector{0, 1}));
  EXPECT_EQ(scenarios[0].statements[kX].vector_width, 4);
  // With k as the next one two accesses stay at an element. With i all four have the least stride,
  // a large one; the formula as it is printed takes that.
  EXPECT_EQ(scenarios[0].statements[kY].iterators, (std::vector{kI, kK, kJ}));
  EXPECT_EQ(scenarios[0].statements[kY].vector_width, 4);
  for (std::size_t i = 1; i < scenarios.size(); ++i)
    EXPECT_LE(scenarios[i].cost, scenarios[i - 1].cost);
  for (const DependenceKind kind : {DependenceKind::kValue, DependenceKind::kMemory}) {
    const auto dependences = DependencesOf(scop, kind);
    const Scheduled found = Scheduler(scop, dependences).Find(TreeOf(scop, dependences, scenarios));
    EXPECT_EQ(found.leaf, "0 fused");
    EXPECT_EQ(LoopsText(scop, found.schedule),
              "for (int c0 = 0; c0 < n0; c0 += 1)\n"
              "  for (int c1 = 0; c1 < n0; c1 += 1) {\n"
              "    X(c0, c1);\n"
              "    for (int c3 = 0; c3 < n0; c3 += 1)\n"
              "      Y(c0, c3, c1);\n"
              "  }\n");
  }
}

TEST(ScenariosTest, AreNeverTooMany) {
  const Scop scop = FusedOperator(12, 1);
  const std::vector<Scenario> scenarios = ScenariosOf(scop, {});
  EXPECT_EQ(scenarios.size(), 8U);
  const auto dependences = DependencesOf(scop, DependenceKind::kValue);
  const std::size_t num_leaves = PathsOf(TreeOf(scop, dependences, scenarios)).size();
  EXPECT_GE(num_leaves, 16U);
  EXPECT_LE(num_leaves, 40U);
}

// A transpose: B[j][i] = A[i][j]. The store counts more than the load: i becomes the innermost.
TEST(ScenariosTest, PutTheStoreOfATransposeFirst) {
  Scop scop;
  scop.arrays = {{"A", {64, 64}}, {"B", {64, 64}}};
  scop.statements.push_back(
      {.name = "T",
       .iterators = {{"i", 64}, {"j", 64}},
       .accesses = {{0, false, {{1, 0, 0}, {0, 1, 0}}}, {1, true, {{0, 1, 0}, {1, 0, 0}}}}});
  const auto dependences = DependencesOf(scop, DependenceKind::kMemory);
  EXPECT_TRUE(dependences.empty());
  const Scheduled found =
      Scheduler(scop, dependences).Find(TreeOf(scop, dependences, ScenariosOf(scop, {})));
  EXPECT_EQ(TableText(scop, found.schedule),
            "row  T\n"
            "0    j  band 0, parallel\n"
            "1    i  band 0, parallel\n");
}

}  // namespace
}  // namespace exh::poly

// SPDX-License-Identifier: MIT
//
// Scops, matrices, influence trees, duals and proofs of legality.
#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "poly/influence.h"
#include "poly/isl/farkas.h"
#include "poly/isl/legality.h"
#include "poly/isl/loops.h"
#include "poly/matrix.h"
#include "tests/poly/scops.h"

namespace exh::poly {
namespace {

std::int64_t Product(const IntRow& a, const IntRow& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), std::int64_t{0});
}

TEST(MatrixTest, ComplementIsOrthogonalAndFillsTheSpace) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const int num_columns = static_cast<int>(1 + random.Below(6));
    IntMatrix rows(random.Below(7), IntRow(static_cast<std::size_t>(num_columns)));
    for (IntRow& row : rows) {
      for (std::int64_t& number : row) number = static_cast<std::int64_t>(random.Below(7)) - 3;
    }
    const IntMatrix complement = OrthogonalComplement(rows, num_columns);
    for (const IntRow& vector : complement) {
      for (const IntRow& row : rows) EXPECT_EQ(Product(vector, row), 0);
    }
    EXPECT_EQ(Rank(complement, num_columns), static_cast<int>(complement.size()));
    EXPECT_EQ(Rank(rows, num_columns) + static_cast<int>(complement.size()), num_columns);
    IntMatrix both = rows;
    both.insert(both.end(), complement.begin(), complement.end());
    EXPECT_EQ(Rank(both, num_columns), num_columns);
  }
}

TEST(MatrixTest, KnowsUnitVectors) {
  EXPECT_EQ(OrthogonalComplement({}, 2), (IntMatrix{{1, 0}, {0, 1}}));
  EXPECT_EQ(OrthogonalComplement({{0, 2, 0}}, 3), (IntMatrix{{1, 0, 0}, {0, 0, 1}}));
  EXPECT_EQ(OrthogonalComplement({{-1, -1}}, 2), (IntMatrix{{-1, 1}}));
  EXPECT_EQ(Rank({{0, 0}}, 2), 0);
}

TEST(MatrixTest, RefusesNumbersThatDoNotFit) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 62;
  EXPECT_THROW(Rank({{kLarge, 1}, {kLarge - 1, 3}}, 2), TooLarge);
}

TEST(ScopTest, NamesWhatIsWrong) {
  EXPECT_EQ(ProblemOf(Figure2(64)), "");
  const auto problem = [](auto change) {
    Scop scop = Figure2(64);
    change(scop);
    return ProblemOf(scop);
  };
  EXPECT_EQ(problem([](Scop& scop) { scop.statements[0].name = "1st"; }),
            "statement '1st': its name must be a C identifier, and no word of isl");
  EXPECT_EQ(problem([](Scop& scop) { scop.statements[0].name = "max"; }),
            "statement 'max': its name must be a C identifier, and no word of isl");
  EXPECT_EQ(problem([](Scop& scop) { scop.statements[0].name = "Y"; }),
            "statement Y: there are two");
  EXPECT_EQ(problem([](Scop& scop) { scop.statements[1].iterators[0].extent = 0; }),
            "statement Y: iterator i has the extent 0; it must be at least 1");
  EXPECT_EQ(problem([](Scop& scop) { scop.statements[1].accesses[0].array = 4; }),
            "statement Y: array 4 does not exist");
  EXPECT_EQ(problem([](Scop& scop) { scop.statements[1].accesses[0].map.pop_back(); }),
            "statement Y: an access to C needs a row for each of its 2 dimensions");
  EXPECT_EQ(problem([](Scop& scop) { scop.statements[1].accesses[0].map[0].pop_back(); }),
            "statement Y: an access to C needs a number for each iterator and a constant");
  EXPECT_EQ(problem([](Scop& scop) {
              scop.statements[0].order = {0, 0, 0};
            }),
            "statement Y: either all statements say their order, or none");
  EXPECT_EQ(problem([](Scop& scop) {
              scop.statements[0].order = {0, 0, 0};
              scop.statements[1].order = {0, 0, 0, 1};
            }),
            "statement Y: stands at the place of X");
  EXPECT_EQ(problem([](Scop& scop) {
              scop.statements[0].order = {0, 0, 0};
              scop.statements[1].order = {0, 1};
            }),
            "statement Y: its order needs 4 numbers");
}

TEST(ScopTest, HasAParameterForEachDistinctSize) {
  Scop scop = Figure2(64);
  scop.statements[1].iterators[1].extent = 3;
  scop.statements[1].iterators[2].extent = 4;
  EXPECT_EQ(ParametersOf(scop), (std::vector<std::int64_t>{64, 4}));
}

TEST(ScopTest, KnowsStrides) {
  const Scop scop = Figure2(64);
  const ScopAccess& d = scop.statements[1].accesses[2];
  EXPECT_EQ(StrideOf(scop, d, 0), 64);
  EXPECT_EQ(StrideOf(scop, d, 1), 1);
  EXPECT_EQ(StrideOf(scop, d, 2), 64 * 64);
}

TEST(InfluenceTest, SharesBeginningsOfWays) {
  InfluenceTree tree;
  const InfluenceNode a{.rows = {Fixed(0, 0, 0, 1)}, .label = "a"},
      b{.rows = {Fixed(0, 1, 1, 1)}, .label = "b"}, c{.rows = {Fixed(0, 1, 1, 0)}, .label = "c"};
  AddPath(tree, {a, b});
  AddPath(tree, {b});
  AddPath(tree, {a, c});
  AddPath(tree, {a});
  ASSERT_EQ(tree.nodes.size(), 3U);  // A leaf is never the beginning of a way that goes on.
  ASSERT_EQ(tree.nodes[0].children.size(), 2U);
  const std::vector<InfluenceTree> paths = PathsOf(tree);
  ASSERT_EQ(paths.size(), 4U);
  EXPECT_EQ(paths[0].nodes[0].children[0].label, "b");
  EXPECT_EQ(paths[1].nodes[0].children[0].label, "c");
  EXPECT_EQ(paths[2].nodes[0].label, "b");
  EXPECT_EQ(paths[3].nodes[0].label, "a");
}

TEST(InfluenceTest, NamesWhatIsWrong) {
  const auto problem = [](const InfluenceRow& row) {
    return ProblemOf(InfluenceTree{{{.rows = {row}, .label = "a"}}}, {3, 4});
  };
  EXPECT_EQ(problem(Same(0, 0, 2, 1, 3)), "");
  EXPECT_EQ(problem(Fixed(2, 0, 0, 1)), "node 'a' at depth 0: statement 2 does not exist");
  EXPECT_EQ(problem(Fixed(0, 0, 3, 1)), "node 'a' at depth 0: column 3 does not exist");
  EXPECT_EQ(problem(Fixed(0, 1, 0, 1)),
            "node 'a' at depth 0: names the depth 1, which comes later");
}

// 0 <= x < n, x <= y < 5: for each form, the dual against all points with n up to 40.
TEST(FarkasTest, HoldsTheFormsThatAreNowhereNegative) {
  const Polyhedron polyhedron{
      .num_variables = 2,
      .num_parameters = 1,
      .inequalities = {{1, 0, 0, 0}, {-1, 0, 1, -1}, {-1, 1, 0, 0}, {0, -1, 0, 4}, {0, 0, 1, -4}}};
  DualCache cache;
  const Dual dual = cache.Of(polyhedron);
  int num_inside = 0;
  for (std::int64_t x = -3; x <= 3; ++x) {
    for (std::int64_t y = -3; y <= 3; ++y) {
      for (std::int64_t n = -2; n <= 2; ++n) {
        for (std::int64_t constant = -13; constant <= 13; ++constant) {
          const IntRow form{x, y, n, constant};
          bool is_nowhere_negative = true;
          for (std::int64_t size = 4; size <= 40; ++size) {
            for (std::int64_t b = 0; b < 5; ++b) {
              for (std::int64_t a = 0; a < size && a <= b; ++a) {
                is_nowhere_negative = is_nowhere_negative && Product(form, {a, b, size, 1}) >= 0;
              }
            }
          }
          // All corners are whole, and a form of such numbers that falls with n is negative
          // before 40.
          EXPECT_EQ(Contains(dual, form), is_nowhere_negative)
              << x << " " << y << " " << n << " " << constant;
          num_inside += is_nowhere_negative;
        }
      }
    }
  }
  EXPECT_GT(num_inside, 500);
}

TEST(FarkasTest, CalculatesOnceForOneShape) {
  // 0 <= x < n_j, for each of three parameters.
  DualCache cache;
  for (int j = 0; j < 3; ++j) {
    Polyhedron polyhedron{.num_variables = 1,
                          .num_parameters = 3,
                          .inequalities = {{1, 0, 0, 0, 0}, {-1, 0, 0, 0, -1}}};
    polyhedron.inequalities[1][1 + j] = 1;
    const Dual dual = cache.Of(polyhedron);
    IntRow form{-1, 0, 0, 0, -1};  // n_j - 1 - x.
    EXPECT_FALSE(Contains(dual, form));
    form[1 + j] = 1;
    EXPECT_TRUE(Contains(dual, form));
    // A parameter that no bound names: at least 4.
    IntRow other{0, 0, 0, 0, -4};
    other[1 + (j + 1) % 3] = 1;
    EXPECT_TRUE(Contains(dual, other));
    --other.back();
    EXPECT_FALSE(Contains(dual, other));
    other = {0, 0, 0, 0, 100};
    other[1 + (j + 1) % 3] = -1;
    EXPECT_FALSE(Contains(dual, other));
  }
  EXPECT_EQ(cache.num_calculated(), 1);
}

TEST(LegalityTest, RefusesWhatReversesOrDoesNotOrder) {
  const Scop scop = Figure2(64);
  for (const DependenceKind kind : {DependenceKind::kValue, DependenceKind::kMemory}) {
    const auto dependences = DependencesOf(scop, kind);
    const Schedule original = OriginalSchedule(scop);
    EXPECT_EQ(WhyIllegal(scop, dependences, original), "");
    Schedule reversed = original;
    reversed.statements[0][0].back() = 2;  // X after Y.
    EXPECT_EQ(WhyIllegal(scop, dependences, reversed), "X before Y: row 0 reverses it");
    Schedule at_once = original;
    at_once.statements[1][0].back() = 0;
    // Both at row 0; then rows i, i: 0 and j's loop: Y(i, 0, k) comes before X(i, k + 1).
    EXPECT_NE(WhyIllegal(scop, dependences, at_once), "");
    Schedule without_k = original;
    without_k.statements[1][5] = IntRow(5, 0);
    EXPECT_EQ(WhyIllegal(scop, dependences, without_k), "Y before Y: no row orders it");
  }
}

TEST(LoopsTest, PrintsTheProgram) {
  const Scop scop = Figure2(64);
  EXPECT_EQ(LoopsText(scop, OriginalSchedule(scop)),
            "{\n"
            "  for (int c1 = 0; c1 < n0; c1 += 1)\n"
            "    for (int c3 = 0; c3 < n0; c3 += 1)\n"
            "      X(c1, c3);\n"
            "  for (int c1 = 0; c1 < n0; c1 += 1)\n"
            "    for (int c3 = 0; c3 < n0; c3 += 1)\n"
            "      for (int c5 = 0; c5 < n0; c5 += 1)\n"
            "        Y(c1, c3, c5);\n"
            "}\n");
}

}  // namespace
}  // namespace exh::poly

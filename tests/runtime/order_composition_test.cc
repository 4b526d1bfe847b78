// SPDX-License-Identifier: MIT
//
// The order of statements as an algebra: the composition table is what ordered forests show, and
// the six triangle rules of OrderSpace imply exactly that table.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

#include "runtime/candidate.h"
#include "tests/support/order_space.h"

namespace exh::tests {
namespace {

using runtime::Bits;
constexpr Bits B = kBefore, A = kAfter, I = kInner, O = kOuter, M = kMerged;
constexpr Bits kAll = B | A | I | O | M;
constexpr std::array<Bits, 5> kValues = {B, A, I, O, M};

/// kComposition[x][y]: what order(a, c) may be when order(a, b) is value x and order(b, c) value y.
constexpr std::array<std::array<Bits, 5>, 5> kComposition = {{
    {B, kAll, B | I, B, B},
    {kAll, A, A | I, A, A},
    {B, A, I, kAll, I},
    {O | B, O | A, I | O | M, O, O},
    {B, A, I, O, M},
}};

/// An ordered forest: the parent of each node in pre-order (-1: a root).
using Forest = std::vector<int>;

bool IsAncestor(const Forest& forest, int upper, int lower) {
  for (int node = forest[lower]; node >= 0; node = forest[node]) {
    if (node == upper) return true;
  }
  return false;
}

Bits Relation(const Forest& forest, int a, int b) {
  if (a == b) return M;  // Merged statements share a node.
  if (IsAncestor(forest, a, b)) return O;
  if (IsAncestor(forest, b, a)) return I;
  return a < b ? B : A;  // Pre-order numbers siblings from the left.
}

void ForEachForest(int size, const std::function<void(const Forest&)>& visit) {
  Forest forest;
  const std::function<void()> extend = [&] {
    if (static_cast<int>(forest.size()) == size) {
      visit(forest);
      return;
    }
    // In pre-order the next node hangs on the last one or on one of its ancestors.
    for (int parent = static_cast<int>(forest.size()) - 1;; parent = forest[parent]) {
      forest.push_back(parent);
      extend();
      forest.pop_back();
      if (parent < 0) break;
    }
  };
  extend();
}

TEST(OrderComposition, IsWhatOrderedForestsOfUpToFiveNodesShow) {
  std::array<std::array<Bits, 5>, 5> observed{};
  int forests = 0;
  for (int size = 1; size <= 5; ++size) {
    ForEachForest(size, [&](const Forest& forest) {
      ++forests;
      for (int a = 0; a < size; ++a) {
        for (int b = 0; b < size; ++b) {
          for (int c = 0; c < size; ++c) {
            const int x = std::countr_zero(Relation(forest, a, b));
            const int y = std::countr_zero(Relation(forest, b, c));
            observed[x][y] |= Relation(forest, a, c);
          }
        }
      }
    });
  }
  EXPECT_EQ(forests, 1 + 2 + 5 + 14 + 42);  // Catalan numbers.
  EXPECT_EQ(observed, kComposition);
}

TEST(OrderComposition, IsWhatTheRulesOfTheSpaceImply) {
  const TestSpace test = OrderSpace(0, 3);
  const runtime::Candidate root(runtime::Instance::Freeze(test.space, test.host));
  const auto id = [&](Object a, Object b) {
    const Object objects[] = {a, b};
    return root.instance().FindDecision(0, objects)->id;
  };
  for (int x = 0; x < 5; ++x) {
    for (int y = 0; y < 5; ++y) {
      runtime::Candidate candidate = root;
      ASSERT_EQ(candidate.Restrict(id(0, 1), kValues[x]), runtime::Propagation::kFixpoint);
      ASSERT_EQ(candidate.Restrict(id(1, 2), kValues[y]), runtime::Propagation::kFixpoint);
      EXPECT_EQ(candidate.domain(id(0, 2)), kComposition[x][y]) << x << " then " << y;
    }
  }
}

/// Every assignment that the engine accepts for four dims is one of a forest with merged nodes.
TEST(OrderComposition, CountsFourDims) {
  const TestSpace test = OrderSpace(0, 4);
  const runtime::Candidate root(runtime::Instance::Freeze(test.space, test.host));
  int implementations = 0;
  const std::function<void(const runtime::Candidate&)> descend =
      [&](const runtime::Candidate& candidate) {
        runtime::DecisionId open = 0;
        while (open < root.instance().num_decisions() && !candidate.IsOpen(open)) ++open;
        if (open == root.instance().num_decisions()) {
          ++implementations;
          return;
        }
        for (Bits rest = candidate.domain(open); rest != 0; rest &= rest - 1) {
          runtime::Candidate child = candidate;
          if (child.Restrict(open, rest & (~rest + 1)) == runtime::Propagation::kFixpoint) {
            descend(child);
          }
        }
      };
  descend(root);
  // Forests of k nodes times the ways to put four labelled dims onto them, none empty: the sum of
  // Catalan(k) * surjections(4, k).
  EXPECT_EQ(implementations, 1 * 1 + 2 * 14 + 5 * 36 + 14 * 24);
}

}  // namespace
}  // namespace exh::tests

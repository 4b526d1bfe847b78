// SPDX-License-Identifier: MIT
#include "search/near/trade.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "search/near/local_search.h"
#include "search/near/walker.h"
#include "tests/search/small_matmul.h"
#include "tests/search/toy_space.h"

namespace exh::search {
namespace {

using runtime::Candidate;
using runtime::DecisionId;

std::uint64_t NumberOf(const Candidate& candidate, DecisionId decision) {
  const auto value = static_cast<std::size_t>(candidate.FirstValue(decision));
  return candidate.instance().universe(decision)[value];
}

std::uint64_t ProductOf(const Candidate& candidate, const std::vector<DecisionId>& factors) {
  std::uint64_t product = 1;
  for (const DecisionId factor : factors) product *= NumberOf(candidate, factor);
  return product;
}

class TradeTest : public ::testing::Test {
 protected:
  /// Some implementation.
  void Begin(std::uint64_t seed) {
    Random random(seed);
    Guide uniform;
    while (!walker_.Begin(uniform, random, [](const DeadEnd&) {})) {
    }
  }
  const Candidate root_ = SmallMatmul().root();
  const ChoiceOrder order_ = ChoiceOrder::ForRepair(root_.instance());
  const Trades trades_{root_.instance()};
  const std::vector<runtime::Product> products_ = runtime::ProductsOf(root_.instance());
  Walker walker_{root_, order_};
};

TEST_F(TradeTest, TheLevelsOfAnAxisAreAProduct) {
  Begin(1);
  std::set<std::string> names;
  for (const auto& [product, at_root] : products_) {
    ASSERT_GE(product.size(), 2u);
    for (const DecisionId factor : product) names.insert(root_.instance().DecisionName(factor));
    if (!walker_.candidate().IsLive(product.front())) continue;
    EXPECT_EQ(ProductOf(walker_.candidate(), product), 64u);
    EXPECT_EQ(at_root, (runtime::Interval{64, 64}));
  }
  EXPECT_TRUE(names.contains("size(mad.m0)"));
  EXPECT_TRUE(names.contains("size(mad.k1)"));
}

TEST_F(TradeTest, OneFactorGrowsAsAnotherShrinks) {
  int trades = 0, moves = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Begin(seed);
    const Candidate& here = walker_.candidate();
    Random random(seed);
    for (int number = 0; number < 20; ++number) {
      const std::vector<PathStep> steps = trades_.Draw(here, walker_.path(), random);
      if (steps.empty()) continue;
      ++trades;
      ASSERT_GE(steps.size(), 2u);
      moves += steps.size() > 2 ? 1 : 0;
      const auto number_at = [&](const PathStep& step) {
        const auto decision = static_cast<DecisionId>(step.decision);
        return root_.instance().universe(decision)[static_cast<std::size_t>(step.value)];
      };
      const auto grows = static_cast<DecisionId>(steps[0].decision);
      const auto shrinks = static_cast<DecisionId>(steps[1].decision);
      const auto has_both = [&](const runtime::Product& product) {
        return std::ranges::count(product.factors, grows) +
                   std::ranges::count(product.factors, shrinks) ==
               2;
      };
      EXPECT_TRUE(std::ranges::any_of(products_, has_both));
      EXPECT_GT(number_at(steps[0]), NumberOf(here, grows));
      EXPECT_EQ(std::uint64_t{number_at(steps[0])} * number_at(steps[1]),
                NumberOf(here, grows) * NumberOf(here, shrinks));
    }
  }
  EXPECT_GT(trades, 100);
  EXPECT_GT(moves, 0);
}

TEST_F(TradeTest, WhatMustFollowFollows) {
  int found = 0, looks = 0, followed = 0;
  const BoundFunction none;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Begin(seed);
    Random random(seed);
    for (int number = 0; number < 10; ++number) {
      Neighbourhood near{walker_.candidate(), {}, {}, {}, walker_.path()};
      near.first = trades_.Draw(walker_.candidate(), walker_.path(), random);
      if (near.first.empty()) continue;
      ++looks;
      NearGuide guide(near, none, 0);
      if (!walker_.Look(near, guide, random, [](const DeadEnd&) {})) continue;
      ++found;
      const Candidate& there = walker_.neighbour();
      EXPECT_TRUE(there.IsImplementation());
      int others = 0;
      for (const auto& [product, at_root] : products_) {
        if (!there.IsLive(product.front())) continue;
        EXPECT_EQ(ProductOf(there, product), 64u);
        for (const DecisionId factor : product) {
          others += NumberOf(there, factor) != NumberOf(walker_.candidate(), factor) ? 1 : 0;
        }
      }
      followed += others > 2 ? 1 : 0;
      for (const PathStep& step : near.first) {
        EXPECT_EQ(there.FirstValue(static_cast<DecisionId>(step.decision)), step.value);
      }
    }
  }
  EXPECT_GT(looks, 50);
  EXPECT_GT(found, looks / 4);
  EXPECT_GT(followed, 0) << "tiles of loads and of the product change together";
}

TEST_F(TradeTest, AreAKindOfNeighbourhood) {
  Begin(1);
  Random random(1);
  int trades = 0;
  for (int number = 0; number < 500; ++number) {
    const Neighbourhood near =
        LocalSearch::Around(walker_.candidate(), walker_.path(), trades_, random);
    EXPECT_NE(near.open.empty(), near.first.empty());
    trades += near.first.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(trades, 50);
  EXPECT_LT(trades, 150);
}

TEST(Trade, WithoutProductsThereIsNone) {
  const Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::ForRepair(root.instance());
  Walker walker(root, order);
  Random random(1);
  Guide uniform;
  ASSERT_TRUE(walker.Begin(uniform, random, [](const DeadEnd&) {}));
  const Trades trades(root.instance());
  EXPECT_FALSE(trades.are_there());
  EXPECT_TRUE(trades.Draw(walker.candidate(), walker.path(), random).empty());
}

}  // namespace
}  // namespace exh::search

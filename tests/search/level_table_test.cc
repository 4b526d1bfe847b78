// SPDX-License-Identifier: MIT
#include "search/count/level_table.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/search/toy_space.h"

namespace exh::search {
namespace {

LevelRequest ToDepth(int depth) {
  LevelRequest request;
  request.depth = depth;
  request.jobs = 2;
  return request;
}

TEST(LevelTable, OrdersSideBySideWithAndWithoutTheCut) {
  const Cut cut = {SumOfSizes, 6};
  const auto orders = CountOrders(ToyRoot(), {"mode,color", "size"}, ToDepth(4), cut);
  EXPECT_EQ(LevelTable(orders), R"(A: mode,color,size,order
B: size,order,mode,color
depth              A  dead ends  after the cut      left              B  dead ends  after the cut      left
    0              1     0.00 %              1  100.00 %              1     0.00 %              1  100.00 %
    1              2    50.00 %              2  100.00 %              3     0.00 %              3  100.00 %
    2              3     0.00 %              3  100.00 %              9     0.00 %              6   66.67 %
    3              6     0.00 %              6  100.00 %             27     0.00 %             11   40.74 %
    4             18          -             18  100.00 %             54          -             22   40.74 %
  sum             30     8.33 %             30  100.00 %             94     0.00 %             43   45.74 %
)");
}

TEST(LevelTable, OneOrderWithoutACut) {
  EXPECT_EQ(LevelTable(CountOrders(ToyRoot(), {"mode,color"}, ToDepth(2))),
            R"(A: mode,color,size,order
depth              A  dead ends
    0              1     0.00 %
    1              2    50.00 %
    2              3          -
  sum              6    33.33 %
)");
}

TEST(CountOrders, GoesBeyondANumberOfNodes) {
  LevelRequest request = ToDepth(1);
  request.beyond = 20;
  for (const OrderLevels& order : CountOrders(ToyRoot(), {"mode", "size"}, request)) {
    EXPECT_GT(order.levels.back().nodes, 20u);
    EXPECT_LE(order.levels[order.levels.size() - 2].nodes, 20u);
    EXPECT_TRUE(order.levels_left.empty());
  }
  request.beyond = 1'000'000;  // More than there are: the tree ends first.
  EXPECT_EQ(CountOrders(ToyRoot(), {"mode"}, request).at(0).levels.back().nodes, 0u);
}

TEST(CountOrders, NothingWhenInterrupted) {
  LevelRequest request = ToDepth(4);
  request.interrupted = [] { return true; };
  EXPECT_TRUE(CountOrders(ToyRoot(), {"mode"}, request).empty());
}

TEST(LevelJson, SaysWhatTheTableSays) {
  const Cut cut = {SumOfSizes, 6};
  const auto orders = CountOrders(ToyRoot(), {"mode,color", "size"}, ToDepth(4), cut);
  const auto json = nlohmann::json::parse(LevelJson(orders).dump());
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json.at(0).at("name"), "mode,color");
  EXPECT_EQ(json.at(0).at("order"), orders[0].choices);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    for (std::size_t depth = 0; depth < 5; ++depth) {
      const auto& level = json.at(i).at("levels").at(depth);
      EXPECT_EQ(level.at("nodes"), orders[i].levels[depth].nodes);
      EXPECT_EQ(level.at("failed_values"), orders[i].levels[depth].dead_ends);
      if (depth == 4) {
        EXPECT_TRUE(level.at("dead_ends").is_null());
      } else {
        EXPECT_EQ(level.at("dead_ends"), orders[i].levels[depth].childless);
      }
      EXPECT_EQ(json.at(i).at("levels_left").at(depth).at("cut"), orders[i].levels_left[depth].cut);
    }
  }
}

}  // namespace
}  // namespace exh::search

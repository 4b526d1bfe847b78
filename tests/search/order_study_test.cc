// SPDX-License-Identifier: MIT
#include "search/descend/order_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/descend/order_advice.h"
#include "tests/search/toy_space.h"

namespace exh::search {
namespace {

using testing::ElementsAre;

TEST(OrderStudy, FindsAnOrderInWhichFewerDie) {
  OrderStudyOptions options;
  std::vector<double> shares;
  options.kept = [&](const MeasuredOrder& order) { shares.push_back(order.share.share()); };
  // What the toy space says of itself: half of all descents that take `mode` first end dead.
  const MeasuredOrder best = StudyOrders(ToyRoot(), {"mode", "color", "size", "order"}, options);
  ASSERT_GE(shares.size(), 2u);
  EXPECT_NEAR(shares.front(), 0.5, 0.15);
  EXPECT_LT(best.share.share(), 0.2);
  EXPECT_EQ(best.names.front(), "color");
  EXPECT_EQ(best.share.share(), shares.back());
}

TEST(OrderStudy, EndsWhenItIsStopped) {
  OrderStudyOptions options;
  int looks = 0;
  options.stopped = [&] { return ++looks > 300; };
  const MeasuredOrder best = StudyOrders(ToyRoot(), {"mode", "color", "size", "order"}, options);
  EXPECT_THAT(best.names, ElementsAre("mode", "color", "size", "order"));
  EXPECT_EQ(best.share.descents, 200u);
}

TEST(OrderAdvice, SaysWhichOrderIsFarBetter) {
  const MeasuredOrder bad{{"b", "a"}, {40, 20}}, better{{"a", "b"}, {40, 4}};
  EXPECT_EQ(OrderAdviceText(bad, better),
            "50 % of random descents die in this order of choices, 10 % with --order a,b (`search "
            "order` looks for better ones)");
  const MeasuredOrder hardly{{"a", "b"}, {40, 17}}, few{{"b", "a"}, {40, 3}};
  EXPECT_EQ(OrderAdviceText(bad, hardly), "");
  EXPECT_EQ(OrderAdviceText(few, better), "");
}

TEST(OrderAdvice, LooksForOneBesideWhateverElseGoesOn) {
  const runtime::Candidate root = ToyRoot();
  const ChoiceOrder bad = ChoiceOrder::Parse("mode,color,size,order", root.instance());
  EXPECT_THAT(OrderAdvice(root, bad).Text(), testing::HasSubstr("with --order color,"));
  const ChoiceOrder good = ChoiceOrder::Parse("color,mode,size,order", root.instance());
  EXPECT_EQ(OrderAdvice(root, good).Text(), "");
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "runtime/candidate.h"
#include "tests/support/order_space.h"

namespace exh::tests {
namespace {

using runtime::Action;
using runtime::ParseAction;

class ActionTest : public testing::Test {
 protected:
  ActionTest() : test_(OrderSpace(1, 2)) {
    size_ = test_.AddInteger("size", {Var(0)}, [](TableHost::Tuple) {
      return std::vector<std::uint32_t>{2, 4, 8};
    });
    runtime::Choice& total = test_.AddCounter("total", {}, false, runtime::Visibility::kFull);
    total.over = {Var(0)};
    total.weight = {size_, {0}};
    instance_ = runtime::Instance::Freeze(test_.space, test_.host);
  }
  std::string Error(std::string_view text) const {
    std::string error;
    EXPECT_FALSE(ParseAction(*instance_, text, &error)) << text;
    return error;
  }
  Action Parse(std::string_view text) const {
    std::string error;
    const auto action = ParseAction(*instance_, text, &error);
    EXPECT_TRUE(action) << error;
    return action.value_or(Action{});
  }

  TestSpace test_;
  int size_ = -1;
  std::shared_ptr<const runtime::Instance> instance_;
};

TEST_F(ActionTest, EveryActionReadsBack) {
  for (runtime::DecisionId d = 0; d < instance_->num_decisions(); ++d) {
    for (runtime::Bits values = 1; values <= instance_->all_values(d); ++values) {
      const Action action{d, values};
      EXPECT_EQ(Parse(ActionText(*instance_, action)), action);
    }
  }
}

TEST_F(ActionTest, TextForm) {
  EXPECT_EQ(ActionText(*instance_, Parse("order(s0,s1)=BEFORE|INNER")),
            "order(s0,s1)=BEFORE|INNER");
  EXPECT_EQ(ActionText(*instance_, Parse(" order( s1 , s0 ) = OUTER ")), "order(s0,s1)=INNER");
  EXPECT_EQ(ActionText(*instance_, Parse("size(s2)=8|2")), "size(s2)=2|8");
}

TEST_F(ActionTest, MistakesNameTheNearest) {
  EXPECT_EQ(Error("ordr(s0,s1)=BEFORE"), "unknown choice 'ordr'; did you mean 'order'?");
  EXPECT_EQ(Error("order(s0,t1)=BEFORE"), "unknown object 't1'; did you mean 's1'?");
  EXPECT_EQ(Error("order(s0,s1)=BEFOR"),
            "unknown value 'BEFOR'; did you mean 'BEFORE'? (order(s0,s1))");
  EXPECT_EQ(Error("order(s0)=BEFORE"), "order takes 2 objects, got 1");
  EXPECT_EQ(Error("order(s1,s1)=BEFORE"), "order has no decision for these objects");
  EXPECT_EQ(Error("total()=3"), "'total' is a counter: it follows from decisions");
  EXPECT_NE(Error("order(s0,s1)=").find("no value"), std::string::npos);
  EXPECT_NE(Error("order s0,s1").find("form"), std::string::npos);
  EXPECT_NE(Error("size(s0)=3").find("did you mean '2'"), std::string::npos);
}

TEST_F(ActionTest, SwappedPairsReadInverted) {
  const Object backward[] = {2, 1};
  const auto found = instance_->FindDecision(0, backward);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->swapped);
  EXPECT_EQ(instance_->DecisionName(found->id), "order(s1,s2)");
  EXPECT_EQ(instance_->Invert(0, kBefore | kMerged), kAfter | kMerged);
}

}  // namespace
}  // namespace exh::tests

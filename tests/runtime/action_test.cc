// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <random>

#include "runtime/candidate.h"
#include "tests/support/order_space.h"
#include "tests/support/restriction.h"

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
  EXPECT_EQ(Error("order(s1,s1)=BEFORE"),
            "order has no decision for these objects; it has order(s0,s1), "
            "order(s0,s2), order(s1,s2)");
  EXPECT_EQ(Error("total()=3"), "'total' is a counter: it follows from decisions");
  EXPECT_NE(Error("order(s0,s1)=").find("no value"), std::string::npos);
  EXPECT_NE(Error("order s0,s1").find("form"), std::string::npos);
  EXPECT_NE(Error("size(s0)=3").find("did you mean '2'"), std::string::npos);
}

/// Decisions of more than 64 values: one of consecutive numbers, one of every fifth.
class LongActionTest : public testing::Test {
 protected:
  LongActionTest() {
    const int items = test_.AddRoot("Items", 2);
    const int start = test_.AddInteger("start", {Var(items)}, Range(0, 199));
    const int fifth = test_.AddInteger("fifth", {}, Range(0, 500, 5));
    const int few = test_.AddInteger("few", {}, Range(0, 63));
    instance_ = runtime::Instance::Freeze(test_.space, test_.host);
    const Object first[] = {0};
    start_ = instance_->FindDecision(start, first)->id;
    fifth_ = instance_->FindDecision(fifth, {})->id;
    few_ = instance_->FindDecision(few, {})->id;
  }
  std::vector<Action> Parse(std::string_view text) const {
    std::string error;
    const auto actions = runtime::ParseActions(*instance_, text, &error);
    EXPECT_TRUE(actions) << error;
    return actions.value_or(std::vector<Action>{});
  }
  std::string Error(std::string_view text) const {
    std::string error;
    EXPECT_FALSE(runtime::ParseActions(*instance_, text, &error)) << text;
    return error;
  }
  /// What the decision may be when all actions of the text are applied.
  std::vector<int> Values(std::string_view text) const {
    const std::vector<Action> actions = Parse(text);
    std::vector<int> values;
    if (actions.empty()) return values;
    for (int value = 0; value < instance_->num_values(actions.front().decision); ++value) {
      if (Allow(actions, value)) values.push_back(value);
    }
    return values;
  }
  /// The text as a candidate shows it when its actions are applied.
  std::string Applied(std::string_view text) const {
    runtime::Candidate candidate(instance_);
    const std::vector<Action> actions = Parse(text);
    EXPECT_EQ(candidate.Restrict(actions), runtime::Propagation::kFixpoint);
    return DomainText(candidate, actions.front().decision);
  }

  TestSpace test_;
  runtime::DecisionId start_ = 0, fifth_ = 0, few_ = 0;
  std::shared_ptr<const runtime::Instance> instance_;
};

TEST_F(LongActionTest, AreLong) {
  EXPECT_TRUE(instance_->IsLong(start_));
  EXPECT_EQ(instance_->num_values(start_), 200);
  EXPECT_EQ(instance_->num_words(start_), 4);
  EXPECT_TRUE(instance_->IsLong(fifth_));
  EXPECT_EQ(instance_->num_values(fifth_), 101);
  EXPECT_FALSE(instance_->IsLong(few_));
  EXPECT_EQ(instance_->num_values(few_), 64);
}

TEST_F(LongActionTest, EveryActionReadsBack) {
  std::mt19937_64 random(1);
  for (const runtime::DecisionId decision : {start_, fifth_}) {
    const int size = instance_->num_values(decision);
    for (int i = 0; i < 400; ++i) {
      const int value = static_cast<int>(random() % static_cast<unsigned>(size));
      Action action = i % 2 == 0 ? Action::Take(decision, value) : Action::Leave(decision, value);
      if (i % 3 == 0) {  // Values of one word, those of the others left or not.
        action.values = random() | runtime::Bits{1} << value % 64;
        if (action.word + 1 == instance_->num_words(decision)) {
          action.values &= (runtime::Bits{1} << size % 64) - 1;
        }
      }
      const std::string text = ActionText(*instance_, action);
      const std::vector<Action> actions = Parse(text);
      for (int each = 0; each < size; ++each) {
        ASSERT_EQ(Allow(actions, each), Allow({action}, each)) << text << ", value " << each;
      }
      if (i % 3 == 0 || i % 2 != 0) continue;
      EXPECT_EQ(actions, std::vector<Action>{action}) << text;
    }
  }
}

TEST_F(LongActionTest, TextForm) {
  EXPECT_EQ(ActionText(*instance_, Action::Take(start_, 150)), "start(i0)=150");
  EXPECT_EQ(ActionText(*instance_, Parse("start(i0)=0..12|40").front()), "start(i0)=0..12|40");
  EXPECT_EQ(ActionText(*instance_, Parse("start(i0)=40|2|1|0").front()), "start(i0)=0..2|40");
  EXPECT_EQ(ActionText(*instance_, Parse("start(i0)=7|8").front()), "start(i0)=7|8");
  // What is not long has no ranges.
  EXPECT_EQ(ActionText(*instance_, Parse("few()=1|2|3|4").front()), "few()=1|2|3|4");
}

TEST_F(LongActionTest, RangesGoFromWordToWord) {
  const std::vector<int> values = Values(" start( i0 ) = 60 .. 140 | 3 | 199 ");
  std::vector<int> expected = {3};
  for (int value = 60; value <= 140; ++value) expected.push_back(value);
  expected.push_back(199);
  EXPECT_EQ(values, expected);
  EXPECT_EQ(Applied("start(i0)=3|199"), "start(i0)=3|199");
  EXPECT_EQ(Values("start(i0)=3|199"), (std::vector<int>{3, 199}));  // Two words between.
  EXPECT_EQ(Values("start(i0)=64..64"), std::vector<int>{64});
  EXPECT_EQ(Values("start(i0)=0..199").size(), 200u);
}

TEST_F(LongActionTest, RangesHoldNumbersOfTheUniverse) {
  EXPECT_EQ(Values("fifth()=10..25|500"), (std::vector<int>{2, 3, 4, 5, 100}));
  EXPECT_EQ(Applied("fifth()=10..20"), "fifth()=10|15|20");
}

TEST_F(LongActionTest, MistakesAreNamed) {
  EXPECT_NE(Error("start(i0)=200").find("unknown value '200'"), std::string::npos);
  EXPECT_NE(Error("start(i0)=3..200").find("unknown value '200'"), std::string::npos);
  EXPECT_NE(Error("start(i0)=..7").find("''"), std::string::npos);
  EXPECT_NE(Error("start(i0)=3..").find("''"), std::string::npos);
  EXPECT_NE(Error("start(i0)=12..3").find("12..3"), std::string::npos);
  EXPECT_NE(Error("fifth()=11").find("did you mean"), std::string::npos);
  EXPECT_NE(Error("start(i0)=").find("no value"), std::string::npos);
  EXPECT_NE(Error("few()=1..3").find("unknown value '1..3'"), std::string::npos);
  std::string error;
  EXPECT_FALSE(ParseAction(*instance_, "start(i0)=3|199", &error));
  EXPECT_NE(error.find("start(i0)=3|199"), std::string::npos) << error;
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

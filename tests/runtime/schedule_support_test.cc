// SPDX-License-Identifier: MIT
//
// Decided with ids of both kinds, and spaces that shall have the choices of another one.
#include "runtime/schedule_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "runtime/host_support.h"

namespace exh::runtime {
namespace {

struct Number {
  std::size_t value = 0;
  std::size_t index() const { return value; }
};

TEST(Decided, HoldsOneValueForEachTuple) {
  Decided<int, Number, std::string> table;
  EXPECT_EQ(table.Find({3}, "x"), nullptr);
  table.Set({3}, "x", 7);
  table.Set({0}, "x", 5);
  table.Set({3}, "x", 8);
  EXPECT_EQ(table({3}, "x"), 8);
  EXPECT_EQ(table({0}, "x"), 5);
  EXPECT_EQ(table.Find({2}, "x"), nullptr);
  EXPECT_EQ(table.Find({9}, "x"), nullptr);
  EXPECT_EQ(table.Find({3}, "y"), nullptr);
  EXPECT_EQ(table.Or(-1, {3}, "y"), -1);
  EXPECT_EQ(table.Or(-1, {3}, "x"), 8);
}

TEST(Decided, WithoutIdsIsAValueOrNone) {
  Decided<int> value;
  EXPECT_EQ(value.Find(), nullptr);
  EXPECT_EQ(value.Or(4), 4);
  value.Set(2);
  EXPECT_EQ(value(), 2);
}

TEST(Decided, MapsWhatItHasAndMayLeaveSomeOut) {
  Decided<int, std::string, Number> table;
  table.Set("a", {1}, 1);
  table.Set("a", {2}, 2);
  table.Set("b", {1}, 3);
  const auto odd = table.Map<std::string>([](int value) -> std::optional<std::string> {
    if (value % 2 == 0) return std::nullopt;
    return std::to_string(value);
  });
  EXPECT_EQ(odd("a", {1}), "1");
  EXPECT_EQ(odd("b", {1}), "3");
  EXPECT_EQ(odd.Find("a", {2}), nullptr);
}

TEST(DecidedDeathTest, ReadsNothingThatIsNotThere) {
  Decided<int, Number> table;
  EXPECT_DEATH(table({0}), "value != nullptr");
}

Space SpaceWith(const std::string& name, std::vector<Choice> choices) {
  Space space;
  space.name = name;
  space.choices = std::move(choices);
  return space;
}

Choice EnumChoice(const std::string& name, std::vector<std::string> values) {
  Choice choice;
  choice.name = name;
  choice.values = std::move(values);
  return choice;
}

std::string Complaint(const Space& space, const Space& model) {
  try {
    CheckHasChoicesOf(space, model);
  } catch (const HostError& error) {
    return error.what();
  }
  return "";
}

TEST(CheckHasChoicesOf, NamesWhatDiffers) {
  Choice counter = EnumChoice("count", {});
  counter.kind = ChoiceKind::kCounter;
  const Space model = SpaceWith("model", {EnumChoice("kind", {"LOOP", "UNROLL"}), counter});
  const Choice more = EnumChoice("more", {"YES", "NO"});
  // Other choices may stand before and after; counters are nobody's business.
  EXPECT_EQ(Complaint(SpaceWith("s", {more, EnumChoice("kind", {"LOOP", "UNROLL"})}), model), "");
  EXPECT_EQ(Complaint(SpaceWith("s", {more}), model),
            "space s: lacks the choice 'kind' of the space model, whose files it must include");
  EXPECT_EQ(Complaint(SpaceWith("s", {EnumChoice("kind", {"UNROLL", "LOOP"})}), model),
            "space s: the choice 'kind' has other values than in the space model");
  Choice number = EnumChoice("kind", {});
  number.kind = ChoiceKind::kInteger;
  EXPECT_THAT(Complaint(SpaceWith("s", {number}), model), testing::HasSubstr("lacks the choice"));
}

}  // namespace
}  // namespace exh::runtime

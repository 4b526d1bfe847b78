// SPDX-License-Identifier: MIT
//
// Index expressions and conditions against the same computed directly, at every point.
#include "kernels/ir/index/index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <compare>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/ir/index/affine.h"
#include "kernels/ir/index/condition.h"

namespace exh::kernels::ir {
namespace {

const std::array<IndexVariable, 3> kVariables = {
    {{0, "c0", -2, 3}, IndexVariable::Of(1, "c1", 6), IndexVariable::Of(2, "i10", 5)}};

using Point = std::array<std::int64_t, 3>;

std::vector<Point> Points() {
  std::vector<Point> points;
  for (std::int64_t a = kVariables[0].min; a <= kVariables[0].max; ++a) {
    for (std::int64_t b = 0; b <= kVariables[1].max; ++b) {
      for (std::int64_t c = 0; c <= kVariables[2].max; ++c) points.push_back({a, b, c});
    }
  }
  return points;
}

std::int64_t Floored(std::int64_t a, std::int64_t by) {
  std::int64_t quotient = 0;
  while (quotient * by > a) --quotient;
  while ((quotient + 1) * by <= a) ++quotient;
  return quotient;
}

/// An index, and what it is at each point, computed without it.
struct Pair {
  Index index;
  std::function<std::int64_t(const Point&)> value;
};

struct ConditionPair {
  Condition condition;
  std::function<bool(const Point&)> holds;
};

ConditionPair RandomCondition(std::mt19937& random, int depth);

Pair RandomPair(std::mt19937& random, int depth) {
  const auto draw = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  if (depth == 0) {
    if (draw(0, 4) == 0) {
      const std::int64_t number = draw(-9, 9);
      return {number, [number](const Point&) { return number; }};
    }
    const auto which = static_cast<std::size_t>(draw(0, 2));
    return {Index(kVariables[which]), [which](const Point& point) { return point[which]; }};
  }
  Pair a = RandomPair(random, depth - 1);
  switch (draw(0, 7)) {
    case 0: {
      const std::int64_t factor = draw(-4, 8);
      return {a.index * factor, [=](const Point& point) { return a.value(point) * factor; }};
    }
    case 1: {
      const std::int64_t by = draw(1, 8);
      return {a.index.Div(by), [=](const Point& point) { return Floored(a.value(point), by); }};
    }
    case 2: {
      const std::int64_t by = draw(1, 8);
      return {a.index.Mod(by), [=](const Point& point) {
                return a.value(point) - by * Floored(a.value(point), by);
              }};
    }
    case 3: {
      const Pair b = RandomPair(random, depth - 1);
      return {a.index - b.index,
              [=](const Point& point) { return a.value(point) - b.value(point); }};
    }
    case 4: {
      const Pair b = RandomPair(random, depth - 1);
      const bool is_min = draw(0, 1) == 0;
      return {is_min ? Index::Min(a.index, b.index) : Index::Max(a.index, b.index),
              [=](const Point& point) {
                return is_min ? std::min(a.value(point), b.value(point))
                              : std::max(a.value(point), b.value(point));
              }};
    }
    case 5: {
      const Pair b = RandomPair(random, depth - 1);
      const ConditionPair of = RandomCondition(random, depth - 1);
      return {Index::Choice(of.condition, a.index, b.index), [=](const Point& point) {
                return of.holds(point) ? a.value(point) : b.value(point);
              }};
    }
    default: {
      const Pair b = RandomPair(random, depth - 1);
      return {a.index + b.index,
              [=](const Point& point) { return a.value(point) + b.value(point); }};
    }
  }
}

ConditionPair RandomCondition(std::mt19937& random, int depth) {
  const auto draw = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  const int kind = depth == 0 ? 0 : draw(4);
  if (kind < 2) {
    const Pair a = RandomPair(random, depth), b = RandomPair(random, depth / 2);
    const auto relation = static_cast<Relation>(draw(4));
    return {{a.index, relation, b.index}, [=](const Point& point) {
              const auto order = a.value(point) <=> b.value(point);
              const bool holds[] = {order<0, order <= 0, order == 0, order >= 0, order> 0};
              return holds[static_cast<int>(relation)];
            }};
  }
  const ConditionPair a = RandomCondition(random, depth - 1);
  if (kind == 2) return {!a.condition, [=](const Point& point) { return !a.holds(point); }};
  const ConditionPair b = RandomCondition(random, depth - 1);
  if (kind == 3) {
    return {a.condition && b.condition,
            [=](const Point& point) { return a.holds(point) && b.holds(point); }};
  }
  return {a.condition || b.condition,
          [=](const Point& point) { return a.holds(point) || b.holds(point); }};
}

/// What C++ makes of a text: quotients are rounded towards 0.
class Reader {
 public:
  Reader(const std::string& text, const Point& point) : text_(text), point_(point) {}

  std::int64_t Whole() {
    const std::int64_t value = Chosen();
    EXPECT_EQ(at_, text_.size()) << text_;
    return value;
  }

 private:
  bool Takes(std::string_view wanted) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const bool is_next = text_.compare(at_, wanted.size(), wanted) == 0;
    if (is_next) at_ += wanted.size();
    return is_next;
  }
  std::int64_t Chosen() {
    const std::int64_t condition = Any();
    if (!Takes("?")) return condition;
    const std::int64_t yes = Any();
    EXPECT_TRUE(Takes(":")) << text_;
    const std::int64_t no = Any();
    return condition != 0 ? yes : no;
  }
  std::int64_t Any() {
    std::int64_t value = All();
    while (Takes("||")) value |= All();
    return value;
  }
  std::int64_t All() {
    std::int64_t value = Compared();
    while (Takes("&&")) value &= Compared();
    return value;
  }
  std::int64_t Compared() {
    const std::int64_t left = Sum();
    if (Takes("<=")) return static_cast<std::int64_t>(left <= Sum());
    if (Takes(">=")) return static_cast<std::int64_t>(left >= Sum());
    if (Takes("==")) return static_cast<std::int64_t>(left == Sum());
    if (Takes("<")) return static_cast<std::int64_t>(left < Sum());
    if (Takes(">")) return static_cast<std::int64_t>(left > Sum());
    return left;
  }
  std::int64_t Sum() {
    std::int64_t value = Product();
    while (true) {
      if (Takes("+")) {
        value += Product();
      } else if (Takes("-")) {
        value -= Product();
      } else {
        return value;
      }
    }
  }
  std::int64_t Product() {
    std::int64_t value = Unit();
    while (true) {
      if (Takes("*")) {
        value *= Unit();
      } else if (Takes("/")) {
        value /= Unit();
      } else if (Takes("%")) {
        value %= Unit();
      } else {
        return value;
      }
    }
  }
  std::int64_t Unit() {
    if (Takes("-")) return -Unit();
    if (Takes("!")) return static_cast<std::int64_t>(Unit() == 0);
    for (const bool is_min : {true, false}) {
      if (!Takes(is_min ? "min(" : "max(")) continue;
      const std::int64_t a = Chosen();
      EXPECT_TRUE(Takes(",")) << text_;
      const std::int64_t b = Chosen();
      EXPECT_TRUE(Takes(")")) << text_;
      return is_min ? std::min(a, b) : std::max(a, b);
    }
    if (Takes("(")) {
      const std::int64_t value = Chosen();
      EXPECT_TRUE(Takes(")")) << text_;
      return value;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    const std::string word = text_.substr(begin, at_ - begin);
    for (std::size_t i = 0; i < kVariables.size(); ++i) {
      if (word == kVariables[i].name) return point_[i];
    }
    return std::stoll(word);
  }

  const std::string& text_;
  const Point& point_;
  std::size_t at_ = 0;
};

void ExpectSame(const Pair& pair) {
  const std::string text = pair.index.Text(), by_factors = pair.index.Text(IndexOrder::kFactors);
  std::int64_t differs_by = 0;  // From the first number, if it is one.
  for (const Point& point : Points()) {
    const std::int64_t value = pair.value(point);
    ASSERT_EQ(pair.index.At(point), value) << text;
    ASSERT_EQ(Reader(text, point).Whole(), value) << text;
    ASSERT_EQ(Reader(by_factors, point).Whole(), value) << by_factors;
    ASSERT_LE(pair.index.min(), value) << text;
    ASSERT_GE(pair.index.max(), value) << text;
    differs_by |= value - pair.value(Points()[0]);
  }
  if (pair.index.number()) {
    EXPECT_EQ(differs_by, 0) << text;
  }
  for (const IndexVariable& variable : kVariables) {
    if (pair.index.Uses(variable.number)) continue;
    Point point{}, other{};
    other[static_cast<std::size_t>(variable.number)] = variable.max;
    EXPECT_EQ(pair.value(point), pair.value(other)) << text << " does not use " << variable.name;
  }
}

TEST(IndexTest, HasTheValueRangeAndTextOfWhatItIsMadeOf) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) ExpectSame(RandomPair(random, round % 5));
}

TEST(IndexTest, VariablesBecomeIndices) {
  std::mt19937 random(2);
  for (int round = 0; round < 1000; ++round) {
    const Pair outer = RandomPair(random, 3);
    // What is put in has the range that the variable had.
    const Index inner = (Index(kVariables[1]) * 2 + Index(kVariables[2])).Mod(6);
    const std::vector<Index> both = {inner, Index(kVariables[1]).Mod(5)};
    const Index whole = outer.index.With(1, inner), of_both = outer.index.With(1, both);
    for (const Point& point : Points()) {
      const Point moved = {point[0], inner.At(point), point[2]};
      ASSERT_EQ(whole.At(point), outer.value(moved)) << outer.index.Text();
      const Point both_moved = {point[0], inner.At(point), both[1].At(point)};
      ASSERT_EQ(of_both.At(point), outer.value(both_moved)) << outer.index.Text();
    }
  }
}

TEST(IndexTest, EqualOnesAreEqualEverywhere) {
  std::mt19937 random(3);
  std::vector<Pair> pairs;
  for (int i = 0; i < 200; ++i) pairs.push_back(RandomPair(random, 2));
  int equal = 0;
  for (const Pair& a : pairs) {
    for (const Pair& b : pairs) {
      EXPECT_EQ(a.index == b.index, a.index.Text() == b.index.Text()) << a.index.Text();
      EXPECT_EQ(a.index<b.index, (b.index <=> a.index)> 0);
      if (a.index != b.index) continue;
      ++equal;
      for (const Point& point : Points()) ASSERT_EQ(a.value(point), b.value(point));
    }
  }
  EXPECT_GT(equal, 300);
}

TEST(IndexTest, SplittingAndJoiningCostsNothing) {
  const Index i(IndexVariable::Of(0, "i", 8)), j(IndexVariable::Of(1, "j", 4));
  const Index joined = i * 4 + j;
  EXPECT_EQ(joined.Div(4), i);
  EXPECT_EQ(joined.Mod(4), j);
  EXPECT_EQ(joined.Div(3) * 3 + joined.Mod(3), joined);
  EXPECT_EQ(joined.Div(2).Text(), "2 * i + j / 2");
  EXPECT_EQ((i.Div(3) * 5 + j).Text(), "5 * (i / 3) + j");
  EXPECT_EQ((j - i.Mod(3) - Index(2)).Text(), "-(i % 3) + j - 2");
  EXPECT_EQ(i - i, Index());
}

TEST(IndexTest, SaysWhatItIsMadeOf) {
  const Index i(IndexVariable::Of(0, "i", 8)), j(IndexVariable::Of(1, "j", 4));
  const Index affine = i * 4 + j + Index(3), divided = (affine * 3).Div(5) + j;
  EXPECT_TRUE(affine.IsAffine());
  EXPECT_EQ(affine.constant(), 3);
  EXPECT_EQ(affine.FactorOf(0), 4);
  EXPECT_EQ(affine.FactorOf(2), 0);
  EXPECT_EQ(affine.NumQuotients(), 0);
  EXPECT_EQ(affine.variable(), nullptr);
  EXPECT_FALSE(divided.IsAffine());
  EXPECT_EQ(divided.NumQuotients(), 1);
  EXPECT_EQ((divided.Mod(3) + divided).NumQuotients(), 3);
  ASSERT_NE(j.variable(), nullptr);
  EXPECT_EQ(j.variable()->name, "j");
}

TEST(IndexTest, TermsAreOrderedByNamesOrFactors) {
  const Index i(IndexVariable::Of(0, "i", 8)), j(IndexVariable::Of(1, "j", 4));
  const Index index = i * 8 + j * 64 - i.Div(3) * 5 + Index(7);
  EXPECT_EQ(index.Text(), "8 * i - 5 * (i / 3) + 64 * j + 7");
  EXPECT_EQ(index.Text(IndexOrder::kFactors), "j * 64 + i * 8 - (i / 3) * 5 + 7");
}

TEST(AffineTest, HasAStrideOfEachVariableAndARange) {
  Affine<int> affine{3, {}};
  affine.Add(1, 4);
  affine.Add(2, -2);
  affine.Add(0, 0);
  EXPECT_EQ(affine.StrideOf(1), 4);
  EXPECT_EQ(affine.StrideOf(0), 0);
  EXPECT_EQ(affine.At([](int variable) { return 10 * variable; }), 3 + 40 - 40);
  const auto range_of = [](int variable) { return std::pair(-1, 2 * variable); };
  EXPECT_EQ(affine.Range(range_of), (std::pair<std::int64_t, std::int64_t>(3 - 4 - 8, 3 + 8 + 2)));
  affine.Add(1, 1);
  affine.Add(2, 2);
  EXPECT_EQ(affine.strides, (Affine<int>::Strides{{1, 5}}));
}

TEST(ConditionTest, HoldsWhereAndSaysWhatItIsMadeOf) {
  std::mt19937 random(4);
  for (int round = 0; round < 2000; ++round) {
    const ConditionPair pair = RandomCondition(random, round % 4);
    const std::string text = pair.condition.Text();
    const auto most = pair.condition.Most(1);
    // What is put in has the range that the variable had.
    const Index inner = (Index(kVariables[1]) * 2 + Index(kVariables[2])).Mod(6);
    const Condition moved = pair.condition.With(1, inner);
    for (const Point& point : Points()) {
      const bool holds = pair.holds(point);
      ASSERT_EQ(pair.condition.HoldsAt(point), holds) << text;
      ASSERT_EQ(Reader(text, point).Whole(), holds ? 1 : 0) << text;
      if (most && holds) {
        ASSERT_LE(point[1], *most) << text;
      }
      ASSERT_EQ(moved.HoldsAt(point), pair.holds({point[0], inner.At(point), point[2]})) << text;
    }
  }
}

TEST(ConditionTest, TakesPartsOfWhatMustAllHold) {
  const Index i(kVariables[1]);
  const Condition first = Condition::Is(kVariables[1], 0), end(i, Relation::kLess, 5),
                  both = first && end;
  EXPECT_EQ(both.Text(), "c1 == 0 && c1 < 5");
  EXPECT_EQ(both.Without(first), end);
  EXPECT_EQ(both.Without(Condition::Is(kVariables[1], 1)), std::nullopt);
  EXPECT_TRUE(first.Without(first)->always());
  EXPECT_EQ((first || end).Without(first), std::nullopt);
  EXPECT_EQ((both || !end).Text(), "(c1 == 0 && c1 < 5) || !(c1 < 5)");
  EXPECT_EQ(Condition() && end, end);
  EXPECT_TRUE((Condition() || end).always());
  EXPECT_EQ(end.Last(1), Index(4));
  EXPECT_EQ(Condition(i, Relation::kAtMost, Index(kVariables[2])).Last(1), Index(kVariables[2]));
  EXPECT_EQ(both.Last(1), std::nullopt);
  EXPECT_EQ(both.Most(1), 4);
  EXPECT_EQ(first.Most(1), std::nullopt);
}

TEST(IndexTest, WhatIsKnownToBeWithinHasThatRange) {
  const Index i(IndexVariable::Of(0, "i", 8));
  const Index moved = (i - Index(3)).Within(5);
  EXPECT_EQ(moved.min(), 0);
  EXPECT_EQ(moved.max(), 4);
  EXPECT_EQ(moved.Text(), "(i - 3)");
  EXPECT_EQ(moved.Div(5), Index());
  EXPECT_EQ(i.Within(8), i);
}

}  // namespace
}  // namespace exh::kernels::ir

// SPDX-License-Identifier: MIT
//
// Sums of many increments are kept as trees of partial sums: the same domains and the same
// intervals come of it, as the oracle says and as an instance that keeps them whole does, up to
// the edge of 64-bit arithmetic.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "runtime/candidate.h"
#include "runtime/internal/network/network.h"
#include "tests/support/drive.h"
#include "tests/support/oracle.h"
#include "tests/support/random_space.h"

namespace exh::tests {
namespace {

using runtime::Bits;
using runtime::Candidate;
using runtime::CompareOp;
using runtime::DecisionId;
using runtime::FreezeOptions;
using runtime::Instance;
using runtime::Interval;
using runtime::Propagation;
using runtime::Visibility;

constexpr Bits A = 1;

std::size_t NumSums(const Instance& instance) {
  std::size_t sums = 0;
  for (const auto& counter : instance.network().counters) sums += !counter.product;
  return sums;
}

TEST(LargeSums, RandomSpacesAgreeWithTheOracle) {
  constexpr std::uint64_t kMaxAssignments = 2000;
  FreezeOptions options;
  options.largest_sum = 2;
  std::size_t driven = 0, dead_ends = 0;
  for (std::uint64_t seed = 50001; driven < 40 && !HasFailure(); ++seed) {
    ASSERT_LT(seed, 55000u) << "hardly a random space has a sum of three";
    const TestSpace test = RandomSpace(seed);
    if (Oracle(test.space, test.host).NumAssignments(kMaxAssignments) > kMaxAssignments) continue;
    const auto whole = Instance::Freeze(test.space, test.host);
    const auto parts = Instance::Freeze(test.space, test.host, options);
    if (NumSums(*parts) == NumSums(*whole)) continue;
    dead_ends +=
        DriveAgainstOracle(test, "sums in parts, random space", seed, 8, options).dead_ends;
    ++driven;
  }
  std::printf("%zu spaces with sums in parts, %zu dead ends\n", driven, dead_ends);
}

/// What a sum is made of.
struct Shape {
  std::string name;
  Visibility visibility = Visibility::kFull;
  bool integers = false;     ///< Weights are decisions.
  std::uint32_t weight = 1;  ///< Of object i: weight * (1 + i % 7).
  std::uint32_t least = 0, most = 0;
  std::uint32_t rival = 0;  ///< What a second sum may be, to which each object that the first one
                            ///< does not count adds.
};

TestSpace SumSpace(int num_items, const Shape& shape) {
  TestSpace test;
  const int items = test.AddRoot("Items", num_items);
  const int kind = test.AddEnum("kind", {Var(items)}, 3);
  const int size = test.AddInteger("size", {Var(items)}, [=](TableHost::Tuple tuple) {
    const std::uint32_t unit = shape.weight * (1 + tuple[0] % 7);
    return std::vector<std::uint32_t>{unit, 2 * unit, 4 * unit};
  });
  const runtime::CodeId weight = test.Numbers([=](TableHost::Tuple tuple) {
    return std::vector<std::uint32_t>{shape.weight * (1 + tuple[0] % 7)};
  });
  runtime::Choice& sum = test.AddCounter("sum", {}, false, shape.visibility);
  sum.over = {Var(items)};
  sum.when = {Is(kind, {0}, A | 2)};
  if (shape.integers) {
    sum.weight = {size, {0}};
  } else {
    sum.weight_code = weight;
  }
  const int n = test.choice("sum");
  if (shape.rival != 0) {
    runtime::Choice& rival = test.AddCounter("rival", {}, false, Visibility::kFull);
    rival.over = {Var(items)};
    rival.when = {Is(kind, {0}, 2 | 4)};
    rival.weight_code = weight;
    test.Require({}, {test.ComparesCode(test.choice("rival"), {}, CompareOp::kLe, {shape.rival})});
  }
  if (shape.most != 0) test.Require({}, {test.ComparesCode(n, {}, CompareOp::kLe, {shape.most})});
  if (shape.least != 0) test.Require({}, {test.ComparesCode(n, {}, CompareOp::kGe, {shape.least})});
  return test;
}

/// Random descents of both by the same decisions.
void Compare(const TestSpace& test, const FreezeOptions& options, int num_descents,
             std::size_t* steps, std::size_t* dead_ends) {
  const auto parts = Instance::Freeze(test.space, test.host, options);
  const auto whole =
      Instance::Freeze(test.space, test.host, FreezeOptions{.largest_sum = std::size_t{1} << 30});
  ASSERT_GT(parts->network().counters.size(), whole->network().counters.size());
  ASSERT_EQ(parts->root_result(), whole->root_result());
  if (parts->root_result() == Propagation::kDeadEnd) return;
  const int sum = test.choice("sum");
  std::mt19937_64 random(11);
  for (int descent = 0; descent < num_descents; ++descent) {
    SCOPED_TRACE("descent " + std::to_string(descent));
    Candidate left(parts), right(whole);
    std::vector<DecisionId> order(parts->num_decisions());
    for (DecisionId d = 0; d < parts->num_decisions(); ++d) order[d] = d;
    std::shuffle(order.begin(), order.end(), random);
    for (const DecisionId decision : order) {
      ASSERT_EQ(left.domain(decision), right.domain(decision));
      if (!left.IsOpen(decision)) continue;
      Bits values = left.domain(decision);
      for (auto skip = random() % static_cast<unsigned>(std::popcount(values)); skip > 0; --skip) {
        values &= values - 1;
      }
      const Propagation result = left.Restrict(decision, values & (~values + 1));
      ASSERT_EQ(result, right.Restrict(decision, values & (~values + 1)));
      ++*steps;
      if (result == Propagation::kDeadEnd) {
        ASSERT_EQ(left.conflict().origin, right.conflict().origin);
        ++*dead_ends;
        break;
      }
      ASSERT_EQ(left.counter(sum, {}), right.counter(sum, {}));
      if (*steps % 16 != 0) continue;
      for (DecisionId d = 0; d < parts->num_decisions(); ++d) {
        ASSERT_EQ(left.domain(d), right.domain(d)) << parts->DecisionName(d);
      }
    }
  }
}

TEST(LargeSums, SayWhatWholeSumsSay) {
  std::size_t steps = 0, dead_ends = 0;
  for (const Shape& shape : std::vector<Shape>{
           {"unbounded"},
           {"at most", Visibility::kFull, false, 1, 0, 260},
           {"at least", Visibility::kFull, false, 1, 400, 0},
           {"between", Visibility::kFull, false, 3, 700, 750},
           {"half", Visibility::kHalf, false, 1, 0, 260},
           {"two, full", Visibility::kFull, false, 1, 0, 300, 297},
           {"two, half", Visibility::kHalf, false, 2, 0, 600, 594},
           {"integers at most", Visibility::kFull, true, 1, 0, 600},
           {"integers between", Visibility::kFull, true, 1, 700, 720},
           {"integers at least", Visibility::kFull, true, 1, 1900, 0},
           {"nearly 32 bits", Visibility::kFull, true, 600000000 / 28, 0, 4000000000},
       }) {
    SCOPED_TRACE(shape.name);
    const TestSpace test = SumSpace(150, shape);
    for (const std::size_t largest : {2, 3, 64, 149}) {
      Compare(test, FreezeOptions{.largest_sum = largest}, 6, &steps, &dead_ends);
    }
  }
  std::printf("%zu steps, %zu dead ends\n", steps, dead_ends);
  EXPECT_GT(steps, 5000u);
  EXPECT_GT(dead_ends, 10u);
}

/// Sums of products that no 64 bits hold: what is saturated stays unknown, in parts as in whole.
TEST(LargeSums, SaturateAsWholeSumsDo) {
  TestSpace test;
  const int items = test.AddRoot("Items", 12), factors = test.AddRoot("Factors", 7);
  const int size = test.AddInteger("size", {Var(items), Var(factors)}, [](TableHost::Tuple) {
    return std::vector<std::uint32_t>{1, 1000, 500000};
  });
  runtime::Choice& product =
      test.AddCounter("product", {Var(items)}, /*product=*/true, Visibility::kFull);
  product.over = {Var(factors)};
  product.weight = {size, {0, 1}};
  const int volume = test.choice("product");
  runtime::Choice& sum = test.AddCounter("sum", {}, false, Visibility::kFull);
  sum.over = {Var(items)};
  sum.weight = {volume, {0}};
  std::size_t steps = 0, dead_ends = 0;
  Compare(test, FreezeOptions{.largest_sum = 3}, 20, &steps, &dead_ends);
  test.Require({}, {test.ComparesCode(test.choice("sum"), {}, CompareOp::kLe, {4000000000})});
  Compare(test, FreezeOptions{.largest_sum = 3}, 20, &steps, &dead_ends);
  EXPECT_GT(steps, 500u);
}

/// No counter reads more than a few increments, whatever a sum runs over.
TEST(LargeSums, OfThousandsOfObjectsAreTrees) {
  const TestSpace test = SumSpace(5000, {"large", Visibility::kFull, false, 1, 0, 9000});
  const Candidate root(Instance::Freeze(test.space, test.host));
  const auto& network = root.instance().network();
  EXPECT_LE(network.most_increments, 64u);
  Candidate candidate = root;
  const auto kind = [&](Object item) {
    return root.instance().FindDecision(test.choice("kind"), std::vector<Object>{item})->id;
  };
  std::uint64_t counted = 0, least = 0;
  for (Object item = 0; item < 5000 && counted < 4000; item += 3) {
    ASSERT_EQ(candidate.Restrict(kind(item), A), Propagation::kFixpoint);
    counted += 1 + item % 7;
    ASSERT_EQ(candidate.counter(test.choice("sum"), {}).min, counted);
    least = counted;
  }
  EXPECT_GE(least, 4000u);
}

}  // namespace
}  // namespace exh::tests

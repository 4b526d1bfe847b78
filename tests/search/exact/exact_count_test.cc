// SPDX-License-Identifier: MIT
//
// Exact counts against enumeration: random spaces against the brute-force oracle, spaces whose
// count has a formula, and spaces that are several copies of another. EXH_RANDOM_SPACES=10000 looks
// at more random ones, EXH_RANDOM_SEED=n starts at another one.
#include "search/exact/exact_count.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "search/descend/choice_order.h"
#include "tests/search/toy_space.h"
#include "tests/support/oracle.h"
#include "tests/support/random_space.h"
#include "tests/support/random_terms.h"

namespace exh::search {
namespace {

using runtime::Candidate;
using runtime::Instance;
using runtime::Propagation;
using tests::Oracle;
using tests::RandomSpace;
using tests::TestSpace;

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

BigCount CountOf(const Candidate& root, ExactOptions options = {}) {
  ExactCounter counter(root.shared_instance(), std::move(options));
  const ExactCount count = counter.Count(root);
  EXPECT_TRUE(count.complete);
  return count.count;
}

/// Decision by decision, no parts, nothing remembered.
std::uint64_t PlainCount(const Candidate& node, const ChoiceOrder& order) {
  const auto decision = order.Next(node);
  if (!decision) return 1;
  std::uint64_t count = 0;
  node.ForEachValue(*decision, [&](int value) {
    Candidate child = node;
    if (child.Take(*decision, value) == Propagation::kFixpoint) count += PlainCount(child, order);
  });
  return count;
}

TEST(ExactCounter, AgreesWithTheOracleOnRandomSpaces) {
  const std::uint64_t spaces = FromEnvironment("EXH_RANDOM_SPACES", 200);
  constexpr std::uint64_t kMaxAssignments = 3000;
  std::uint64_t counted = 0, with_solutions = 0, known = 0;
  for (std::uint64_t seed = FromEnvironment("EXH_RANDOM_SEED", 1);
       counted < spaces && !::testing::Test::HasFailure(); ++seed) {
    const TestSpace test = RandomSpace(seed);
    Oracle oracle(test.space, test.host);
    if (oracle.NumAssignments(kMaxAssignments) > kMaxAssignments) continue;
    ++counted;
    const std::size_t expected = oracle.Solve().size();
    const auto instance = Instance::Freeze(test.space, test.host);
    if (instance->root_result() == Propagation::kDeadEnd) {
      EXPECT_EQ(expected, 0u) << "seed " << seed;
      continue;
    }
    with_solutions += expected > 0;
    ExactCounter counter(instance, {});
    EXPECT_EQ(counter.Count(Candidate(instance)).count, BigCount(expected)) << "seed " << seed;
    known += counter.status().known;
    // With hardly any memory: what is forgotten is counted again.
    EXPECT_EQ(CountOf(Candidate(instance), {.max_cache_bytes = 1000}), BigCount(expected))
        << "seed " << seed;
  }
  // The sample is no test when it is empty.
  EXPECT_GT(with_solutions, counted / 3);
  EXPECT_GT(known, 0u);
}

TEST(ExactCounter, AgreesWithTheOracleOnRandomTerms) {
  const std::uint64_t spaces = FromEnvironment("EXH_RANDOM_SPACES", 200);
  const std::uint64_t first = FromEnvironment("EXH_RANDOM_SEED", 1);
  std::uint64_t with_solutions = 0, with_long = 0;
  for (std::uint64_t seed = first; seed < first + spaces && !::testing::Test::HasFailure();
       ++seed) {
    const TestSpace test = tests::RandomTermSpace(seed, 2000);
    const std::size_t expected = Oracle(test.space, test.host).Solve().size();
    const auto instance = Instance::Freeze(test.space, test.host);
    if (instance->root_result() == Propagation::kDeadEnd) {
      EXPECT_EQ(expected, 0u) << "seed " << seed;
      continue;
    }
    with_solutions += expected > 0;
    for (runtime::DecisionId d = 0; d < instance->num_decisions(); ++d) {
      if (!instance->IsLong(d)) continue;
      ++with_long;
      break;
    }
    EXPECT_EQ(CountOf(Candidate(instance)), BigCount(expected)) << "seed " << seed;
  }
  EXPECT_GT(with_solutions, spaces / 3);
  EXPECT_GT(with_long, spaces / 10);
}

/// Larger ones than the oracle can enumerate, decision by decision.
TEST(ExactCounter, AgreesWithAPlainCountOnLargerRandomSpaces) {
  const std::uint64_t spaces = FromEnvironment("EXH_RANDOM_SPACES", 200) / 4;
  std::uint64_t counted = 0;
  for (std::uint64_t seed = FromEnvironment("EXH_RANDOM_SEED", 1);
       counted < spaces && !::testing::Test::HasFailure(); ++seed) {
    const TestSpace test = RandomSpace(seed);
    if (Oracle(test.space, test.host).NumAssignments(3000) <= 3000) continue;
    const auto instance = Instance::Freeze(test.space, test.host);
    if (instance->root_result() == Propagation::kDeadEnd) continue;
    const Candidate root(instance);
    const BigCount count = CountOf(root);
    if (count > 30'000) continue;
    ++counted;
    EXPECT_EQ(count, BigCount(PlainCount(root, ChoiceOrder::Default(*instance))))
        << "seed " << seed;
  }
}

// ---- Spaces whose counts are known otherwise.

/// Colours of vertices; two with an edge differ.
TestSpace Colouring(int vertices, int colours, const std::vector<std::pair<int, int>>& edges) {
  TestSpace test;
  const int set = test.AddRoot("Vertices", vertices);
  const int colour = test.AddEnum("colour", {tests::Var(set)}, colours);
  const auto is_edge = [edges](tests::TableHost::Tuple tuple) {
    const std::pair<int, int> edge{tuple[0], tuple[1]};
    return std::ranges::find(edges, edge) != edges.end();
  };
  runtime::Condition differs = tests::Compares(colour, {0}, runtime::CompareOp::kNe, {1});
  runtime::Condition no_edge = test.Code(is_edge);
  no_edge.negated = true;
  test.Require({tests::Var(set), tests::Var(set)}, {no_edge, differs});
  return test;
}

std::vector<std::pair<int, int>> Cycle(int length, int first = 0) {
  std::vector<std::pair<int, int>> edges;
  for (int v = 0; v < length; ++v) edges.emplace_back(first + v, first + (v + 1) % length);
  return edges;
}

Candidate RootOf(const TestSpace& test) {
  return Candidate(Instance::Freeze(test.space, test.host));
}

BigCount Power(const BigCount& base, unsigned long exponent) {
  BigCount power;
  mpz_pow_ui(power.get_mpz_t(), base.get_mpz_t(), exponent);
  return power;
}

TEST(ExactCounter, CountsColouringsOfCycles) {
  for (const int colours : {2, 3, 5}) {
    for (const int length : {3, 4, 7, 40}) {
      const BigCount others = colours - 1;
      const BigCount sign = length % 2 == 0 ? 1 : -1;
      EXPECT_EQ(CountOf(RootOf(Colouring(length, colours, Cycle(length)))),
                Power(others, static_cast<unsigned long>(length)) + sign * others)
          << colours << " colours, length " << length;
    }
  }
}

TEST(ExactCounter, CountsColouringsOfThePetersenGraph) {
  std::vector<std::pair<int, int>> edges;
  for (int v = 0; v < 5; ++v) {
    edges.emplace_back(v, (v + 1) % 5);
    edges.emplace_back(v, v + 5);
    edges.emplace_back(v + 5, (v + 2) % 5 + 5);
  }
  // Its chromatic polynomial at 3 and 4.
  EXPECT_EQ(CountOf(RootOf(Colouring(10, 3, edges))), 120);
  EXPECT_EQ(CountOf(RootOf(Colouring(10, 4, edges))), 12960);
}

TEST(ExactCounter, PartsMultiply) {
  constexpr int kCopies = 12;
  std::vector<std::pair<int, int>> edges;
  for (int copy = 0; copy < kCopies; ++copy) {
    for (const auto& edge : Cycle(5, 5 * copy)) edges.push_back(edge);
  }
  const Candidate root = RootOf(Colouring(5 * kCopies, 8, edges));
  ExactCounter counter(root.shared_instance(), {});
  // Far beyond 64 bits: (7^5 - 7)^12.
  EXPECT_EQ(counter.Count(root).count, Power(16800, kCopies));
  EXPECT_LT(counter.status().nodes, 10'000u);
}

/// Items that are in or out, with weights and values of their own.
struct Items {
  std::vector<std::uint32_t> weights, values;
  std::uint32_t most_weight = 0, least_value = 0;

  TestSpace Space(runtime::Visibility visibility) const {
    TestSpace test;
    const int set = test.AddRoot("Items", static_cast<int>(weights.size()));
    const int taken = test.AddEnum("taken", {tests::Var(set)}, 2);
    const auto add = [&](const char* name, const std::vector<std::uint32_t>& numbers,
                         runtime::Visibility shows) {
      runtime::Choice& sum = test.AddCounter(name, {}, false, shows);
      sum.over = {tests::Var(set)};
      sum.weight_code = test.Numbers([numbers](tests::TableHost::Tuple tuple) {
        return std::vector<std::uint32_t>{numbers[tuple[0]]};
      });
      sum.when = {tests::Is(taken, {0}, 2)};
      return static_cast<int>(test.space.choices.size()) - 1;
    };
    const int weight = add("weight", weights, visibility);
    const int value = add("value", values, runtime::Visibility::kFull);
    test.Require({}, {test.ComparesCode(weight, {}, runtime::CompareOp::kLe, {most_weight})});
    test.Require({}, {test.ComparesCode(value, {}, runtime::CompareOp::kGe, {least_value})});
    return test;
  }

  /// By dynamic programming over sums.
  BigCount Count() const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, BigCount> sums = {{{0, 0}, 1}};
    for (std::size_t item = 0; item < weights.size(); ++item) {
      auto with = sums;
      for (const auto& [sum, count] : sums) {
        with[{sum.first + weights[item], sum.second + values[item]}] += count;
      }
      sums = std::move(with);
    }
    BigCount count = 0;
    for (const auto& [sum, ways] : sums) {
      if (sum.first <= most_weight && sum.second >= least_value) count += ways;
    }
    return count;
  }
};

TEST(ExactCounter, CountsKnapsacks) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    Items items;
    std::uint32_t weight = 0, value = 0;
    for (int item = 0; item < 24; ++item) {
      items.weights.push_back(static_cast<std::uint32_t>(1 + random.Below(12)));
      items.values.push_back(static_cast<std::uint32_t>(random.Below(6)));
      weight += items.weights.back();
      value += items.values.back();
    }
    items.most_weight = weight / 2;
    items.least_value = value / 3;
    for (const auto visibility : {runtime::Visibility::kFull, runtime::Visibility::kHalf}) {
      const Candidate root = RootOf(items.Space(visibility));
      ExactCounter counter(root.shared_instance(), {});
      EXPECT_EQ(counter.Count(root).count, items.Count()) << "seed " << seed;
      EXPECT_GT(counter.status().known, 100u);
    }
  }
}

/// Sums and products over some of a few numbers, which clauses ask for in all ways.
TestSpace RandomCounters(Random& random) {
  TestSpace test;
  const int items = 4 + static_cast<int>(random.Below(4));
  const int set = test.AddRoot("Items", items);
  const int kind = test.AddEnum("kind", {tests::Var(set)}, 3);
  const int size = test.AddInteger("size", {tests::Var(set)}, [](tests::TableHost::Tuple) {
    return std::vector<std::uint32_t>{1, 2, 3};
  });
  std::vector<int> counters;
  for (int c = 0; c < 4; ++c) {
    const bool product = random.Below(2) == 0;
    const bool half = random.Below(3) == 0;
    runtime::Choice& counter =
        test.AddCounter("n" + std::to_string(c), {}, product,
                        half ? runtime::Visibility::kHalf : runtime::Visibility::kFull);
    counter.over = {tests::Var(set)};
    const std::uint64_t members = random.Below(std::size_t{1} << items);
    if (random.Below(2) == 0) {
      counter.weight = {size, {0}};
    } else {
      const auto weight = static_cast<std::uint32_t>(product ? 2 : 1 + random.Below(4));
      counter.weight_code = test.Number(weight);
    }
    counter.when = {test.Code([members](tests::TableHost::Tuple tuple) {
                      return (members >> tuple[0] & 1) != 0;
                    }),
                    tests::Is(kind, {0}, 1 + random.Below(6))};
    // The number is what AddCounter() left as the last choice.
    counters.push_back(static_cast<int>(test.space.choices.size()) - 1);
    std::vector<runtime::Condition> clause;
    const auto number = static_cast<std::uint32_t>(1 + random.Below(product ? 12 : 7));
    const auto op = half || random.Below(2) == 0 ? runtime::CompareOp::kLe
                    : random.Below(3) == 0       ? runtime::CompareOp::kNe
                                                 : runtime::CompareOp::kGe;
    clause.push_back(test.ComparesCode(counters.back(), {}, op, {number}));
    if (!half && random.Below(2) == 0) {
      const auto other = static_cast<std::uint32_t>(1 + random.Below(5));
      clause.push_back(test.ComparesCode(counters.back(), {}, runtime::CompareOp::kEq, {other}));
    }
    if (random.Below(2) == 0) {
      test.Require({}, clause);
    } else {
      clause.push_back(tests::Is(kind, {0}, 1 + random.Below(6)));
      test.Require({tests::Var(set)}, clause);
    }
  }
  return test;
}

TEST(ExactCounter, AgreesWithAPlainCountOnRandomCounters) {
  const std::uint64_t spaces = FromEnvironment("EXH_RANDOM_SPACES", 200);
  std::uint64_t known = 0, some = 0;
  const std::uint64_t first = FromEnvironment("EXH_RANDOM_SEED", 1);
  for (std::uint64_t seed = first; seed < first + spaces && !::testing::Test::HasFailure();
       ++seed) {
    Random random(seed);
    const Candidate root = RootOf(RandomCounters(random));
    if (root.instance().root_result() == Propagation::kDeadEnd) continue;
    ExactCounter counter(root.shared_instance(), {});
    const BigCount count = counter.Count(root).count;
    known += counter.status().known;
    // Larger ones take long decision by decision.
    if (count > 60'000) continue;
    some += count > 0;
    EXPECT_EQ(count, BigCount(PlainCount(root, ChoiceOrder::Default(root.instance()))))
        << "seed " << seed;
  }
  EXPECT_GT(known, 1000u);
  EXPECT_GT(some, spaces / 5);
}

TEST(ExactCounter, StopsWithALowerBound) {
  const Candidate root = RootOf(Colouring(60, 4, Cycle(60)));
  ExactOptions options;
  options.max_cache_bytes = 0;
  options.stop = [](const CountStatus& status) { return status.nodes > 20'000; };
  ExactCounter counter(root.shared_instance(), options);
  const ExactCount count = counter.Count(root);
  EXPECT_FALSE(count.complete);
  EXPECT_LT(count.count, Power(3, 60) + 3);
}

// ---- Drawing.

TEST(ExactCounter, DrawsUniformly) {
  // 18 colourings of a cycle of four vertices.
  const Candidate root = RootOf(Colouring(4, 3, Cycle(4)));
  ExactCounter counter(root.shared_instance(), {});
  ASSERT_EQ(counter.Count(root).count, 18);
  constexpr int kDraws = 18 * 500;
  Random random(7);
  std::map<std::string, int> seen;
  for (int draw = 0; draw < kDraws; ++draw) {
    const auto drawn = counter.Draw(root, random);
    ASSERT_TRUE(drawn);
    std::string values;
    for (runtime::DecisionId d = 0; d < root.instance().num_decisions(); ++d) {
      values += static_cast<char>('0' + drawn->FirstValue(d));
    }
    ++seen[values];
  }
  ASSERT_EQ(seen.size(), 18u);
  double chi_square = 0;
  for (const auto& [values, times] : seen) chi_square += (times - 500.0) * (times - 500.0) / 500;
  // 17 degrees of freedom: above 40.8 with a probability of 0.1 %.
  EXPECT_LT(chi_square, 40.8);
  EXPECT_GT(chi_square, 2);
}

TEST(BigCount, DrawsBelowAnyBound) {
  Random random(3);
  const BigCount bound = Power(10, 30) + 7;
  BigCount least = bound, most = 0;
  for (int draw = 0; draw < 2000; ++draw) {
    const BigCount drawn = Below(bound, random);
    ASSERT_GE(drawn, 0);
    ASSERT_LT(drawn, bound);
    least = std::min(least, drawn);
    most = std::max(most, drawn);
  }
  EXPECT_LT(least, bound / 100);
  EXPECT_GT(most, bound - bound / 100);
  EXPECT_EQ(Below(1, random), 0);
  EXPECT_EQ(Digits(Power(2, 70)), "1180591620717411303424");
}

TEST(ExactCounter, CountsTheToySpace) {
  const Candidate root = ToyRoot();
  EXPECT_EQ(CountOf(root), kToyImplementations);
}

}  // namespace
}  // namespace exh::search

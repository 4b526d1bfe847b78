// SPDX-License-Identifier: MIT
//
// A second oracle: what is exported to MiniZinc has, for Gecode, as many solutions as the engine
// finds implementations. EXH_MINIZINC_SPACES=1000 looks at more random spaces.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "runtime/export_minizinc.h"
#include "tests/support/minizinc.h"
#include "tests/support/oracle.h"
#include "tests/support/order_space.h"
#include "tests/support/random_space.h"
#include "tests/support/random_terms.h"
#include "tests/support/terms.h"

namespace exh::tests {
namespace {

using runtime::Candidate;
using runtime::Instance;

class MiniZinc : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = MissingMiniZinc(); !missing.empty()) GTEST_SKIP() << missing;
  }
};

void ExpectSolutions(const Instance& instance, bool gecode_tables, std::uint64_t expected) {
  runtime::MiniZincOptions options;
  options.gecode_tables = gecode_tables;
  const std::string model = ExportMiniZinc(instance, options);
  const SolutionCount count = CountSolutions(model);
  EXPECT_EQ(count.error, "") << model;
  EXPECT_EQ(count.solutions, expected) << model;
}

TEST_F(MiniZinc, CountsTheImplementationsOfRandomSpaces) {
  const char* const more = std::getenv("EXH_MINIZINC_SPACES");
  const int spaces = more == nullptr ? 40 : std::atoi(more);
  constexpr std::uint64_t kMostImplementations = 20000;
  int compared = 0, with_planned = 0, with_counters = 0, with_implementations = 0;
  for (std::uint64_t seed = 1; compared < spaces && !HasFailure(); ++seed) {
    SCOPED_TRACE("random space, seed " + std::to_string(seed));
    const TestSpace test = RandomSpace(seed);
    const auto instance = Instance::Freeze(test.space, test.host);
    const std::uint64_t expected = CountImplementations(Candidate(instance), kMostImplementations);
    // Spaces with a single implementation or none say little: a few are enough.
    if (expected > kMostImplementations || (expected < 2 && seed % 4 != 0)) continue;
    ++compared;
    with_planned += !test.space.triggers.empty();
    with_counters += instance->statistics().counters > 0;
    with_implementations += expected > 1;
    ExpectSolutions(*instance, seed % 2 == 0, expected);
  }
  std::printf("%d spaces, %d with triggers, %d with counters, %d with several implementations\n",
              compared, with_planned, with_counters, with_implementations);
  EXPECT_GT(with_planned, spaces / 8);
  EXPECT_GT(with_counters, spaces / 4);
  EXPECT_GT(with_implementations, spaces / 2);
}

/// The oracle, the engine and Gecode agree.
TEST_F(MiniZinc, CountsTheImplementationsOfRandomSpacesWithTerms) {
  const char* const more = std::getenv("EXH_MINIZINC_SPACES");
  const int spaces = more == nullptr ? 40 : std::atoi(more);
  int compared = 0, too_large = 0, with_long = 0, with_planned = 0, with_implementations = 0;
  for (std::uint64_t seed = 1; compared < spaces && !HasFailure(); ++seed) {
    SCOPED_TRACE("random space with terms, seed " + std::to_string(seed));
    const TestSpace test = RandomTermSpace(seed, seed % 10 == 0 ? 200'000 : 3'000);
    const std::uint64_t expected = Oracle(test.space, test.host).Solve().size();
    // Solvers print every solution.
    if (expected > 20'000) continue;
    const auto instance = Instance::Freeze(test.space, test.host);
    EXPECT_EQ(CountImplementations(Candidate(instance), expected + 1), expected);
    try {
      ExpectSolutions(*instance, seed % 2 == 0, expected);
    } catch (const Error& error) {
      ++too_large;
      ASSERT_LT(too_large, 5 + spaces / 5) << error.what();
      continue;
    }
    ++compared;
    with_planned += !test.space.triggers.empty();
    with_implementations += expected > 1;
    bool any_long = false;
    for (runtime::DecisionId d = 0; d < instance->num_decisions(); ++d) {
      any_long = any_long || instance->IsLong(d);
    }
    with_long += any_long;
  }
  std::printf(
      "%d spaces, %d with triggers, %d with long decisions, %d with several implementations, "
      "%d too large for solvers\n",
      compared, with_planned, with_long, with_implementations, too_large);
  EXPECT_GT(with_planned, spaces / 8);
  EXPECT_GT(with_long, spaces / 8);
  EXPECT_GT(with_implementations, spaces / 2);
}

TEST_F(MiniZinc, CountsForests) {
  const TestSpace test = OrderSpace(2, 3);
  const auto instance = Instance::Freeze(test.space, test.host);
  const std::uint64_t expected = CountImplementations(Candidate(instance), 1'000'000);
  EXPECT_GT(expected, 1000u);
  ExpectSolutions(*instance, false, expected);
  ExpectSolutions(*instance, true, expected);
}

/// The comparison can fail: without any one of its constraints a model of two requirements has
/// more solutions.
TEST_F(MiniZinc, SeesEveryDroppedConstraint) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int color = test.AddEnum("color", {Var(items)}, 3);
  test.Require({Var(items), Var(items)}, {Compares(color, {0}, runtime::CompareOp::kNe, {1})},
               "all_differ");
  const auto instance = Instance::Freeze(test.space, test.host);
  const std::uint64_t expected = CountImplementations(Candidate(instance), 1000);
  ASSERT_EQ(expected, 6u);
  const std::string model = ExportMiniZinc(*instance);
  ExpectSolutions(*instance, false, expected);
  int dropped = 0;
  for (std::size_t at = model.find("\nconstraint "); at != std::string::npos;
       at = model.find("\nconstraint ", at + 1)) {
    std::string faulty = model;
    faulty.erase(at, model.find('\n', at + 1) - at);
    const SolutionCount count = CountSolutions(faulty);
    EXPECT_EQ(count.error, "");
    EXPECT_GT(count.solutions, expected) << faulty;
    ++dropped;
  }
  EXPECT_EQ(dropped, 3);
}

TEST_F(MiniZinc, AnImpossibleSpaceHasNoSolution) {
  TestSpace test;
  const int items = test.AddRoot("Items", 3);
  const int color = test.AddEnum("color", {Var(items)}, 2);
  test.Require({Var(items)}, {Is(color, {0}, 1)}, "first");
  test.Require({Var(items)}, {Is(color, {0}, 2)}, "second");
  const auto instance = Instance::Freeze(test.space, test.host);
  ASSERT_EQ(instance->root_result(), runtime::Propagation::kDeadEnd);
  ExpectSolutions(*instance, false, 0);
}

/// Solvers may forget that a quotient has no value where it is one number for all divisors but 0.
TEST_F(MiniZinc, DivisorsThatMayBeZeroAreLookedAt) {
  TestSpace test;
  const int items = test.AddRoot("Items", 1);
  const auto numbers = [](TableHost::Tuple) { return std::vector<std::uint32_t>{0, 2, 4, 8}; };
  const int x = test.AddInteger("x", {Var(items)}, numbers);
  const int y = test.AddInteger("y", {Var(items)}, numbers);
  const int z = test.AddInteger("z", {Var(items)}, numbers);
  const int mode = test.AddEnum("mode", {Var(items)}, 2);
  test.Require({Var(items)},
               {Is(mode, {0}, 1), Div(0, Use(x, {0})) % Max(2, Use(y, {0})) >= Use(z, {0})},
               "nothing_divided");
  const auto instance = Instance::Freeze(test.space, test.host);
  const std::uint64_t expected = CountImplementations(Candidate(instance), 1000);
  EXPECT_EQ(expected, 64u + 12u);  // Any, or x is not 0 and z is.
  ExpectSolutions(*instance, false, expected);
}

/// A counter is exact only as far as something asks, and stays right when its factors are large.
TEST_F(MiniZinc, CountersMayExceedWhatASolverCanCount) {
  TestSpace test;
  const int items = test.AddRoot("Items", 4);
  const int size = test.AddInteger("size", {Var(items)}, [](TableHost::Tuple) {
    return std::vector<std::uint32_t>{0, 1, 65536, 1u << 20};
  });
  runtime::Choice& bytes = test.AddCounter("bytes", {}, true, runtime::Visibility::kHalf);
  bytes.over = {Var(items)};
  bytes.weight = {size, {0}};
  const int counter = test.choice("bytes");
  test.Require({}, {test.ComparesCode(counter, {}, runtime::CompareOp::kLe, {1u << 20})}, "fits");
  test.Require({}, {test.ComparesCode(counter, {}, runtime::CompareOp::kGe, {1})}, "is_used");
  const auto instance = Instance::Freeze(test.space, test.host);
  const std::uint64_t expected = CountImplementations(Candidate(instance), 1000);
  EXPECT_EQ(expected, 9u);  // All 1, or one of the four is 65536 or 2^20.
  ExpectSolutions(*instance, false, expected);
}

}  // namespace
}  // namespace exh::tests

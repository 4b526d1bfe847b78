// SPDX-License-Identifier: MIT
//
// What is written as clauses for a SAT solver has as many models as the engine finds
// implementations, so that benchmarks compare the same task.
#include <gtest/gtest.h>

#include "runtime/ground.h"
#include "tests/support/dimacs.h"
#include "tests/support/minizinc.h"
#include "tests/support/order_space.h"

namespace exh::tests {
namespace {

using runtime::Candidate;
using runtime::Instance;

class Dimacs : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = MissingClasp(); !missing.empty()) GTEST_SKIP() << missing;
  }
};

void ExpectSolutions(const Instance& instance, std::uint64_t expected) {
  const ClaspRate all = MeasureClasp(ToDimacs(MakeGroundForm(instance)), 0);
  EXPECT_EQ(all.error, "");
  EXPECT_TRUE(all.all);
  EXPECT_EQ(all.solutions, expected);
}

TEST_F(Dimacs, CountsForests) {
  const TestSpace test = OrderSpace(2, 2);
  const auto instance = Instance::Freeze(test.space, test.host);
  const std::uint64_t expected = CountImplementations(Candidate(instance), 1'000'000);
  EXPECT_GT(expected, 100u);
  ExpectSolutions(*instance, expected);
}

TEST_F(Dimacs, CountsComparisonsAndWideClauses) {
  TestSpace test;
  const int items = test.AddRoot("Items", 4);
  const int color = test.AddEnum("color", {Var(items)}, 3);
  test.Require({Var(items), Var(items), Var(items)},
               {Compares(color, {0}, runtime::CompareOp::kNe, {1}), Is(color, {2}, 5)});
  test.Require({Var(items), Var(items), Var(items), Var(items)},
               {Is(color, {0}, 1), Is(color, {1}, 2), Is(color, {2}, 4), Is(color, {3}, 6)});
  const auto instance = Instance::Freeze(test.space, test.host);
  const std::uint64_t expected = CountImplementations(Candidate(instance), 1000);
  EXPECT_GT(expected, 3u);
  EXPECT_LT(expected, 81u);
  ExpectSolutions(*instance, expected);
}

}  // namespace
}  // namespace exh::tests

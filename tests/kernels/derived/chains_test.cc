// SPDX-License-Identifier: MIT
//
// Chains of values, each of which is read several times by the next one: there are 2^n ways through
// n of them. What is derived from such a backbone must not go along each of these: without an
// answer that is remembered, tests with 60 steps do not end, and texts double with each step.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/derived/calls/library_calls.h"
#include "kernels/derived/sources/element_source.h"
#include "kernels/derived/sources/naive_source.h"
#include "kernels/whole_numbers.h"
#include "tests/kernels/derived/computed.h"

namespace exh::kernels::derived::testing {
namespace {

constexpr std::uint64_t kElements = 8;
constexpr int kLong = 60;

/// y = f(f(… f(x))), where f(v) is v * v, or v * (v + 1).
Computed::Build Chain(int steps, bool adds) {
  return [=](ir::Builder& b) {
    const ir::ArrayId x = b.InputArray("x", kElements), y = b.OutputArray("y", kElements);
    const ir::AxisRef axis = b.Axis("i", kElements, {});
    ir::Value value = b.Load("load_x", x, {{axis, 1}});
    for (int step = 0; step < steps; ++step) {
      const std::string number = std::to_string(step);
      ir::Value other = value;
      if (adds) {
        other = b.Compute("add_" + number, ir::Op::kAdd, {axis},
                          {ir::InRegisters(value), ir::Literal(1)});
      }
      value = b.Compute("mul_" + number, ir::Op::kMul, {axis},
                        {ir::InRegisters(value), ir::InRegisters(other)});
    }
    b.Store("store_y", y, {{axis, 1}}, ir::InRegisters(value));
  };
}

ir::Function BackboneOf(int steps, bool adds = true) {
  ir::Function function;
  ir::Builder b(function);
  Chain(steps, adds)(b);
  b.Finish();
  return function;
}

TEST(Chains, HaveWholeNumbersThatFit) {
  EXPECT_FALSE(WholeNumberPlans(ExpressionOf(BackboneOf(kLong))).empty());
  EXPECT_EQ(SumsInARow(ExpressionOf(BackboneOf(kLong))), 0);
}

TEST(Chains, AreNoProductsOfALibrary) {
  EXPECT_TRUE(Vendor(BackboneOf(kLong, /*adds=*/false)).steps.empty());
  EXPECT_EQ(EigenSource(BackboneOf(kLong, /*adds=*/false)), "");
}

TEST(Chains, HaveTextsThatGrowWithTheirLength) {
  const auto naive = [](int steps) { return NaiveSource(BackboneOf(steps)).size(); };
  EXPECT_LE(naive(40), 3 * naive(20));
  EXPECT_LE(naive(kLong), 4 * naive(20));
  const auto element = [](int steps) { return ReferenceElement(BackboneOf(steps)).size(); };
  EXPECT_GT(element(5), 0U);
  EXPECT_LE(element(40), 3 * element(20));
  EXPECT_LE(element(kLong), 4 * element(20));
}

TEST(Chains, HaveAReference) {
  const std::vector<double> inputs(kElements, -0.5);
  const Computed computed(Chain(kLong, /*adds=*/true), {{"x", inputs}});
  double value = -0.5;
  for (int step = 0; step < kLong; ++step) value *= value + 1;
  for (const double reference : computed.reference("y")) EXPECT_EQ(reference, value);
  for (const double tolerance : computed.tolerance("y")) EXPECT_GT(tolerance, 0);
}

}  // namespace
}  // namespace exh::kernels::derived::testing

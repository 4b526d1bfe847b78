// SPDX-License-Identifier: MIT
#include "kernels/derived/flops.h"

#include <gtest/gtest.h>

#include "tests/kernels/derived/cases.h"

namespace exh::kernels::derived::testing {
namespace {

double FlopsOf(const Case& c) {
  return Flops(ExpressionOf(c.function));
}

TEST(Flops, AreThoseThatKernelsSay) {
  for (const Case& c : LibraryCases()) {
    // Those of matmul leave out its max.
    const bool has_relu = c.sizes.contains("relu") && c.sizes.at("relu") != 0;
    const auto max = has_relu ? static_cast<double>(c.sizes.at("m") * c.sizes.at("n")) : 0.0;
    EXPECT_EQ(FlopsOf(c), c.kernel->Flops(c.sizes) + max) << c.name;
  }
}

TEST(Flops, CountOperationsPointByPoint) {
  const std::map<std::string, double> flops = {
      {"row max", 35},           {"transposition", 0},
      {"outer product", 35},     {"product plus matrix", 35 * (22 + 2 + 1)},
      {"two sums", 2 * 35 * 12}, {"dot product", 22},
      {"two outputs", 27},       {"centered", 35 + 5 + 35 + 70 + 35}};
  for (const Case& c : OtherCases()) {
    const auto expected = flops.find(c.name);
    if (expected == flops.end()) continue;
    EXPECT_EQ(FlopsOf(c), expected->second) << c.name;
  }
}

TEST(Flops, CountThoseOnIntegersButNoCastsAndIndices) {
  const std::map<std::string, double> flops = {{"product f64", 2 * 35 * 11},
                                               {"product i8", 2 * 35 * 11},
                                               {"operators i32", 8 * 9},
                                               {"conditions", 5 * 35},
                                               {"triangle", 2 * 35 + 7},
                                               {"numbers", 0},
                                               {"f64 i64 f16", 0}};
  std::size_t seen = 0;
  for (const Case& c : TypedCases()) {
    const auto expected = flops.find(c.name);
    if (expected == flops.end()) continue;
    EXPECT_EQ(FlopsOf(c), expected->second) << c.name;
    ++seen;
  }
  EXPECT_EQ(seen, flops.size());
}

}  // namespace
}  // namespace exh::kernels::derived::testing

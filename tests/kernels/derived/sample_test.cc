// SPDX-License-Identifier: MIT
//
// References of a part of the results: which part, and that it is what the whole has there.
#include "kernels/derived/reference/programs/sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/compare.h"
#include "kernels/derived/reference/rows.h"
#include "kernels/library/call_kernel.h"
#include "kernels/library/registry.h"
#include "kernels/problem.h"

namespace exh::kernels::derived {
namespace {

/// A kernel of the library; sizes that are not given are the default.
Expression ExpressionOfKernel(const char* name, const Parameters& given) {
  const Kernel& kernel = *FindKernel(name);
  Parameters sizes;
  for (const Parameter& size : kernel.parameters()) sizes[size.name] = size.default_value;
  for (const auto& [size, value] : given) sizes[size] = value;
  ir::Function function;
  BuildBackbone(kernel, sizes, /*paper=*/false, function);
  return ExpressionOf(function);
}

ProblemData Problem(const Expression& expression, Inputs inputs, std::optional<double> affordable,
                    std::uint64_t seed = 1) {
  std::optional<SampledReferences> scope;
  if (affordable) scope.emplace(seed, *affordable);
  return MakeProblem(expression, kTimedSeed, inputs);
}

/// The same result, wherever the sample has one; how many of the elements that is.
std::size_t ExpectSame(const ArrayData& sampled, const ArrayData& whole) {
  std::size_t known = 0;
  for (std::size_t i = 0; i < whole.reference.size(); ++i) {
    if (sampled.tolerance[i] == kNotSampled || std::isinf(sampled.tolerance[i])) continue;
    ++known;
    if (std::isnan(whole.reference[i])) {
      EXPECT_TRUE(std::isnan(sampled.reference[i])) << i;
      continue;
    }
    if (std::isinf(whole.reference[i])) {
      EXPECT_EQ(sampled.reference[i], whole.reference[i]) << i;
      continue;
    }
    // Products add up in another order.
    const double least = 1e-12 * (1 + std::abs(whole.reference[i]));
    EXPECT_NEAR(sampled.reference[i], whole.reference[i], least) << i;
    EXPECT_NEAR(sampled.tolerance[i], whole.tolerance[i], 1e-6 * whole.tolerance[i] + 1e-15) << i;
  }
  return known;
}

TEST(Sample, TakesOneValueOfEachStratumAndBothEnds) {
  for (const std::int64_t total : {64, 257, 1000, 8192}) {
    for (const std::int64_t stratum : {2, 8, 16}) {
      for (const std::uint64_t seed : {1, 2, 17}) {
        const std::vector<std::int64_t> values = ValuesOf({0, stratum}, total, seed);
        EXPECT_TRUE(std::ranges::is_sorted(values));
        EXPECT_EQ(values.front(), 0);
        EXPECT_EQ(values.back(), total - 1);
        std::set<std::int64_t> strata, places;
        for (const std::int64_t value : values) {
          strata.insert(value / stratum);
          places.insert(value % stratum);
        }
        EXPECT_EQ(strata.size(), (total + stratum - 1) / stratum);
        if (total >= stratum * stratum) {
          EXPECT_EQ(places.size(), stratum);
        }
        EXPECT_LE(values.size(), strata.size() + 2);
      }
    }
  }
  EXPECT_NE(ValuesOf({0, 16}, 8192, 1), ValuesOf({0, 16}, 8192, 2));
}

TEST(Sample, IsOfWhatWouldTakeLong) {
  const auto text = [](const char* kernel, const Parameters& sizes) {
    return SampleText(ExpressionOfKernel(kernel, sizes));
  };
  EXPECT_EQ(text("attention", {}), "");
  EXPECT_EQ(text("matmul", {{"m", 4096}, {"n", 4096}, {"k", 4096}}), "");
  EXPECT_EQ(text("softmax", {{"m", 64}, {"n", 131072}}), "");
  EXPECT_EQ(text("scan", {{"m", 1}, {"n", 1 << 28}}), "");
  const std::string attention = text("attention", {{"m", 8192}, {"n", 8192}, {"causal", 1}});
  EXPECT_EQ(attention, "1 in 32 of the 8192 values of i, also the first and the last");
}

TEST(Sample, HasWhatTheWholeHas) {
  struct Case {
    const char* kernel;
    Parameters sizes;
    std::size_t most;  ///< Elements of the sample.
  };
  const Case kCases[] = {
      {"attention",
       {{"h", 2}, {"m", 128}, {"n", 128}, {"d", 16}, {"dv", 8}, {"group", 2}, {"causal", 1}},
       2 * 2 * 66 * 8},
      {"attention", {{"h", 3}, {"m", 64}, {"n", 96}, {"d", 8}, {"dv", 8}, {"type", 3}}, 3 * 34 * 8},
      {"softmax", {{"m", 96}, {"n", 64}}, 50 * 64},
      {"cross_entropy", {{"m", 128}, {"n", 33}}, 66},
      {"matmul", {{"m", 64}, {"n", 48}, {"k", 32}}, 34 * 48},
      {"conv2d", {}, 1 << 20},
  };
  for (const Case& one : kCases) {
    SCOPED_TRACE(one.kernel);
    const Expression expression = ExpressionOfKernel(one.kernel, one.sizes);
    for (const Inputs inputs : {Inputs::kUniform, Inputs::kWholeNumbers, Inputs::kSpecial}) {
      const ProblemData whole = Problem(expression, inputs, std::nullopt);
      const double kLittle = 1;
      const ProblemData sampled = Problem(expression, inputs, kLittle);
      for (const int store : expression.outputs) {
        const std::string& name = expression.array(expression.node(store).array).name;
        const ArrayData& all = whole.at(name);
        const std::size_t known = ExpectSame(sampled.at(name), all);
        EXPECT_GT(known, 0U);
        EXPECT_LT(known, all.reference.size());
        EXPECT_LE(known, one.most);
      }
    }
  }
}

/// What a kernel has written where all of a tile of 8 queries of a head is wrong.
TEST(Sample, FindsAWrongTile) {
  const std::int64_t kHeads = 2, kQueries = 128, kLength = 8, kTile = 8;
  const Expression expression = ExpressionOfKernel(
      "attention", {{"h", kHeads}, {"m", kQueries}, {"n", 128}, {"d", 8}, {"dv", kLength}});
  const ProblemData whole = Problem(expression, Inputs::kUniform, std::nullopt);
  const ProblemData sampled = Problem(expression, Inputs::kUniform, 1);
  ASSERT_EQ(SampleOf(expression, 1).stratum, kTile);
  const ArrayData &of_whole = whole.at("y"), &of_sample = sampled.at("y");
  cpu::ProblemArray array{
      "y", true, ir::Type::kF32, {}, of_sample.reference, of_sample.tolerance, of_sample.rms_limit};
  std::vector<float> right(of_whole.reference.begin(), of_whole.reference.end());
  EXPECT_EQ(cpu::Compare(array, std::as_bytes(std::span(right))).why, "");
  for (std::int64_t tile = 0; tile < kHeads * kQueries / kTile; ++tile) {
    std::vector<float> wrong = right;
    const std::int64_t of_tile = kTile * kLength;
    for (std::int64_t i = tile * of_tile; i < (tile + 1) * of_tile; ++i) wrong[At(i)] *= 1.001F;
    const std::string why = cpu::Compare(array, std::as_bytes(std::span(wrong))).why;
    EXPECT_NE(why, "") << tile;
    EXPECT_TRUE(why.starts_with("y[")) << why;
  }
}

/// What is in no sample has to be written, where all results are numbers.
TEST(Sample, WantsNumbersElsewhere) {
  const Expression product = ExpressionOfKernel("matmul", {{"m", 64}, {"n", 48}, {"k", 32}});
  const ProblemData data = Problem(product, Inputs::kUniform, 1);
  const auto output =
      std::ranges::find_if(data, [](const auto& of) { return !of.second.tolerance.empty(); });
  EXPECT_TRUE(
      std::ranges::count_if(output->second.tolerance, [](double t) { return std::isinf(t); }) > 0);
  EXPECT_EQ(std::ranges::count(output->second.tolerance, kNotSampled), 0);
}

}  // namespace
}  // namespace exh::kernels::derived

// SPDX-License-Identifier: MIT
#include "search/count/sample_mean.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace exh::search {
namespace {

TEST(SampleMean, OfAFewNumbers) {
  SampleMean mean;
  EXPECT_EQ(mean.mean(), 0);
  EXPECT_TRUE(std::isinf(mean.half_width()));
  mean.Add(2);
  EXPECT_TRUE(std::isinf(mean.half_width()));
  mean.Add(4);
  mean.Add(6);
  EXPECT_EQ(mean.count(), 3u);
  EXPECT_EQ(mean.mean(), 4);
  EXPECT_NEAR(static_cast<double>(mean.deviation()), 2 / std::sqrt(3), 1e-12);
  EXPECT_NEAR(static_cast<double>(mean.half_width()), StudentQuantile(2) * 2 / std::sqrt(3), 1e-9);
  EXPECT_EQ(mean.Interval().first, 0);
  EXPECT_NEAR(static_cast<double>(mean.effective_samples()), 144.0 / 56, 1e-12);
  EXPECT_EQ(mean.median_of_means(), 4);
}

TEST(SampleMean, EqualSamplesAreExact) {
  SampleMean mean;
  for (int i = 0; i < 1000; ++i) mean.Add(1.83e21L / 3);
  EXPECT_NEAR(static_cast<double>(mean.mean() / 6.1e20L), 1, 1e-12);
  EXPECT_LT(mean.half_width(), 1e-6L * mean.mean());
  EXPECT_NEAR(static_cast<double>(mean.effective_samples()), 1000, 1e-6);
  EXPECT_FALSE(mean.heavy_tailed());
}

TEST(SampleMean, TheIntervalCoversUniformSamples) {
  int covered = 0;
  constexpr int kRuns = 1000;
  for (int run = 0; run < kRuns; ++run) {
    Random random(static_cast<std::uint64_t>(run));
    SampleMean mean;
    for (int i = 0; i < 30; ++i) mean.Add(static_cast<long double>(random.Below(1001)));
    const auto [low, high] = mean.Interval();
    covered += low <= 500 && 500 <= high;
  }
  EXPECT_NEAR(covered, 950, 25);
}

TEST(SampleMean, OneHugeSampleIsATail) {
  SampleMean mean;
  for (int i = 0; i < 1000; ++i) mean.Add(i % 2);
  EXPECT_FALSE(mean.heavy_tailed());
  mean.Add(1e6L);
  EXPECT_TRUE(mean.heavy_tailed());
  EXPECT_LT(mean.effective_samples(), 1.1L);
  // What most samples say is not lost.
  EXPECT_LT(mean.median_of_means(), 2);
  EXPECT_GT(mean.mean(), 900);
}

/// However samples vary: of these the largest of a million would carry the sum.
TEST(SampleMean, IsNoLessThanItSaysAtLeast) {
  int wrong = 0;
  long double sum = 0;
  constexpr int kRuns = 1000;
  for (int run = 0; run < kRuns; ++run) {
    Random random(static_cast<std::uint64_t>(run));
    SampleMean mean;
    for (int i = 0; i < 64; ++i) {
      // A power of 2 with a probability of its inverse: the mean of those up to 2^20 is 11.
      int power = 0;
      while (power < 20 && random.Below(2) == 0) ++power;
      mean.Add(std::ldexp(1.0L, power));
    }
    // 0.5 * 1 + 0.25 * 2 + … + 2^-20 * 2^19 + 2^-20 * 2^20.
    wrong += mean.AtLeast() > 11;
    sum += mean.AtLeast();
  }
  EXPECT_LE(wrong, 50 + 21);
  EXPECT_GT(sum / kRuns, 0.8L);  // The smallest sample is 1.
  SampleMean alike;
  for (int i = 0; i < 100; ++i) alike.Add(7);
  EXPECT_LT(alike.AtLeast(), 7);
  EXPECT_GT(alike.AtLeast(), 5);
  EXPECT_EQ(SampleMean().AtLeast(), 0);
}

TEST(StudentQuantile, AgreesWithTables) {
  EXPECT_NEAR(StudentQuantile(1), 12.706, 0.001);
  EXPECT_NEAR(StudentQuantile(3), 3.182, 0.03);
  EXPECT_NEAR(StudentQuantile(5), 2.571, 0.005);
  EXPECT_NEAR(StudentQuantile(10), 2.228, 0.001);
  EXPECT_NEAR(StudentQuantile(30), 2.042, 0.001);
  EXPECT_NEAR(StudentQuantile(100000), 1.960, 0.001);
  EXPECT_NEAR(StudentQuantile(2), 4.303, 0.001);
  EXPECT_NEAR(StudentQuantile(10, 0.9875), 2.634, 0.003);
}

}  // namespace
}  // namespace exh::search

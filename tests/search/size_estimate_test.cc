// SPDX-License-Identifier: MIT
//
// Estimates against exact counts of the toy space.
#include "search/count/size_estimate.h"

#include <gtest/gtest.h>

#include "search/count/size.h"
#include "tests/search/small_matmul.h"
#include "tests/search/toy_space.h"

namespace exh::search {
namespace {

using runtime::Candidate;

SampleOptions Samples(std::uint64_t samples, std::uint64_t seed = 1, int jobs = 2) {
  SampleOptions options;
  options.samples = samples;
  options.seed = seed;
  options.jobs = jobs;
  return options;
}

/// Within four standard deviations of the mean: one test in 16,000 would fail by chance, but seeds
/// are fixed.
void ExpectMean(const SampleMean& mean, std::uint64_t exact) {
  const double slack = 4 * static_cast<double>(mean.deviation()) + 1e-9;
  EXPECT_NEAR(static_cast<double>(mean.mean()), static_cast<double>(exact), slack);
}

TEST(EstimateSize, IsUnbiased) {
  const Candidate root = ToyRoot();
  for (const Strata strata : {Strata::kKnuth, Strata::kChen}) {
    for (const char* text : {"", "mode,color", "order,mode,size"}) {
      for (const int cut_depth : {0, 3, 9}) {
        SCOPED_TRACE(std::string(StrataName(strata)) + " " + text + " " +
                     std::to_string(cut_depth));
        const Cut cut = {SumOfSizes, 6, cut_depth};
        const ChoiceOrder order = ChoiceOrder::Parse(text, root.instance());
        const std::vector<LevelCount> exact = CountTree(root, order, 1 << 20, 1, {}, cut);
        const SizeEstimate estimate = EstimateSize(root, order, strata, Samples(4000), cut);
        EXPECT_EQ(estimate.samples(), 4000u);
        ExpectMean(estimate.implementations, Total(exact).implementations);
        ExpectMean(estimate.dead_ends, Total(exact).childless);
        for (std::size_t depth = 0; depth < estimate.levels.size(); ++depth) {
          const LevelEstimate& level = estimate.levels[depth];
          const auto near = [](long double estimated, std::uint64_t counted) {
            const double number = static_cast<double>(counted);
            EXPECT_NEAR(static_cast<double>(estimated), number, 0.15 * number + 1e-9);
          };
          near(level.nodes, exact[depth].nodes);
          near(level.dead_ends, exact[depth].childless);
          near(level.implementations, exact[depth].implementations);
          near(level.cut, depth + 1 < exact.size() ? exact[depth + 1].cut : 0);
        }
      }
    }
  }
}

TEST(EstimateSize, TheMeanOfShortRunsIsUnbiasedToo) {
  const Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Parse("mode,order", root.instance());
  for (const Strata strata : {Strata::kKnuth, Strata::kChen}) {
    SampleMean means;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      means.Add(EstimateSize(root, order, strata, Samples(3, seed)).implementations.mean());
    }
    ExpectMean(means, kToyImplementations);
  }
}

TEST(EstimateSize, EqualWeightsAreExact) {
  Candidate root = ToyRoot();
  for (const char* text : {"order(a,b)=BEFORE", "order(b,c)=BEFORE"}) {
    ASSERT_EQ(Take(root, text), runtime::Propagation::kFixpoint);
  }
  const ChoiceOrder order = ChoiceOrder::Parse("color,mode,size", root.instance());
  for (const Strata strata : {Strata::kKnuth, Strata::kChen}) {
    const SizeEstimate estimate = EstimateSize(root, order, strata, Samples(20));
    EXPECT_EQ(estimate.implementations.mean(), 6 * 27);
    EXPECT_EQ(estimate.implementations.half_width(), 0);
    EXPECT_EQ(estimate.relative_error(), 0);
    EXPECT_EQ(estimate.dead_leaves(), 0);
    // Three colors, of which the last one follows, and three sizes.
    EXPECT_NEAR(static_cast<double>(estimate.choices.at("color").log10_children), 0.778, 0.001);
    EXPECT_EQ(estimate.choices.at("color").decisions, 2);
    EXPECT_EQ(estimate.choices.at("size").decisions, 3);
    EXPECT_EQ(estimate.choices.count("order"), 0u);
  }
}

TEST(EstimateSize, DoesNotDependOnTheNumberOfThreads) {
  const Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Parse("mode", root.instance());
  for (const Strata strata : {Strata::kKnuth, Strata::kChen}) {
    const SizeEstimate one = EstimateSize(root, order, strata, Samples(300, 7, 1));
    const SizeEstimate four = EstimateSize(root, order, strata, Samples(300, 7, 4));
    EXPECT_EQ(one.implementations.mean(), four.implementations.mean());
    EXPECT_EQ(one.implementations.half_width(), four.implementations.half_width());
    EXPECT_EQ(one.implementations.median_of_means(), four.implementations.median_of_means());
    EXPECT_EQ(one.dead_ends.mean(), four.dead_ends.mean());
    EXPECT_EQ(one.descents.dead, four.descents.dead);
    ASSERT_EQ(one.levels.size(), four.levels.size());
    for (std::size_t depth = 0; depth < one.levels.size(); ++depth) {
      EXPECT_EQ(one.levels[depth].nodes, four.levels[depth].nodes);
    }
    const SizeEstimate other = EstimateSize(root, order, strata, Samples(300, 8, 1));
    EXPECT_NE(one.implementations.half_width(), other.implementations.half_width());
  }
}

TEST(EstimateSize, KnuthMeetsTheDeadEndsOfDescents) {
  // As in descent_test.cc: half of the descents that take `mode` first.
  const Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Parse("mode,color", root.instance());
  const SizeEstimate estimate = EstimateSize(root, order, Strata::kKnuth, Samples(4000));
  const auto [low, high] = estimate.descents.Interval();
  EXPECT_LT(low, 0.5);
  EXPECT_GT(high, 0.5);
  // One of 973 leaves.
  EXPECT_NEAR(static_cast<double>(estimate.dead_leaves()), 1.0 / (kToyImplementations + 1), 1e-4);
}

TEST(EstimateSize, WhatTheCutLeavesNothingOfIsNoDeadEnd) {
  const Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Parse("size,color", root.instance());
  const Cut cut = {SumOfSizes, 2};
  const SizeEstimate estimate = EstimateSize(root, order, Strata::kKnuth, Samples(10), cut);
  EXPECT_EQ(estimate.implementations.mean(), 0);
  EXPECT_EQ(estimate.dead_ends.mean(), 0);
  EXPECT_EQ(estimate.descents.dead, 0u);
  EXPECT_EQ(estimate.levels.at(0).cut, 3);
}

TEST(EstimateSize, EndsWhenThereIsEnoughButNotBeforeTwoSamples) {
  const Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  SampleOptions options = Samples(1000, 1, 1);
  options.enough = [] { return true; };
  EXPECT_EQ(EstimateSize(root, order, Strata::kChen, options).samples(), 2u);
  // A sample that is given up is none: of sweeps that take long, the first as well.
  options.cancelled = [] { return true; };
  const Problem product = SmallMatmul();
  const ChoiceOrder of_product = ChoiceOrder::Parse(product.order(""), product.root().instance());
  EXPECT_EQ(EstimateSize(product.root(), of_product, Strata::kChen, options).samples(), 0u);
  options.cancelled = {};
  int asked = 0;
  options.enough = [&] { return ++asked > 10; };
  EXPECT_EQ(EstimateSize(root, order, Strata::kKnuth, options).samples(), 12u);
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/tree/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"
#include "search/descend/weights.h"
#include "search/tree/tag.h"
#include "search/tree/uct.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kNoCut = std::numeric_limits<double>::infinity();

TEST(BoundWeights, AreWhatTheBoundLeavesToGain) {
  const std::vector<double> bounds = {10, 40, 70};
  EXPECT_THAT(BoundWeights(bounds, 50), ElementsAre(40, 10, 0));
  EXPECT_THAT(BoundWeights(bounds, kNoCut), ElementsAre(0.1, 1.0 / 40, 1.0 / 70));
  EXPECT_THAT(BoundWeights(std::vector<double>{0, 40}, kNoCut), ElementsAre(1, 1));
}

TEST(DrawWeighted, IsProportional) {
  Random random(5);
  const std::vector<double> weights = {0, 3, 1, 0};
  std::vector<int> counts(weights.size());
  for (int draw = 0; draw < 40000; ++draw) ++counts[DrawWeighted(weights, random)];
  EXPECT_EQ(counts[0], 0);
  EXPECT_EQ(counts[3], 0);
  EXPECT_NEAR(counts[1], 30000, 500) << "seed 5";
}

// Three children, worked out by hand. With k = 3 the best evaluations are 10, 11 and 12, so that
// two are of the first child, one of the second and none of the third. N = 4 + 4 + 2, K = 3, delta
// = 1: alpha = ln(60) = 4.0943446.
TEST(TagScores, AreTheFormulaOfThePaper) {
  const std::vector<double> first = {10, 12, 30}, second = {11, 13};
  const std::vector<ChildStatistics> children = {{4, 0, first}, {4, 0, second}, {2, 0, {}}};
  const double alpha = 4.0943446;
  EXPECT_THAT(TagScores(children, 3, 1),
              ElementsAre(DoubleNear((2 + alpha + std::sqrt(alpha * (4 + alpha))) / 4, 1e-6),
                          DoubleNear((1 + alpha + std::sqrt(alpha * (2 + alpha))) / 4, 1e-6),
                          DoubleNear(2 * alpha / 2, 1e-6)));
  EXPECT_THAT(TagScores(children, 3, 1),
              ElementsAre(DoubleNear(2.962793, 1e-5), DoubleNear(2.522395, 1e-5),
                          DoubleNear(4.094345, 1e-5)));
  // A large delta believes what it sees: alpha is 0, and the score the share of successes.
  EXPECT_THAT(TagScores(children, 3, 1e6), ElementsAre(0.5, 0.25, 0));
}

TEST(TagPolicy, AVisitInFlightMakesAChildLessAttractive) {
  const std::vector<double> times = {10};
  const TagPolicy tag(10, 1);
  Random random(1);
  EXPECT_EQ(tag.Choose(std::vector<ChildStatistics>{{3, 0, times}, {3, 0, {}}}, kNoCut, random),
            0u);
  EXPECT_EQ(tag.Choose(std::vector<ChildStatistics>{{6, 0, times}, {3, 0, {}}}, kNoCut, random),
            1u);
}

TEST(Policy, ChildrenWithoutAVisitComeFirst) {
  const std::vector<double> times = {10};
  const std::vector<ChildStatistics> children = {{3, 0, times}, {0, 20, {}}, {0, 50, {}}};
  for (const char* name : {"tag", "uct", "bound", "uniform"}) {
    const auto policy = MakePolicy(name, {});
    EXPECT_EQ(policy->name(), name);
    Random random(1);
    // The last one cannot gain anything below the cut.
    for (int draw = 0; draw < 100; ++draw) EXPECT_EQ(policy->Choose(children, 50, random), 1u);
  }
}

TEST(UctScores, AreRelativeToTheFastestChild) {
  const std::vector<double> fast = {10, 90}, slow = {40};
  const std::vector<ChildStatistics> children = {{4, 0, fast}, {2, 0, slow}, {1, 0, {}}};
  const double log = std::log(7);
  EXPECT_THAT(UctScores(children),
              ElementsAre(DoubleNear(1 + std::sqrt(2 * log / 4), 1e-9),
                          DoubleNear(0.25 + std::sqrt(log), 1e-9), std::sqrt(2 * log)));
}

TEST(MakePolicy, RandomIsNoneAndMistakesNameTheNearest) {
  EXPECT_EQ(MakePolicy("random", {}), nullptr);
  EXPECT_THAT(Thrown<UsageError>([] { MakePolicy("tga", {}); }), HasSubstr("did you mean 'tag'?"));
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/log/memory/front.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/search/log_samples.h"

namespace exh::search {
namespace {

using testing::ElementsAre;

Front Of(const std::vector<FrontPoint>& points) {
  Front front;
  for (const FrontPoint& point : points) front.Add(point);
  return front;
}

TEST(Front, HasWhatNothingBeatsInBoth) {
  const Front front = Of({{1, 90, 300}, {2, 50, 500}, {3, 60, 400}, {4, 70, 450}, {5, 95, 350}});
  EXPECT_THAT(front.points(),
              ElementsAre(FrontPoint{1, 90, 300}, FrontPoint{3, 60, 400}, FrontPoint{2, 50, 500}));
}

TEST(Front, MoreBytesCountForSureOnlyWhereTheyBuyTimeBeyondDoubt) {
  // 2 is faster than 1 by less than its own batches differ; 3 and 4 are faster for sure.
  const Front front =
      Of({{1, 50, 100, 52}, {2, 49, 200, 51}, {3, 40, 300, 44}, {4, 39, 400, 39.5}});
  EXPECT_EQ(front.points().size(), 4u);
  std::vector<std::uint64_t> sure;
  for (const FrontPoint& point : front.PointsForSure()) sure.push_back(point.n);
  EXPECT_THAT(sure, ElementsAre(1, 3, 4));
  EXPECT_EQ(FrontText(Of({{1, 50, 100, 52}, {2, 48, 200, 50}})), "") << "nothing is to be chosen";
}

TEST(Front, APointThatBeatsOthersTakesTheirPlace) {
  Front front = Of({{1, 90, 300}, {2, 80, 400}, {3, 70, 500}});
  EXPECT_TRUE(front.Add(FrontPoint{4, 75, 300}));
  EXPECT_THAT(front.points(), ElementsAre(FrontPoint{4, 75, 300}, FrontPoint{3, 70, 500}));
}

TEST(Front, OfEqualPointsTheFirstStays) {
  Front front = Of({{1, 90, 300}});
  EXPECT_FALSE(front.Add(FrontPoint{2, 90, 300}));
  EXPECT_THAT(front.points(), ElementsAre(FrontPoint{1, 90, 300}));
  // Where one of both is equal, the other one decides.
  EXPECT_FALSE(front.Add(FrontPoint{3, 91, 300}));
  EXPECT_FALSE(front.Add(FrontPoint{4, 90, 301}));
  EXPECT_TRUE(front.Add(FrontPoint{5, 89, 300}));
  EXPECT_TRUE(front.Add(FrontPoint{6, 89, 299}));
  EXPECT_THAT(front.points(), ElementsAre(FrontPoint{6, 89, 299}));
}

TEST(Front, DoesNotDependOnTheOrderOfItsPoints) {
  constexpr unsigned kSeed = 4;
  std::mt19937 random(kSeed);
  std::vector<FrontPoint> points;
  for (std::uint64_t n = 1; n <= 200; ++n) {
    points.push_back({n, 1.0 + random() % 60, 1 + random() % 60});
  }
  std::vector<std::pair<double, std::uint64_t>> wanted;  // Those that nothing beats.
  for (const FrontPoint& point : points) {
    const bool is_beaten = std::ranges::any_of(points, [&](const FrontPoint& other) {
      return other.ns <= point.ns && other.bytes <= point.bytes &&
             (other.ns < point.ns || other.bytes < point.bytes);
    });
    if (!is_beaten) wanted.emplace_back(point.ns, point.bytes);
  }
  std::ranges::sort(wanted, std::greater<>());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  for (int round = 0; round < 20; ++round) {
    std::ranges::shuffle(points, random);
    std::vector<std::pair<double, std::uint64_t>> found;
    const Front front = Of(points);
    for (const FrontPoint& point : front.points()) found.emplace_back(point.ns, point.bytes);
    EXPECT_EQ(found, wanted) << "seed " << kSeed << " round " << round;
  }
}

TEST(Front, OfALogLeavesOutFailuresAndWhatIsNotKnown) {
  Log log = ParseLog(SampleLogText());  // Record 3 is wrong.
  EXPECT_TRUE(FrontOf(log).points().empty()) << "a log that says nothing of memory";
  for (EvalRecord& eval : log.evals) eval.memory_bytes = 1000 - 10 * eval.n;
  log.evals.at(2).best_ns = 1;
  log.evals.at(3).memory_bytes = 0;
  EXPECT_THAT(FrontOf(log).points(),
              ElementsAre(FrontPoint{2, 902, 980, 1000.5}, FrontPoint{1, 901, 990, 1000.5}));
}

TEST(Front, InWords) {
  EXPECT_EQ(FrontText(Of({})), "");
  EXPECT_EQ(FrontText(Of({{1, 90, 300}})), "");
  EXPECT_EQ(FrontText(Of({{1, 9e5, 12'600'000}, {17, 8e5, 15'700'000}})),
            "time against memory:\n"
            "       1     12.6 MB      900 us\n"
            "      17     15.7 MB      800 us\n");
}

TEST(BytesText, HasThreeDigits) {
  EXPECT_EQ(BytesText(0), "0 bytes");
  EXPECT_EQ(BytesText(9'999), "9999 bytes");
  EXPECT_EQ(BytesText(12'345), "12.3 kB");
  EXPECT_EQ(BytesText(3'150'000), "3.15 MB");
  EXPECT_EQ(BytesText(2'000'000'000), "2 GB");
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/count/size_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tests/search/temp_folder.h"
#include "tests/search/toy_space.h"

namespace exh::search {
namespace {

using runtime::Candidate;
using testing::HasSubstr;

Clock StandingClock() {
  return [] { return 0.0; };
}

SizeReport Report(SizeMethod method, std::uint64_t max_exact_nodes) {
  const Candidate root = ToyRoot();
  SizeRequest request;
  request.method = method;
  request.max_exact_nodes = max_exact_nodes;
  request.samples = 400;
  request.jobs = 2;
  return FindSize(root, ChoiceOrder::Parse("mode,color", root.instance()), request,
                  StandingClock());
}

TEST(FindSize, CountsASmallSpace) {
  const SizeReport report = Report(SizeMethod::kAuto, 10'000);
  EXPECT_TRUE(report.estimates.empty());
  EXPECT_EQ(SizeText("toy", report),
            "toy: 972 implementations, counted: 1866 nodes in 10 levels, dead ends: 1\n");
  const auto json = nlohmann::json::parse(SizeJson(report).dump());
  EXPECT_EQ(json.at("exact").at("implementations"), kToyImplementations);
  EXPECT_EQ(json.at("exact").at("dead_ends"), 1);
  EXPECT_EQ(json.at("exact").at("levels").at(1).at("nodes"), 2);
  EXPECT_TRUE(json.at("estimates").empty());
}

TEST(FindSize, EstimatesALargeOneAndBelievesTheTighterInterval) {
  const SizeReport report = Report(SizeMethod::kAuto, 100);
  EXPECT_TRUE(report.exact.empty());
  ASSERT_EQ(report.estimates.size(), 2u);
  EXPECT_EQ(report.estimates[0].strata, Strata::kChen);
  EXPECT_LT(report.estimates[0].relative_error(), report.estimates[1].relative_error());
  EXPECT_EQ(SizeText("toy", report), R"(toy: 972 implementations, 95 % interval 972 to 972
  chen: 400 samples, as good as 400 equal ones; median of means 972
  1866 nodes in 10 levels; 0.103 % of the leaves are dead ends
  decisions of an implementation, and the product of their valid values:
    color               2.00   10^0.78, 2.45 each
    mode                1.00   10^0.30, 2.00 each
    order               2.67   10^0.80, 2.00 each
    size                3.00   10^1.43, 3.00 each
the other estimator:
toy: 907 implementations, 95 % interval 802 to 1.01e+03
  knuth: 400 samples, as good as 167 equal ones; median of means 933
)");
  const auto json = nlohmann::json::parse(SizeJson(report).dump());
  EXPECT_TRUE(json.at("exact").is_null());
  const auto& knuth = json.at("estimates").at(1);
  EXPECT_EQ(knuth.at("estimator"), "knuth");
  EXPECT_EQ(knuth.at("samples"), 400);
  const SampleMean& mean = report.estimates[1].implementations;
  EXPECT_EQ(knuth.at("implementations").at("mean"), static_cast<double>(mean.mean()));
  EXPECT_EQ(knuth.at("implementations").at("low"), static_cast<double>(mean.Interval().first));
  EXPECT_EQ(knuth.at("implementations").at("high"), static_cast<double>(mean.Interval().second));
  EXPECT_EQ(knuth.at("levels").size(), report.estimates[1].levels.size());
  EXPECT_TRUE(knuth.contains("dead_descents"));
  EXPECT_FALSE(json.at("estimates").at(0).contains("dead_descents"));
}

TEST(FindSize, OneEstimatorAlone) {
  const SizeReport report = Report(SizeMethod::kKnuth, 10'000);
  EXPECT_TRUE(report.exact.empty());
  ASSERT_EQ(report.estimates.size(), 1u);
  EXPECT_EQ(report.estimates[0].strata, Strata::kKnuth);
  EXPECT_EQ(report.estimates[0].samples(), 400u);
}

TEST(FindSize, EachEstimatorHasHalfOfTheBudget) {
  const Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  double now = 0;
  SizeRequest request;
  request.max_exact_nodes = 100;
  request.budget = "40s";
  const Clock clock = [&now] { return now += 1; };
  const SizeReport report = FindSize(root, order, request, clock);
  ASSERT_EQ(report.estimates.size(), 2u);
  for (const SizeEstimate& estimate : report.estimates) {
    EXPECT_NEAR(static_cast<double>(estimate.samples()), 22, 2);
  }
}

TEST(FindSize, InterruptedBeforeThereIsAnything) {
  const Candidate root = ToyRoot();
  SizeRequest request;
  request.interrupted = [] { return true; };
  const SizeReport report =
      FindSize(root, ChoiceOrder::Default(root.instance()), request, StandingClock());
  EXPECT_TRUE(report.exact.empty());
  EXPECT_TRUE(report.estimates.empty());
}

TEST(ParseSizeMethod, MistakesNameTheNearest) {
  EXPECT_EQ(ParseSizeMethod("chen"), SizeMethod::kChen);
  EXPECT_THAT(Thrown<UsageError>([] { ParseSizeMethod("knut"); }), HasSubstr("'knuth'"));
}

}  // namespace
}  // namespace exh::search

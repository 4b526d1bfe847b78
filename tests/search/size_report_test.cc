// SPDX-License-Identifier: MIT
#include "search/count/size_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "search/exact/exact_count.h"
#include "search/subject/problem.h"
#include "tests/search/small_matmul.h"
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
  request.samples = 1000;
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
  chen: 1000 samples, as good as 1000 equal ones; median of means 972
  1866 nodes in 10 levels; 0.103 % of the leaves are dead ends
  decisions of an implementation, and the product of their valid values:
    color               2.00   10^0.78, 2.45 each
    mode                1.00   10^0.30, 2.00 each
    order               2.67   10^0.80, 2.00 each
    size                3.00   10^1.43, 3.00 each
the other estimator:
toy: 941 implementations, 95 % interval 865 to 1.02e+03
  knuth: 1000 samples, as good as 437 equal ones; median of means 933
)");
  const auto json = nlohmann::json::parse(SizeJson(report).dump());
  EXPECT_TRUE(json.at("exact").is_null());
  const auto& knuth = json.at("estimates").at(1);
  EXPECT_EQ(knuth.at("estimator"), "knuth");
  EXPECT_EQ(knuth.at("samples"), 1000);
  const SampleMean& mean = report.estimates[1].implementations;
  EXPECT_EQ(knuth.at("implementations").at("mean"), static_cast<double>(mean.mean()));
  const SizeClaim claim = ClaimsOf(report.estimates).at(1);
  EXPECT_EQ(knuth.at("implementations").at("low"), static_cast<double>(claim.low));
  EXPECT_EQ(knuth.at("implementations").at("high"), static_cast<double>(claim.high.value()));
  EXPECT_EQ(knuth.at("levels").size(), report.estimates[1].levels.size());
  EXPECT_TRUE(knuth.contains("dead_descents"));
  EXPECT_FALSE(json.at("estimates").at(0).contains("dead_descents"));
}

/// A space whose count is known, a way to sample it, and how often what is claimed is not so.
struct Coverage {
  int wrong = 0, with_upper_end = 0;
};
Coverage CoverageOf(const Candidate& root, const ChoiceOrder& order, std::uint64_t exact,
                    std::uint64_t samples, int runs) {
  Coverage coverage;
  for (int run = 0; run < runs; ++run) {
    SampleOptions options;
    options.samples = samples;
    options.seed = static_cast<std::uint64_t>(run) * 7919 + 1;
    std::vector<SizeEstimate> estimates;
    for (const Strata strata : {Strata::kKnuth, Strata::kChen}) {
      estimates.push_back(EstimateSize(root, order, strata, options));
    }
    bool is_true = true;
    for (const SizeClaim& claim : ClaimsOf(estimates)) {
      // Equal samples have an interval without a width, and rounding must not leave it.
      const auto size = static_cast<long double>(exact), slack = size * 1e-9L;
      is_true =
          is_true && claim.low <= size + slack && (!claim.high || *claim.high >= size - slack);
      coverage.with_upper_end += claim.high.has_value();
    }
    coverage.wrong += !is_true;
  }
  return coverage;
}

/// All that is claimed is true in 95 % of the runs: 60 of 1,200 may be wrong, and 83 are three
/// deviations.
TEST(Claims, AreTrueAsOftenAsTheySay) {
  const Candidate toy = ToyRoot();
  for (const std::uint64_t samples : {5, 20, 80}) {
    int wrong = 0, runs = 0, with_upper_end = 0;
    for (const char* text : {"", "mode,color", "order,mode,size", "color,order"}) {
      const ChoiceOrder order = ChoiceOrder::Parse(text, toy.instance());
      const Coverage coverage = CoverageOf(toy, order, kToyImplementations, samples, 300);
      wrong += coverage.wrong;
      with_upper_end += coverage.with_upper_end;
      runs += 300;
    }
    SCOPED_TRACE(std::to_string(samples) + " samples");
    EXPECT_LE(wrong, 83);
    // Where there is no upper end, nothing is claimed of it.
    if (samples == 80) {
      EXPECT_GT(with_upper_end, runs);
    }
  }
}

/// Spaces of kernels, whose samples vary by orders of magnitude; a sweep over the second takes
/// long.
TEST(Claims, OfKernelsAreTrueAsOftenAsTheySay) {
  for (const auto& [kernel, size, most] :
       {std::tuple("axpy", "n=4", 40u), std::tuple("mv", "m=1,n=4", 10u)}) {
    ProblemOptions options;
    options.kernel = kernel;
    options.size = size;
    options.space = "paper";
    const Problem problem = MakeProblem(options);
    const Candidate root = problem.root();
    const ChoiceOrder order = ChoiceOrder::Parse(problem.order(""), root.instance());
    ExactCounter counter(root.shared_instance(), {});
    const ExactCount exact = counter.Count(root);
    ASSERT_TRUE(exact.complete);
    // One of 20 may be wrong, and four are three deviations.
    for (const std::uint64_t samples : {10u, most}) {
      SCOPED_TRACE(std::string(kernel) + " " + size + ", " + std::to_string(samples) + " samples");
      EXPECT_LE(CoverageOf(root, order, exact.count.get_ui(), samples, 20).wrong, 4);
    }
  }
}

TEST(Claims, SayNothingOfAnUpperEndWhereFewSamplesCarryTheSum) {
  SizeEstimate one, other;
  for (int i = 0; i < 400; ++i) {
    one.implementations.Add(i == 7 ? 1e6L : 1);
    other.implementations.Add(i % 2 == 0 ? 3 : 4);
  }
  const auto heavy = ClaimsOf({one});
  EXPECT_FALSE(heavy.at(0).high);
  EXPECT_LT(heavy.at(0).low, 1);
  EXPECT_GT(heavy.at(0).low, 0.2L);
  // Two tight intervals that exclude each other are none.
  one = {};
  for (int i = 0; i < 400; ++i) one.implementations.Add(i % 2 == 0 ? 10 : 11);
  const auto apart = ClaimsOf({one, other});
  for (const SizeClaim& claim : apart) {
    EXPECT_FALSE(claim.high);
    EXPECT_GT(claim.low, 1);
  }
  EXPECT_THAT(SizeText("toy", {{}, {one, other}}),
              HasSubstr("toy: 10.5 implementations, at least "));
  EXPECT_THAT(SizeText("toy", {{}, {one, other}}),
              HasSubstr("the estimators contradict each other"));
  const auto alone = ClaimsOf({one});
  EXPECT_TRUE(alone.at(0).high);
}

TEST(FindSize, SaysHowFarItIs) {
  const Candidate root = ToyRoot();
  SizeRequest request;
  request.max_exact_nodes = 100;
  request.samples = 5;
  std::set<std::string> said;
  request.progress = [&](const std::function<std::string()>& what) {
    said.insert(what().substr(0, 5));
  };
  FindSize(root, ChoiceOrder::Default(root.instance()), request, StandingClock());
  EXPECT_TRUE(said.contains("count"));
  EXPECT_TRUE(said.contains("knuth"));
  EXPECT_TRUE(said.contains("chen:"));
}

/// Sweeps over a large space take longer than the budget: they are given up.
TEST(FindSize, EndsWithTheBudget) {
  const Problem product = SmallMatmul();
  const Candidate root = product.root();
  SizeRequest request;
  request.max_exact_nodes = 100;
  request.budget = "2s";
  double now = 0;
  int asked = 0;
  const Clock clock = [&] {
    ++asked;
    return now += 0.5;
  };
  const ChoiceOrder order = ChoiceOrder::Parse(product.order(""), root.instance());
  for (const SizeEstimate& estimate : FindSize(root, order, request, clock).estimates) {
    EXPECT_EQ(estimate.strata, Strata::kKnuth);  // One descent is short.
    EXPECT_LT(estimate.samples(), 10u);
  }
  EXPECT_LT(asked, 100);
}

TEST(FindSize, EstimatesNothingWhereAllIsCountedInstead) {
  const Candidate root = ToyRoot();
  SizeRequest request;
  request.max_exact_nodes = 100;
  request.samples = 5;
  request.instead = [] { return true; };
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  EXPECT_TRUE(FindSize(root, order, request, StandingClock()).estimates.empty());
  request.instead = [] { return false; };
  EXPECT_EQ(FindSize(root, order, request, StandingClock()).estimates.size(), 2u);
}

TEST(FindSize, OneEstimatorAlone) {
  const SizeReport report = Report(SizeMethod::kKnuth, 10'000);
  EXPECT_TRUE(report.exact.empty());
  ASSERT_EQ(report.estimates.size(), 1u);
  EXPECT_EQ(report.estimates[0].strata, Strata::kKnuth);
  EXPECT_EQ(report.estimates[0].samples(), 1000u);
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

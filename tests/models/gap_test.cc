// SPDX-License-Identifier: MIT
//
// What passes between launches, beside what a bound counts of each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/models/nominal.h"

namespace exh::models {
namespace {

constexpr double kGap = 300, kGapRead = 500;

search::Problem Computed(const std::string& statement) {
  search::ProblemOptions options;
  options.compute = statement;
  options.size = "i=4096";
  options.device = "h200";
  return search::MakeProblem(options);
}

DeviceRates WithGaps(const search::Problem& problem) {
  DeviceRates rates = Nominal(problem);
  rates.launch_gap_ns = kGap;
  rates.launch_gap_read_ns = kGapRead;
  return rates;
}

Bound BoundOf(const search::Problem& problem, const DeviceRates& rates) {
  return LowerBound(*problem.task.function, rates).Explain(DomainsOf(problem, problem.root()));
}

TEST(Gap, PassesBesideWhatUnitsDo) {
  const search::Problem problem = MakeProblem("matmul", "m=1024,n=1024,k=1024", "h200");
  const Bound without = BoundOf(problem, Nominal(problem));
  const Bound with = BoundOf(problem, WithGaps(problem));
  EXPECT_DOUBLE_EQ(with.ns, without.ns + kGapRead);
  // Products need what is read; loads are instructions that may begin at once.
  for (const std::string_view resource : {"arithmetic", "traffic"}) {
    EXPECT_DOUBLE_EQ(TermNs(with, resource), TermNs(without, resource) + kGapRead) << resource;
  }
  for (const std::string_view resource : {"issue", "thread", "access"}) {
    EXPECT_DOUBLE_EQ(TermNs(with, resource), TermNs(without, resource) + kGap) << resource;
  }
  EXPECT_THAT(BoundText(with), testing::HasSubstr(" GHz + 500 ns between launches\n"));
  EXPECT_THAT(BoundText(without), testing::Not(testing::HasSubstr("between launches")));
}

TEST(Gap, OfWhatIsAwaitedIsBesideTheReadThatItsRoundsHave) {
  const search::Problem problem = MakeProblem("axpy", "n=4096", "h200");
  const std::string loops = "dim_kind(load_x.n0)=LOOP\nsize(load_x.n0)=64\ndim_kind(mad.n0)=LOOP\n";
  const Domains domains = DomainsOf(problem, Decided(problem, loops));
  const auto latency = [&](const DeviceRates& rates) {
    return TermNs(LowerBound(*problem.task.function, rates).Explain(domains), "latency");
  };
  const DeviceRates rates = WithGaps(problem);
  EXPECT_DOUBLE_EQ(latency(rates),
                   latency(Nominal(problem)) + kGapRead - rates.read_latency_clk / rates.clock_ghz);
}

TEST(Gap, IsNotBesideMainMemory) {
  // Caches write back whenever they like.
  const search::Problem problem = MakeProblem("axpy", "n=67108864", "h200");
  EXPECT_EQ(TermNs(BoundOf(problem, WithGaps(problem)), "memory"),
            TermNs(BoundOf(problem, Nominal(problem)), "memory"));
}

TEST(Gap, OfWhatIsNotReadKnowsNoRead) {
  const auto begins = [](const std::string& statement) {
    const search::Problem problem = Computed(statement);
    return TakeInventory(*problem.task.function, Nominal(problem), CacheState::kWarm)
        .begins_with_read;
  };
  EXPECT_TRUE(begins("y[i] = x[i] * z[i]"));
  EXPECT_TRUE(begins("y[i] = max(x[i], cast(f32, i))"));
  // The products wait for nothing.
  EXPECT_FALSE(begins("y[i] = max(x[i], cast(f32, i) * cast(f32, i + 1))"));
}

}  // namespace
}  // namespace exh::models

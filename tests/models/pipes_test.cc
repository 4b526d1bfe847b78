// SPDX-License-Identifier: MIT
//
// Pipes beside those of products: conversions and special functions; and what all units read at
// once. Amounts are known by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "search/subject/decision_file.h"
#include "tests/models/nominal.h"

namespace exh::models {
namespace {

search::Problem Computed(const std::string& statement, const std::string& size) {
  search::ProblemOptions options;
  options.compute = statement;
  options.size = size;
  options.device = "h200";
  return search::MakeProblem(options);
}

Bound Explain(const search::Problem& problem, const DeviceRates& rates) {
  return LowerBound(*problem.task.function, rates).Explain(DomainsOf(problem, problem.root()));
}

/// What the term counts of the list of decisions below kernels/replays.
double Converted(const std::string& kernel, const std::string& size, const std::string& decisions) {
  const search::Problem problem = MakeProblem(kernel, size, "h200");
  DeviceRates rates = Nominal(problem);
  rates.conversions_per_clk = 16;
  const LowerBound bound(*problem.task.function, rates);
  return TermAmount(bound.Explain(DomainsOf(problem, Decided(problem, decisions))), "conversion");
}

TEST(Conversions, AreThoseOfTheElementsThatEachWarpReads) {
  // 128 blocks of 64 x 128 elements of C, a warp for each 32 x 32: of 1024 steps a warp converts 32
  // elements of A and 32 of B each, and a block has 8 warps.
  const std::string tiles =
      "unit(mad)=DMMA\ndim_kind(mad.k0)=LOOP\ndim_kind(mad.m0)=BLOCK\ndim_kind(mad.n0)=BLOCK\n"
      "size(mad.m0)=16\nsize(mad.n0)=8\ndim_kind(mad.m1)=THREAD\nsize(mad.m1)=2\n"
      "dim_kind(mad.n1)=THREAD\nsize(mad.n1)=4\n";
  const std::string rest =
      "dim_kind(mad.m2)=LOOP|UNROLL\ndim_kind(mad.n3)=LOOP|UNROLL\ndim_kind(mad.k1)=LOOP|UNROLL\n"
      "dim_kind(mad.k2)=LOOP|UNROLL|TENSOR\n";
  EXPECT_EQ(Converted("matmul", "m=1024,n=1024,k=1024", tiles + rest), 8 * 1024 * (32 + 32));
}

TEST(Conversions, AreForWhatAMatrixUnitDoesForCertain) {
  const std::string size = "m=1024,n=1024,k=1024";
  EXPECT_EQ(Converted("matmul", size, ""), 0);
  EXPECT_EQ(Converted("matmul", size, "unit(mad)=FMA\n"), 0);
  EXPECT_GT(Converted("matmul", size, "unit(mad)=DMMA\n"), 0);
  EXPECT_EQ(Converted("matmul", size + ",type=bf16", "unit(mad)=MMA\n"), 0);
}

TEST(DoubleUnit, HasARateOfItsOwnWhereItIsSlower) {
  const search::Problem problem = MakeProblem("matmul", "m=1024,n=1024,k=1024", "h200");
  const auto arithmetic = [&](double rate, const std::string& decisions) {
    DeviceRates rates = Nominal(problem);
    rates.double_unit_per_clk = rate;
    const LowerBound bound(*problem.task.function, rates);
    return TermNs(bound.Explain(DomainsOf(problem, Decided(problem, decisions))), "arithmetic");
  };
  const std::string dmma = "unit(mad)=DMMA\n";
  EXPECT_DOUBLE_EQ(arithmetic(120, dmma), arithmetic(0, dmma) * 128 / 120);
  // The pipes are as fast as ever, and the unit is no faster than they are.
  EXPECT_EQ(arithmetic(120, ""), arithmetic(0, ""));
  EXPECT_EQ(arithmetic(140, dmma), arithmetic(0, dmma));
}

TEST(Special, IsOneForEachExponential) {
  const search::Problem problem = Computed("y[i] = exp(x[i])", "i=1048576");
  DeviceRates rates = Nominal(problem);
  EXPECT_EQ(TermNs(Explain(problem, rates), "special"), 0);
  rates.specials_per_clk = 16;
  EXPECT_NEAR(TermNs(Explain(problem, rates), "special"), 1048576 / 132.0 / 16 / 1.98, 1);
}

TEST(Special, LeavesOutWhatCompilersDoOtherwise) {
  const auto counted = [](const std::string& statement) {
    const search::Problem problem = Computed(statement, "i=64,j=32");
    DeviceRates rates = Nominal(problem);
    rates.specials_per_clk = 16;
    const Inventory inventory = TakeInventory(*problem.task.function, rates, CacheState::kWarm);
    return std::ranges::count(inventory.computations, true, &Computation::is_special);
  };
  EXPECT_EQ(counted("y[i,j] = exp(x[i,j])"), 1);
  EXPECT_EQ(counted("y[i,j] = tanh(x[i,j])"), 1);
  EXPECT_EQ(counted("y[i,j] = sqrt(x[i,j])"), 1);
  EXPECT_EQ(counted("y[i,j] = rsqrt(x[i,j])"), 1);
  EXPECT_EQ(counted("y[i,j] = z[i,j] / x[i,j]"), 1);
  // A sum of products, and no more.
  EXPECT_EQ(counted("y[i,j] = log(x[i,j])"), 0);
  // One reciprocal for a row, one for both quotients, and none.
  EXPECT_EQ(counted("y[i,j] = z[i,j] / x[i]"), 0);
  EXPECT_EQ(counted("y[i,j] = z[i,j] / x[i,j] + u[i,j] / x[i,j]"), 0);
  EXPECT_EQ(counted("y[i,j] = z[i,j] / 3"), 0);
  // An exponential that stands twice is one.
  EXPECT_EQ(counted("y[i,j] = exp(x[i,j]) * exp(x[i,j])"), 0);
}

TEST(Special, BoundsNothingWithoutARate) {
  const search::Problem problem = Computed("y[i] = exp(x[i])", "i=1024");
  const Inventory inventory =
      TakeInventory(*problem.task.function, Nominal(problem), CacheState::kWarm);
  EXPECT_TRUE(inventory.computations.empty());
}

TEST(Supply, IsWhatAllUnitsReadAtOnce) {
  // A fills the second cache, and the units together get 6600 bytes of it a clock.
  const search::Problem problem = MakeProblem("mv", "m=2048,n=4096", "h200");
  DeviceRates rates = Nominal(problem);
  rates.units_bytes_per_clk = 6600;
  const Bound bound = Explain(problem, rates);
  EXPECT_NEAR(TermNs(bound, "supply"), (2048 + 1) * 4096 * 4 / 6600.0 / 1.98, 1e-6);
  EXPECT_EQ(bound.bottleneck, "supply");
}

}  // namespace
}  // namespace exh::models

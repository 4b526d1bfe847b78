// SPDX-License-Identifier: MIT
//
// One number of blocks for all that a product takes: beside every way of cutting it, tried out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/models/nominal.h"

namespace exh::models {
namespace {

constexpr double kSize = 1024, kUnits = 132;
/// Blocks do not divide a sum.
constexpr const char* kOfOneBlock = "dim_kind(mad.k0)=LOOP|UNROLL|THREAD\n";

const search::Problem& Matmul() {
  static const search::Problem made = MakeProblem("matmul", "m=1024,n=1024,k=1024", "h200");
  return made;
}

double BlocksClk(const DeviceRates& rates, const std::string& decisions) {
  const LowerBound bound(*Matmul().task.function, rates);
  return TermAmount(bound.Explain(DomainsOf(Matmul(), Decided(Matmul(), decisions))), "blocks");
}

/// The least of all tiles of m and n: `of_tile` is clocks of a whole kernel on one unit, of tiles
/// that threads, or warps of a unit, have for themselves.
template <class OfTile>
double LeastOfTiles(const OfTile& of_tile) {
  double least = HUGE_VAL;
  for (double rows = 1; rows <= kSize; rows *= 2) {
    for (double columns = 1; columns <= kSize; columns *= 2) {
      const double blocks = kSize / rows * (kSize / columns);
      const double share = std::ceil(blocks / kUnits) / blocks;
      least = std::min(least, share * of_tile(rows, columns));
    }
  }
  return least;
}

TEST(Blocks, OfThreadsIssueWhatTheyRead) {
  const DeviceRates rates = Nominal(Matmul());
  const double points = kSize * kSize * kSize;
  const double least = LeastOfTiles([&](double rows, double columns) {
    return points / 32 * (1 + (1 / rows + 1 / columns) / 4) / rates.issues_per_clk;
  });
  const double clk = BlocksClk(rates, std::string("unit(mad)=FMA\n") + kOfOneBlock);
  EXPECT_LE(clk, least * (1 + 1e-12));
  EXPECT_GE(clk, 0.99 * least);
  // 128 blocks, and not the many that share out evenly.
  EXPECT_GE(clk, points / 128 / 128);
}

TEST(Blocks, OfAMatrixUnitConvertWhatTheyRead) {
  DeviceRates rates = Nominal(Matmul());
  rates.conversions_per_clk = 16;
  const double points = kSize * kSize * kSize;
  const double least = LeastOfTiles([&](double rows, double columns) {
    return std::max(points / 128, points * (1 / rows + 1 / columns) / 16);
  });
  const double clk = BlocksClk(rates, std::string("unit(mad)=DMMA\n") + kOfOneBlock);
  EXPECT_LE(clk, least * (1 + 1e-12));
  EXPECT_GE(clk, 0.99 * least);
  EXPECT_EQ(clk, points / 128 / 128);
  // Whichever way is taken.
  EXPECT_GE(BlocksClk(rates, kOfOneBlock), points / 128 / 128);
}

TEST(Blocks, ThatDivideSumsShareOutEvenly) {
  DeviceRates rates = Nominal(Matmul());
  rates.conversions_per_clk = 16;
  const double points = kSize * kSize * kSize;
  EXPECT_LT(BlocksClk(rates, ""), points / 128 / 131);
  EXPECT_GE(BlocksClk(rates, ""), points / 128 / 132);
}

TEST(Blocks, HaveAccessesForWhatTheyNeed) {
  // A narrow port: a block reads every element of its tiles through it.
  DeviceRates rates = Nominal(Matmul());
  rates.accesses_per_clk = 0.0625;
  const double points = kSize * kSize * kSize;
  const double least = LeastOfTiles([&](double rows, double columns) {
    return std::max(points / 128, points * (1 / rows + 1 / columns) * 4 / 128 / 0.0625);
  });
  const double clk = BlocksClk(rates, kOfOneBlock);
  EXPECT_LE(clk, least * (1 + 1e-12));
  // 128 tiles are not square, which costs 6 % of what they read.
  EXPECT_GE(clk, 0.94 * least);
  EXPECT_GT(clk, points / 128 / 128);
}

TEST(Blocks, AreNamed) {
  const LowerBound bound(*Matmul().task.function, Nominal(Matmul()));
  const Domains domains = DomainsOf(Matmul(), Decided(Matmul(), kOfOneBlock));
  EXPECT_THAT(BoundText(bound.Explain(domains)),
              testing::HasSubstr("clocks of the busiest unit, with "));
}

}  // namespace
}  // namespace exh::models

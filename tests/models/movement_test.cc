// SPDX-License-Identifier: MIT
//
// What the bound says must move is no more than what the best known schedule moves.
#include <gtest/gtest.h>

#include <string>

#include "tests/models/movement_oracle.h"
#include "tests/models/nominal.h"

namespace exh::models {
namespace {

constexpr double kElement = 4;  ///< Bytes.
constexpr double kRounding = 1 + 1e-12;
constexpr double kCapacities[] = {64, 256, 1024, 4096, 16384, 65536, 262144, 1048576};

/// One unit without anything but what is asked: what arrives in it has no other way.
DeviceRates OfOneUnit(const search::Problem& problem, double capacity) {
  DeviceRates rates = Nominal(problem);
  rates.units = 1;
  rates.units_bytes_per_clk = 64;
  rates.memory_cache_bytes = capacity * kElement;
  // An element is a sector: what the oracles count.
  rates.memory_sector_bytes = kElement;
  return rates;
}

Bound BoundOf(const search::Problem& problem, const DeviceRates& rates, CacheState caches) {
  return LowerBound(*problem.task.function, rates, caches)
      .Explain(DomainsOf(problem, problem.root()));
}

/// Of a problem with oracle: for buffers of many sizes.
template <class Oracle>
void Check(const std::string& kernel, const std::string& size, const Oracle& oracle,
           double written) {
  const search::Problem problem = MakeProblem(kernel, size, "h200");
  for (const double capacity : kCapacities) {
    const double attained = oracle.Attained(capacity) * kElement;
    ASSERT_LE(oracle.Proven(capacity) * kElement, attained * (1 + 1e-12)) << capacity;
    const DeviceRates rates = OfOneUnit(problem, capacity);
    const Bound cold = BoundOf(problem, rates, CacheState::kCold);
    const Bound warm = BoundOf(problem, rates, CacheState::kWarm);
    // From memory into the largest cache, which may keep what is written, and cold it has nothing.
    const double memory = TermAmount(cold, "memory");
    EXPECT_LE(memory, attained) << capacity;
    EXPECT_GE(memory, (oracle.Compulsory() - written) * kElement * (1 - 1e-12)) << capacity;
    // What the last launch left need not come again.
    EXPECT_LE(TermAmount(warm, "memory"), memory) << capacity;
    // Into units, whatever they hold.
    for (const std::string_view resource : {"traffic", "supply"}) {
      const double moved = TermAmount(cold, resource);
      EXPECT_GT(moved, 0) << resource;
      EXPECT_LE(moved, attained - written * kElement) << resource << " " << capacity;
    }
  }
}

TEST(Movement, OfAProduct) {
  const oracle::Matmul matmul{64, 96, 128};
  Check("matmul", "m=64,n=96,k=128", matmul, matmul.m * matmul.n);
}

TEST(Movement, OfAMatrixTimesAVector) {
  const oracle::Mv mv{96, 128};
  Check("mv", "m=96,n=128", mv, mv.m);
}

TEST(Movement, OfAConvolution) {
  const oracle::Conv2d conv{.h = 12, .w = 16, .c = 8, .m = 16, .r = 3, .s = 3};
  Check("conv2d", "h=14,w=18,c=8,m=16,pad=0", conv, conv.h * conv.w * conv.m);
}

/// The tile is decided, and blocks share nothing: each of them reads what its tile needs. The
/// schedule that has this tile in its buffer moves as much.
TEST(Movement, OfATileIsThatOfItsSchedule) {
  const search::Problem problem = MakeProblem("matmul", "m=64,n=96,k=128", "h200");
  const oracle::Matmul matmul{64, 96, 128};
  DeviceRates rates = OfOneUnit(problem, 0);
  rates.cache_bytes_per_clk = 64;
  const std::string whole = "dim_kind(mad.k0)=LOOP|UNROLL|THREAD\n";
  for (const int rows : {8, 16, 32}) {
    for (const int columns : {12, 24, 48}) {
      const std::string tiles =
          whole + "dim_kind(mad.m0)=BLOCK\ndim_kind(mad.n0)=BLOCK\n" +
          "size(mad.m0)=" + std::to_string(64 / rows) +
          "\nsize(mad.n0)=" + std::to_string(96 / columns) + "\n" +
          "dim_kind(mad.m1)=LOOP|UNROLL|THREAD\ndim_kind(mad.m2)=LOOP|UNROLL|THREAD\n"
          "dim_kind(mad.m3)=LOOP|UNROLL|THREAD\ndim_kind(mad.n1)=LOOP|UNROLL|THREAD\n"
          "dim_kind(mad.n2)=LOOP|UNROLL|THREAD\ndim_kind(mad.n3)=LOOP|UNROLL|THREAD\n";
      const LowerBound bound(*problem.task.function, rates);
      const Bound explained = bound.Explain(DomainsOf(problem, Decided(problem, tiles)));
      // A column of A and a row of B beside the tile.
      const double capacity = rows * columns + rows + columns;
      const double of_tile = (matmul.m * matmul.n * matmul.k) * (1.0 / rows + 1.0 / columns);
      EXPECT_NEAR(TermAmount(explained, "cache"), of_tile * kElement, 1e-6);
      EXPECT_LE(TermAmount(explained, "traffic"), of_tile * kElement * kRounding);
      EXPECT_GE((of_tile + matmul.m * matmul.n) * kRounding, matmul.Attained(capacity));
    }
  }
}

}  // namespace
}  // namespace exh::models

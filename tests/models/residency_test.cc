// SPDX-License-Identifier: MIT
#include "models/inventory/residency.h"

#include <gtest/gtest.h>

#include <cmath>

#include "models/inventory/nests.h"

namespace exh::models {
namespace {

namespace ir = kernels::ir;

DeviceRates Unit() {
  DeviceRates rates;
  rates.warp_lanes = 32;
  rates.unit_warps = 64;
  rates.unit_blocks = 32;
  rates.unit_registers = 65536;
  rates.unit_shared_bytes = 233472;
  return rates;
}

TEST(Residency, TheScarcestLimits) {
  EXPECT_EQ(ResidentBlocks({.threads = 1}, Unit()), 32);
  EXPECT_EQ(ResidentBlocks({.threads = 100}, Unit()), 16);  // 4 warps each.
  EXPECT_EQ(ResidentBlocks({.threads = 1024}, Unit()), 2);
  EXPECT_EQ(ResidentBlocks({.threads = 256, .registers = 65}, Unit()), 3);  // 72 each.
  EXPECT_EQ(ResidentBlocks({.threads = 32, .shared_bytes = 100000}, Unit()), 2);
}

TEST(Residency, OneBlockRunsAtLeast) {
  EXPECT_EQ(ResidentBlocks({.threads = 1024, .registers = 512}, Unit()), 1);
}

TEST(Residency, NoLimitsAreKnownOfAProcessor) {
  EXPECT_EQ(ResidentBlocks({.threads = 8}, DeviceRates()), HUGE_VAL);
}

TEST(Residency, SumsLiveThroughLoops) {
  ir::Instruction mad;
  mad.dims = {ir::DimId{0}, ir::DimId{1}, ir::DimId{2}};
  mad.reduce_dims = {ir::DimId{2}};
  Domains domains;
  domains.dims = {{8, 8, 8, DimKind::UNROLL},
                  {4, 16, 4, DimKind::UNROLL | DimKind::VECTOR},
                  {32, 32, 32, DimKind::LOOP}};
  EXPECT_EQ(Accumulators(mad, domains), 32);
  domains.dims[1].kinds = DimKind::UNROLL | DimKind::THREAD;
  EXPECT_EQ(Accumulators(mad, domains), 8);
  domains.dims[2].kinds = DimKind::LOOP | DimKind::UNROLL;  // Then sums may be stored one by one.
  EXPECT_EQ(Accumulators(mad, domains), 0);
}

}  // namespace
}  // namespace exh::models

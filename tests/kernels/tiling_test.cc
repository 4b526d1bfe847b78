// SPDX-License-Identifier: MIT
#include "kernels/ir/tiling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace exh::kernels::ir {
namespace {

using Sizes = std::vector<std::vector<std::uint32_t>>;

TEST(CoveringExtent, LeavesShortAxesAndThoseWithDivisorsAlone) {
  for (std::uint32_t total = 1; total < 24; ++total) EXPECT_EQ(CoveringExtent(total), total);
  for (const std::uint32_t total :
       {24u, 40u, 48u, 504u, 512u, 576u, 1008u, 1024u, 16226304u, 1u << 28}) {
    EXPECT_EQ(CoveringExtent(total), total);
  }
  // A multiple of 4 that no other one is near.
  for (const std::uint32_t total : {36u, 60u, 84u, 100u}) EXPECT_EQ(CoveringExtent(total), total);
}

TEST(CoveringExtent, TakesTheLongestTilesThatWasteLittle) {
  const std::pair<std::uint32_t, std::uint32_t> covered[] = {
      {25, 28},     {29, 32},       {30, 32},         {35, 36},         {37, 40},
      {45, 48},     {53, 56},       {67, 68},         {97, 100},        {101, 104},
      {125, 128},   {509, 512},     {520, 528},       {997, 1024},      {1000, 1024},
      {1021, 1024}, {1031, 1056},   {1033, 1056},     {4093, 4096},     {1000003, 1003520},
      {1760, 1792}, {36560, 36864}, {466016, 466944}, {155277, 155648}, {21128, 21504}};
  for (const auto& [total, extent] : covered) EXPECT_EQ(CoveringExtent(total), extent) << total;
}

TEST(CoveringExtent, NeverWastesMoreThanAQuarter) {
  for (std::uint32_t total = 1; total < 5000; ++total) {
    const std::uint32_t extent = CoveringExtent(total);
    EXPECT_GE(extent, total);
    EXPECT_LE(4 * (extent - total), total) << total;
  }
}

TEST(SplitAxis, ListsExactlyTheSizesThatSomeFactorisationUses) {
  // Brute force over all triples outer * a * b = total.
  const Tiling tiling = {{2, 32}, {2, 16}};
  for (const std::uint32_t total : {36u, 60u, 84u, 96u, 100u, 512u, 1000u}) {
    Sizes expected(3);
    for (std::uint32_t outer = 2; outer <= total; ++outer) {
      for (std::uint32_t a = 2; a <= 32; ++a) {
        for (std::uint32_t b = 2; b <= 16; ++b) {
          if (outer * a * b != total) continue;
          expected[0].push_back(outer);
          expected[1].push_back(a);
          expected[2].push_back(b);
        }
      }
    }
    for (auto& level : expected) {
      std::sort(level.begin(), level.end());
      level.erase(std::unique(level.begin(), level.end()), level.end());
    }
    const TileLevels levels = SplitAxis("m", total, tiling);
    EXPECT_EQ(levels.sizes, expected) << total;
    EXPECT_EQ(levels.note, "") << total;
  }
}

TEST(SplitAxis, PrimeIsNotTiledAndSaysSo) {
  const TileLevels levels = SplitAxis("m", 97, {{2, 32}, {2, 4}});
  EXPECT_EQ(levels.sizes, (Sizes{{97}}));
  EXPECT_EQ(levels.note,
            "axis m = 97 has no divisor in its tile range 2..32 x 2..4: it is not tiled");
}

TEST(SplitAxis, DropsTheLevelsThatDivisorsDoNotReach) {
  const TileLevels levels = SplitAxis("n", 6, {{2, 32}, {2, 4}});
  EXPECT_EQ(levels.sizes, (Sizes{{2, 3}, {2, 3}}));
  EXPECT_EQ(levels.note, "axis n = 6 has divisors for 1 of its 2 tile levels (2..32 x 2..4)");
}

TEST(SplitAxis, KeepsASingleIteration) {
  EXPECT_EQ(SplitAxis("k", 1, {{2, 32}}).sizes, (Sizes{{1}}));
}

TEST(SplitAxis, NeverListsMoreSizesThanADomainHolds) {
  // 735134400 has 1344 divisors.
  const TileLevels levels = SplitAxis("n", 735134400, {{2, 1024}, {2, 1024}});
  ASSERT_EQ(levels.sizes.size(), 3u);
  for (const auto& level : levels.sizes) {
    EXPECT_LE(level.size(), 64u);
    EXPECT_GE(level.size(), 2u);
  }
  EXPECT_NE(levels.note, "");
}

TEST(SplitAxisFreely, ListsExactlyTheSizesOfSplitsWithAbsentLevelsOutermost) {
  // Two tile levels wanted, so three: brute force over all outer * a * b * c = total, c innermost.
  for (const std::uint32_t total : {36u, 84u, 96u, 100u, 512u}) {
    Sizes expected(4);
    const auto tile = [&](std::uint32_t size) {
      return total % size == 0 && (size <= 32 || size == total);
    };
    const std::uint32_t largest = total <= 32 ? total : 32;
    for (std::uint32_t a = 1; a <= largest; ++a) {
      for (std::uint32_t b = 1; b <= largest; ++b) {
        for (std::uint32_t c = 1; c <= largest; ++c) {
          if (!tile(a) || !tile(b) || !tile(c) || total % (a * b * c) != 0) continue;
          if ((c == 1 && b != 1) || (b == 1 && a != 1)) continue;
          expected[0].push_back(total / (a * b * c));
          expected[1].push_back(a);
          expected[2].push_back(b);
          expected[3].push_back(c);
        }
      }
    }
    for (auto& level : expected) {
      std::sort(level.begin(), level.end());
      level.erase(std::unique(level.begin(), level.end()), level.end());
    }
    const TileLevels levels = SplitAxisFreely("m", total, {{2, 32}, {2, 4}}, 32);
    EXPECT_EQ(levels.sizes, expected) << total;
    EXPECT_EQ(levels.note, "") << total;
  }
}

TEST(SplitAxisFreely, APrimeIsOneLoopAndSaysSo) {
  const TileLevels levels = SplitAxisFreely("m", 97, {{2, 32}}, 128);
  EXPECT_EQ(levels.sizes, (Sizes{{1, 97}, {1, 97}}));
  EXPECT_EQ(levels.note, "axis m = 97 has no divisor in its tile range 2..128: it is one loop");
}

TEST(SplitAxisFreely, DropsTheLevelsThatDivisorsDoNotReach) {
  const TileLevels levels = SplitAxisFreely("m", 6, {{2, 32}, {2, 4}}, 32);
  EXPECT_EQ(levels.sizes, (Sizes{{1, 2, 3, 6}, {1, 2, 3}, {1, 2, 3, 6}}));
  EXPECT_EQ(levels.note, "");
}

TEST(SplitAxisFreely, WithoutASmallDivisorThereIsOneLevel) {
  const TileLevels levels = SplitAxisFreely("m", 2003, {{2, 32}, {2, 4}}, 1024);
  EXPECT_EQ(levels.sizes, (Sizes{{2003}}));
  EXPECT_EQ(levels.note, "axis m = 2003 has no divisor in its tile range 2..1024: it is one loop");
}

TEST(SplitAxisFreely, NeverListsMoreSizesThanADomainHolds) {
  const TileLevels levels = SplitAxisFreely("n", 735134400, {{2, 1024}, {2, 1024}}, 1024);
  ASSERT_EQ(levels.sizes.size(), 4u);
  for (const auto& level : levels.sizes) EXPECT_LE(level.size(), 64u);
  EXPECT_NE(levels.note, "");
}

}  // namespace
}  // namespace exh::kernels::ir

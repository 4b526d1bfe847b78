// SPDX-License-Identifier: MIT
#include "models/inventory/access_pattern.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"

namespace exh::models {
namespace {

namespace ir = kernels::ir;

/// Pairs of total and stride; sectors of 8 elements.
AccessPattern Pattern(const std::vector<std::pair<std::uint32_t, std::int64_t>>& axes) {
  ir::Function function;
  ir::Instruction load;
  load.op = ir::Op::kLoad;
  for (const auto& [total, stride] : axes) {
    const ir::LogicalDimId id{static_cast<std::uint16_t>(function.logical_dims.size())};
    function.logical_dims.push_back({.id = id, .total = total});
    load.access.push_back({id, stride});
  }
  return PatternOf(function, load, 32);
}

TEST(AccessPattern, CountsElementsAndSectors) {
  const AccessPattern row = Pattern({{1024, 1}});
  EXPECT_EQ(row.elements, 1024);
  EXPECT_EQ(row.sectors, 128);
  EXPECT_EQ(Pattern({{1001, 1}}).sectors, 126);  // 125.125
  const AccessPattern matrix = Pattern({{64, 1024}, {1024, 1}});
  EXPECT_EQ(matrix.elements, 65536);
  EXPECT_EQ(matrix.sectors, 8192);
  EXPECT_EQ(matrix.axes.size(), 2u);
}

TEST(AccessPattern, StridedElementsTakeWholeSectors) {
  EXPECT_EQ(Pattern({{100, 32}}).sectors, 100);
  EXPECT_EQ(Pattern({{100, 8}}).sectors, 100);
  EXPECT_EQ(Pattern({{100, 2}}).sectors, 25);            // 199 elements from first to last
  EXPECT_EQ(Pattern({{16, 1024}, {2, 1}}).sectors, 16);  // Columns of two, rows far apart.
  EXPECT_EQ(Pattern({{16, 3}, {3, 1}}).sectors, 6);      // Rows that share sectors.
}

TEST(AccessPattern, WhatDoesNotMoveIsReadOnce) {
  const AccessPattern pattern = Pattern({{7, 0}, {16, 1}, {1, 5}});
  EXPECT_EQ(pattern.elements, 16);
  EXPECT_EQ(pattern.axes.size(), 1u);
  EXPECT_EQ(Pattern({{7, 0}}).elements, 1);
  EXPECT_EQ(Pattern({{7, 0}}).sectors, 1);
}

TEST(AccessPattern, OfOverlappingRowsTheLongestMoves) {
  const AccessPattern window = Pattern({{100, 1}, {3, 1}});  // a[i + j]
  EXPECT_EQ(window.elements, 102);
  EXPECT_EQ(window.sectors, 13);
  EXPECT_EQ(window.points, 100);
  ASSERT_EQ(window.axes.size(), 1u);
  EXPECT_EQ(window.axes[0].axis, ir::LogicalDimId{0});
  EXPECT_EQ(window.axes[0].lost, 0);
}

// ---- distinct elements, against counting them ----

/// A dimension of an array, and the axes of its index.
struct Index {
  std::int64_t offset = 0, extent = 1, stride = 1;
  bool is_guarded = false;
  std::vector<std::pair<std::uint32_t, std::int64_t>> axes;  ///< Total and factor.
};

struct Counted {
  AccessPattern pattern;
  std::set<std::int64_t> elements, sectors;
  std::map<std::vector<std::uint32_t>, std::set<std::int64_t>> by_others;  ///< Where others are.
};

/// The pattern of a load, and what it touches point by point.
Counted CountOf(const std::vector<Index>& indices) {
  ir::Function function;
  ir::Instruction load;
  load.op = ir::Op::kLoad;
  for (const Index& index : indices) {
    ir::AccessGuard guard{index.offset, {}, index.extent};
    for (const auto& [total, factor] : index.axes) {
      const ir::LogicalDimId id{static_cast<std::uint16_t>(function.logical_dims.size())};
      function.logical_dims.push_back({.id = id, .total = total});
      load.access.push_back({id, factor * index.stride});
      guard.axes.push_back({id, factor});
    }
    if (index.is_guarded) load.guards.push_back(guard);
  }
  Counted counted{PatternOf(function, load, 32), {}, {}, {}};
  std::vector<std::uint32_t> at(function.logical_dims.size(), 0);
  while (true) {
    std::int64_t element = 0;
    bool is_inside = true;
    std::size_t axis = 0;
    for (const Index& index : indices) {
      std::int64_t value = index.offset;
      for (const auto& [total, factor] : index.axes) value += factor * at[axis++];
      is_inside &= !index.is_guarded || (value >= 0 && value < index.extent);
      element += value * index.stride;
    }
    if (is_inside) {
      counted.elements.insert(element);
      counted.sectors.insert(element >= 0 ? element / 8 : (element - 7) / 8);
    }
    std::vector<std::uint32_t> others = at;
    for (const MovingAxis& moves : counted.pattern.axes) others[moves.axis.index()] = 0;
    std::set<std::int64_t>& here = counted.by_others[others];
    if (is_inside) {
      EXPECT_TRUE(here.insert(element).second) << "two points of moving axes share an element";
    }
    axis = 0;
    while (axis < at.size() && ++at[axis] == function.logical_dims[axis].total) at[axis++] = 0;
    if (axis == at.size()) return counted;
  }
}

/// Of the borders and windows of these indices, nothing counts twice and nothing that is outside.
void ExpectNoMore(const std::vector<Index>& indices, const std::string& what) {
  const Counted counted = CountOf(indices);
  if (counted.elements.empty()) return;  // A mistake of the kernel.
  EXPECT_LE(counted.pattern.elements, static_cast<double>(counted.elements.size())) << what;
  EXPECT_LE(counted.pattern.sectors, static_cast<double>(counted.sectors.size())) << what;
  for (const auto& [others, elements] : counted.by_others) {
    EXPECT_LE(counted.pattern.points, static_cast<double>(elements.size())) << what;
  }
}

/// Rows, columns and channels of an image, and the windows of a convolution over it.
std::vector<Index> Image(std::int64_t size, std::int64_t channels, std::uint32_t window,
                         std::int64_t stride, std::int64_t dilation, std::int64_t pad) {
  const auto moves =
      static_cast<std::uint32_t>((size + 2 * pad - dilation * (window - 1) - 1) / stride + 1);
  const std::vector<std::pair<std::uint32_t, std::int64_t>> axes = {{moves, stride},
                                                                    {window, dilation}};
  const bool is_guarded = pad > 0;
  return {{-pad, size, size * channels, is_guarded, axes},
          {-pad, size, channels, is_guarded, axes},
          {0, channels, 1, false, {{static_cast<std::uint32_t>(channels), 1}}}};
}

TEST(AccessPattern, CountsEachElementOfWindowsOnce) {
  const AccessPattern padded = CountOf(Image(14, 8, 3, 1, 1, 1)).pattern;
  EXPECT_EQ(padded.elements, 14 * 14 * 8);
  EXPECT_EQ(padded.sectors, 14 * 14);
  ASSERT_EQ(padded.axes.size(), 3u);  // Of rows, columns and channels.
  EXPECT_EQ(padded.points, 13 * 13 * 8);
  EXPECT_EQ(CountOf(Image(14, 8, 3, 1, 1, 0)).pattern.elements, 14 * 14 * 8);
  EXPECT_EQ(CountOf(Image(14, 3, 5, 1, 1, 2)).pattern.elements, 14 * 14 * 3);
  EXPECT_EQ(CountOf(Image(15, 3, 3, 2, 1, 0)).pattern.elements, 15 * 15 * 3);
  EXPECT_EQ(CountOf(Image(15, 3, 1, 2, 1, 0)).pattern.elements, 8 * 8 * 3);  // Every second.
}

TEST(AccessPattern, CountsNoMoreThanWindowsTouch) {
  for (const std::uint32_t window : {1u, 2u, 3u, 5u}) {
    for (const std::int64_t stride : {1, 2, 4}) {
      for (const std::int64_t dilation : {1, 2, 3}) {
        for (std::int64_t pad = 0; pad < dilation * (window - 1) + 1 && pad < 5; ++pad) {
          for (const std::int64_t channels : {1, 3}) {
            const std::int64_t size = 13;
            if (dilation * (window - 1) >= size + 2 * pad) continue;
            ExpectNoMore(Image(size, channels, window, stride, dilation, pad),
                         fmt::format("window {}, stride {}, dilation {}, pad {}, channels {}",
                                     window, stride, dilation, pad, channels));
          }
        }
      }
    }
  }
}

TEST(AccessPattern, CountsNoMoreThanRandomIndicesTouch) {
  constexpr std::uint64_t kSeed = 1;
  Random random(kSeed);
  for (int draw = 0; draw < 3000; ++draw) {
    std::vector<Index> indices(1 + random.Below(2));
    for (Index& index : indices) {
      index.axes.resize(1 + random.Below(3));
      std::int64_t least = 0, most = 0;
      for (auto& [total, factor] : index.axes) {
        total = static_cast<std::uint32_t>(1 + random.Below(6));
        factor = static_cast<std::int64_t>(random.Below(5)) - 1;
        if (factor == 0) factor = 7;
        (factor < 0 ? least : most) += factor * (total - 1);
      }
      index.is_guarded = random.Below(2) == 0;
      index.stride = static_cast<std::int64_t>(1 + random.Below(12));
      index.offset = index.is_guarded ? static_cast<std::int64_t>(random.Below(5)) - 3 : -least;
      index.extent = std::max<std::int64_t>(1, index.offset + most - 1);
    }
    ExpectNoMore(indices, fmt::format("seed {}, draw {}", kSeed, draw));
  }
}

}  // namespace
}  // namespace exh::models

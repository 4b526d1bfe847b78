// SPDX-License-Identifier: MIT
#include "models/inventory/access_pattern.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

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

TEST(AccessPattern, OverlappingRowsCountOneAxis) {
  const AccessPattern window = Pattern({{100, 1}, {3, 1}});  // a[i + j]
  EXPECT_EQ(window.elements, 100);
  ASSERT_EQ(window.axes.size(), 1u);
  EXPECT_EQ(window.axes[0], ir::LogicalDimId{0});
}

}  // namespace
}  // namespace exh::models

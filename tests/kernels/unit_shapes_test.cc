// SPDX-License-Identifier: MIT
//
// Who has what of the operands and the sums of a matrix unit (kernels/ir/fragments.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/ir/fragments.h"

namespace exh::kernels::ir {
namespace {

constexpr MatrixUnit kUnits[] = {MatrixUnit::kDmma, MatrixUnit::kMma, MatrixUnit::kImma,
                                 MatrixUnit::kQmma};

/// wgmma.mma_async.m64n8k16 of the PTX ISA, whose first operand is in registers: four warps share
/// it. Its second operand is in shared memory.
constexpr UnitShape kFourWarps = {.lanes = 4 * kWarpLanes,
                                  .rows = {{{{4, 32, 16}, {8, 4, 1}}}, 2, 8},
                                  .columns = {{{{4, 1, 2}}}, 2, 1},
                                  .depth = {{{{4, 1, 4}}}, 4, 1},
                                  .operand_columns = {}};
static_assert(LanesFit(kFourWarps));

constexpr std::int64_t IterationOf(const Fragment& fragment, std::uint32_t lane,
                                   std::uint32_t number) {
  std::int64_t iteration = number * fragment.register_step;
  for (const LaneDigit& digit : fragment.digits) {
    iteration += lane / digit.stride % digit.count * digit.step;
  }
  return iteration;
}

/// Is each element of an array with these axes in one register of one lane?
bool HaveEachOnce(std::uint32_t lanes, const Fragment& rows, const Fragment& columns) {
  std::vector<int> times(std::size_t{rows.size()} * columns.size());
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    for (std::uint32_t h = 0; h < rows.registers; ++h) {
      for (std::uint32_t b = 0; b < columns.registers; ++b) {
        const std::int64_t row = IterationOf(rows, lane, h), column = IterationOf(columns, lane, b);
        if (row < 0 || row >= rows.size() || column < 0 || column >= columns.size()) return false;
        ++times[static_cast<std::size_t>(row * columns.size() + column)];
      }
    }
  }
  return std::ranges::all_of(times, [](int count) { return count == 1; });
}

TEST(UnitShapes, LanesHaveEachElementOnce) {
  for (const MatrixUnit unit : kUnits) {
    const UnitShape& shape = ShapeOf(unit);
    EXPECT_TRUE(HaveEachOnce(shape.lanes, shape.rows, shape.columns));
    EXPECT_TRUE(HaveEachOnce(shape.lanes, shape.rows, shape.depth));
    EXPECT_TRUE(HaveEachOnce(shape.lanes, shape.depth, shape.operand_columns));
  }
}

TEST(UnitShapes, AreThoseOfTheHardware) {
  for (const MatrixUnit unit : kUnits) {
    const UnitShape& shape = ShapeOf(unit);
    EXPECT_EQ(shape.lanes, 32u);
    EXPECT_EQ(shape.rows.size(), 16u);
    EXPECT_EQ(shape.columns.size(), 8u);
    const std::uint32_t deep = unit == MatrixUnit::kImma || unit == MatrixUnit::kQmma ? 2 : 1;
    EXPECT_EQ(shape.depth.size(), 16 * deep);
    EXPECT_EQ(shape.operand_columns.size(), shape.columns.size());
    EXPECT_EQ(shape.multiply_adds(), 2048 * deep);
    EXPECT_EQ(shape.sums(), 4u);
    EXPECT_EQ(shape.first_elements(), 8 * deep);
    EXPECT_EQ(shape.second_elements(), 4 * deep);
    for (std::uint32_t lane = 0; lane < shape.lanes; ++lane) {
      const std::uint32_t g = lane / 4, q = lane % 4;
      EXPECT_EQ(IterationOf(shape.rows, lane, 1), g + 8);
      EXPECT_EQ(IterationOf(shape.columns, lane, 1), 2 * q + 1);
      EXPECT_EQ(IterationOf(shape.depth, lane, 3), 4 * deep * q + 3);
      EXPECT_EQ(IterationOf(shape.operand_columns, lane, 0), g);
    }
  }
}

// What a lane has of the sums of a chain is what it has of the first operand of kMma, and its
// second operand has the columns that are the instructions' own.
TEST(UnitShapes, SumsOfAChainAreAnOperand) {
  const UnitShape &chain = ShapeOf(MatrixUnit::kMmaChain), &next = ShapeOf(MatrixUnit::kMma);
  EXPECT_TRUE(HaveEachOnce(chain.lanes, chain.rows, chain.columns));
  EXPECT_TRUE(HaveEachOnce(chain.lanes, chain.rows, chain.depth));
  EXPECT_TRUE(HaveEachOnce(chain.lanes, chain.depth, chain.operand_columns));
  EXPECT_EQ(chain.rows, next.rows);
  EXPECT_EQ(chain.columns, next.depth);
  EXPECT_EQ(chain.multiply_adds(), 2 * next.multiply_adds());
  for (std::uint32_t lane = 0; lane < chain.lanes; ++lane) {
    for (std::uint32_t t = 0; t < 2; ++t) {
      // The lane that has column c of instruction t of the operand, as its own column is c.
      const auto column_of = [&](std::uint32_t c) {
        return IterationOf(chain.operand_columns, 4 * c, t);
      };
      for (std::uint32_t b = 0; b < 2; ++b) {
        const auto own = static_cast<std::uint32_t>(IterationOf(next.columns, lane, b));
        EXPECT_EQ(IterationOf(chain.columns, lane, 2 * t + b), column_of(own));
      }
    }
  }
}

TEST(UnitShapes, OneMultiplyAddIsAShape) {
  const UnitShape& shape = ShapeOf(MatrixUnit::kNone);
  EXPECT_EQ(shape.multiply_adds(), 1u);
  EXPECT_TRUE(HaveEachOnce(shape.lanes, shape.rows, shape.columns));
}

TEST(UnitShapes, FourWarpsShareAUnit) {
  EXPECT_EQ(kFourWarps.multiply_adds(), 64u * 8 * 16);
  EXPECT_TRUE(HaveEachOnce(kFourWarps.lanes, kFourWarps.rows, kFourWarps.columns));
  EXPECT_TRUE(HaveEachOnce(kFourWarps.lanes, kFourWarps.rows, kFourWarps.depth));
  for (std::uint32_t lane = 0; lane < kFourWarps.lanes; ++lane) {
    const std::uint32_t w = lane / 32, g = lane % 32 / 4, q = lane % 4;
    for (std::uint32_t i = 0; i < 2; ++i) {
      EXPECT_EQ(IterationOf(kFourWarps.rows, lane, i), 16 * w + g + 8 * i);
      EXPECT_EQ(IterationOf(kFourWarps.columns, lane, i), 2 * q + i);
    }
  }
}

TEST(UnitShapes, WhatLanesShareOrLackIsFound) {
  UnitShape shape = kFourWarps;
  shape.rows.digits[0].count = 1;  // All warps have the rows of the first one.
  EXPECT_FALSE(LanesFit(shape));
  EXPECT_FALSE(HaveEachOnce(shape.lanes, shape.rows, shape.columns));
  shape = kFourWarps;
  shape.rows.digits[0].step = 8;  // Warps share rows, and nobody has the last ones.
  EXPECT_TRUE(LanesFit(shape));
  EXPECT_FALSE(HaveEachOnce(shape.lanes, shape.rows, shape.columns));
}

}  // namespace
}  // namespace exh::kernels::ir

// SPDX-License-Identifier: MIT
#include "models/inventory/request.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace exh::models {
namespace {

namespace ir = kernels::ir;

/// An access to one array along some axes, each with its levels, outermost first.
class Accessed {
 public:
  struct Level {
    std::uint32_t size;
    DimKindDomain kinds;
  };

  void Axis(std::int64_t stride, const std::vector<Level>& levels) {
    const ir::LogicalDimId axis{static_cast<std::uint16_t>(function_.logical_dims.size())};
    ir::LogicalDim logical{.id = axis};
    for (const Level& level : levels) {
      logical.dims.push_back(ir::DimId{static_cast<std::uint16_t>(domains_.dims.size())});
      logical.total *= level.size;
      domains_.dims.push_back({level.size, level.size, level.size, level.kinds});
    }
    function_.logical_dims.push_back(logical);
    load_.access.push_back({axis, stride});
  }
  DimDomain& dim(std::size_t index) { return domains_.dims[index]; }
  double Together(double elements, std::uint32_t width = 1) {
    load_.id = ir::InstId{0};
    domains_.insts = {{width}};
    return Request(function_, load_).Together(domains_, elements);
  }

 private:
  ir::Function function_;
  ir::Instruction load_;
  Domains domains_;
};

TEST(Request, NeighboursOfThreadsAreTogether) {
  Accessed vector;
  vector.Axis(1, {{64, DimKind::BLOCK}, {32, DimKind::THREAD}});
  EXPECT_EQ(vector.Together(8), 8);
  EXPECT_EQ(vector.Together(32), 32);
  vector.dim(1).kinds = DimKind::LOOP;
  EXPECT_EQ(vector.Together(8), 1);
}

TEST(Request, LoopsInsideThreadsPullThemApart) {
  Accessed vector;
  vector.Axis(1, {{64, DimKind::BLOCK}, {32, DimKind::THREAD}, {4, DimKind::LOOP}});
  EXPECT_EQ(vector.Together(8), 2);
  EXPECT_EQ(vector.Together(32), 8);
  vector.dim(2).kinds = DimKind::VECTOR;
  EXPECT_EQ(vector.Together(8), 8);
  vector.dim(2).kinds = DimKind::UNROLL;
  EXPECT_EQ(vector.Together(8), 2);
  EXPECT_EQ(vector.Together(8, 4), 8);  // Four copies are one access.
}

TEST(Request, FewThreadsHaveFewNeighbours) {
  Accessed vector;
  vector.Axis(1, {{64, DimKind::BLOCK}, {16, DimKind::LOOP}, {2, DimKind::THREAD}});
  EXPECT_EQ(vector.Together(8), 2);
}

TEST(Request, StridesOfAPieceShareNothing) {
  Accessed matrix;
  matrix.Axis(1024, {{32, DimKind::THREAD}});
  matrix.Axis(32, {{32, DimKind::THREAD}});
  EXPECT_EQ(matrix.Together(32), 1);
  Accessed pairs;
  pairs.Axis(4, {{32, DimKind::THREAD}});
  EXPECT_EQ(pairs.Together(8), 2);
  EXPECT_EQ(pairs.Together(32), 8);
}

TEST(Request, RowsThatBeginAnywhereMayStraddle) {
  // Groups of 3 neighbours, 6 apart: a sector has 3 of them at least, and 5 at most.
  Accessed rows;
  rows.Axis(1, {{5, DimKind::THREAD}, {2, DimKind::LOOP}, {3, DimKind::THREAD}});
  EXPECT_GE(rows.Together(8), 5);
  EXPECT_LE(rows.Together(8), 8);
}

TEST(Request, WhatIsOpenIsAtItsBest) {
  Accessed vector;
  vector.Axis(1,
              {{64, DimKind::BLOCK}, {32, DimKind::THREAD}, {4, DimKind::LOOP | DimKind::VECTOR}});
  EXPECT_EQ(vector.Together(8), 8);
  vector.dim(2) = {2, 4, 2, DimKind::LOOP};
  EXPECT_EQ(vector.Together(8), 8);
}

}  // namespace
}  // namespace exh::models

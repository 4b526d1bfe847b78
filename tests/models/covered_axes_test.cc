// SPDX-License-Identifier: MIT
//
// Of a covered axis no loop nest has fewer points than are counted: all orders, kinds and sizes of
// its levels, point by point.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "models/inventory/nests.h"

namespace exh::models {
namespace {

namespace ir = kernels::ir;

constexpr int kNests = 2000;

struct Level {
  std::uint32_t size = 1;
  DimKind kind = DimKind::LOOP;
};

/// An axis of one to four levels, and how many of its points they make.
struct Drawn {
  std::vector<Level> levels;
  std::uint32_t total = 1, extent = 1;
};

Drawn Draw(Random& random, bool is_sum) {
  constexpr DimKind kKinds[] = {DimKind::LOOP, DimKind::UNROLL, DimKind::THREAD, DimKind::BLOCK,
                                DimKind::VECTOR};
  Drawn drawn;
  const std::size_t levels = 1 + random.Below(4);
  bool has_lanes = false;  // Of a sum one level at most is lanes.
  for (std::size_t i = 0; i < levels; ++i) {
    const DimKind kind = kKinds[random.Below(is_sum && has_lanes ? 4 : 5)];
    has_lanes |= kind == DimKind::VECTOR;
    drawn.levels.push_back({static_cast<std::uint32_t>(1 + random.Below(5)), kind});
    drawn.extent *= drawn.levels.back().size;
  }
  const auto surplus = static_cast<std::uint32_t>(random.Below(drawn.extent / 4 + 1));
  drawn.total = drawn.extent - surplus;
  return drawn;
}

struct Nested {
  Nest nest;
  Domains domains;
};

Nested NestOf(const Drawn& drawn, bool is_sum) {
  Nested nested;
  NestAxis axis{.total = static_cast<double>(drawn.total),
                .extent = static_cast<double>(drawn.extent),
                .varies = true,
                .is_sum = is_sum,
                .dims = {}};
  for (const Level& level : drawn.levels) {
    axis.dims.push_back(ir::DimId{static_cast<std::uint16_t>(axis.dims.size())});
    nested.domains.dims.push_back({level.size, level.size, level.size, level.kind});
  }
  nested.nest.axes = {axis};
  nested.nest.points = axis.total;
  if (is_sum) nested.nest.most_splits = axis.extent;
  return nested;
}

/// A nest of the axes of both.
Nested Joined(Nested nested, const Nested& other) {
  for (NestAxis axis : other.nest.axes) {
    for (ir::DimId& id : axis.dims) {
      id = ir::DimId{static_cast<std::uint16_t>(id.index() + nested.domains.dims.size())};
    }
    nested.nest.axes.push_back(std::move(axis));
  }
  nested.domains.dims.insert(nested.domains.dims.end(), other.domains.dims.begin(),
                             other.domains.dims.end());
  nested.nest.points *= other.nest.points;
  nested.nest.most_splits *= other.nest.most_splits;
  return nested;
}

/// Where a point is: the indices of some kinds of levels, as one number.
std::uint32_t Part(const Drawn& drawn, std::uint32_t point, DimKindDomain kinds) {
  std::uint32_t part = 0, scale = 1;
  for (std::size_t i = drawn.levels.size(); i-- > 0;) {
    const Level& level = drawn.levels[i];
    if (DimKindDomain(level.kind).MayBe(kinds)) {
      part += point % level.size * scale;
      scale *= level.size;
    }
    point /= level.size;
  }
  return part;
}

std::uint32_t Product(const Drawn& drawn, DimKindDomain kinds) {
  std::uint32_t product = 1;
  for (const Level& level : drawn.levels) {
    if (DimKindDomain(level.kind).MayBe(kinds)) product *= level.size;
  }
  return product;
}

/// Points by the indices of some kinds of levels.
std::vector<std::uint32_t> Points(const Drawn& drawn, DimKindDomain kinds) {
  std::vector<std::uint32_t> points(Product(drawn, kinds));
  for (std::uint32_t point = 0; point < drawn.total; ++point) ++points[Part(drawn, point, kinds)];
  return points;
}

/// Rounds of loops in which a thread (by index) has a point.
std::vector<std::uint32_t> RoundsWithPoints(const Drawn& drawn) {
  const DimKindDomain threads = DimKind::BLOCK | DimKind::THREAD;
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> seen;
  for (std::uint32_t point = 0; point < drawn.total; ++point) {
    seen[{Part(drawn, point, threads), Part(drawn, point, DimKind::LOOP)}] = true;
  }
  std::vector<std::uint32_t> rounds(Product(drawn, threads));
  for (const auto& [round, there] : seen) ++rounds[round.first];
  return rounds;
}

constexpr double kRounding = 1 + 1e-12;

void ExpectNoMore(double counted, const std::vector<std::uint32_t>& real, const char* what) {
  EXPECT_LE(counted, real.front() * kRounding) << what;
}
void ExpectNoMoreAnywhere(double counted, const std::vector<std::uint32_t>& real,
                          const char* what) {
  for (const std::uint32_t one : real) EXPECT_LE(counted, one * kRounding) << what;
}

/// What a block is said to have is there.
void ExpectNoMoreOfBlocks(const Work& work, const Drawn& drawn) {
  ExpectNoMore(work.block, Points(drawn, DimKind::BLOCK), "first block");
  ExpectNoMoreAnywhere(work.any_block, Points(drawn, DimKind::BLOCK), "any block");
}
void ExpectNoMoreRounds(const Rounds& rounds, const std::vector<std::uint32_t>& real) {
  ExpectNoMore(rounds.least, real, "rounds of the first thread");
  ExpectNoMoreAnywhere(rounds.anywhere, real, "rounds of any thread");
}

TEST(CoveredAxes, NothingIsCountedThatIsBeyond) {
  Random random(1);
  for (int i = 0; i < kNests; ++i) {
    const Drawn drawn = Draw(random, false);
    const auto [nest, domains] = NestOf(drawn, false);
    Work work;
    FillWork(nest, domains, 32, 1024, work);
    const DimKindDomain threads = DimKind::BLOCK | DimKind::THREAD;
    ExpectNoMoreOfBlocks(work, drawn);
    ExpectNoMore(work.thread, Points(drawn, threads), "first thread");
    for (const std::uint32_t one : Points(drawn, threads)) EXPECT_GE(work.serial_max[0], one);
    for (const std::uint32_t one : Points(drawn, DimKind::BLOCK)) EXPECT_GE(work.block_max[0], one);
    EXPECT_EQ(work.min_blocks, Product(drawn, DimKind::BLOCK));
    EXPECT_EQ(work.max_blocks, Product(drawn, DimKind::BLOCK));
    ExpectNoMoreRounds(RoundsOf(nest, domains, 1024), RoundsWithPoints(drawn));
    if (HasFailure()) return;
  }
}

/// What steps of a sum do not wait for each other along: lanes have parts of it, and then unrolled
/// copies, too.
DimKindDomain PartsOf(const Drawn& drawn) {
  const DimKindDomain threads = DimKind::BLOCK | DimKind::THREAD;
  const bool has_lanes = std::ranges::any_of(
      drawn.levels, [](const Level& level) { return level.kind == DimKind::VECTOR; });
  return has_lanes ? threads | DimKind::VECTOR | DimKind::UNROLL : threads;
}

TEST(CoveredAxes, StepsOfSumsAreThoseThatAreTaken) {
  Random random(2);
  int with_lanes = 0;
  for (int i = 0; i < kNests; ++i) {
    const Drawn drawn = Draw(random, true);
    const auto [nest, domains] = NestOf(drawn, true);
    Work work;
    FillWork(nest, domains, 32, 1024, work);
    const DimKindDomain parts = PartsOf(drawn);
    ExpectNoMoreOfBlocks(work, drawn);
    ExpectNoMore(work.steps, Points(drawn, parts), "steps of the first lane");
    EXPECT_EQ(work.splits, Product(drawn, DimKind::BLOCK));
    const Rounds rounds = RoundsOf(nest, domains, 1024);
    ExpectNoMoreRounds(rounds, Points(drawn, parts));
    const bool has_lanes = parts.MayBe(DimKind::VECTOR);
    EXPECT_EQ(rounds.most_copies,
              has_lanes ? Product(drawn, DimKind::VECTOR | DimKind::UNROLL) : 1);
    with_lanes += has_lanes;
    if (HasFailure()) return;
  }
  EXPECT_GT(with_lanes, kNests / 10);
}

/// Of each block the steps of its sums that are operations for certain: each of its parts begins
/// with a step that may be none.
std::vector<std::uint32_t> Operations(const Drawn& rows, const Drawn& steps) {
  std::vector<std::uint32_t> operations;
  for (const std::uint32_t of_rows : Points(rows, DimKind::BLOCK)) {
    for (const std::uint32_t of_steps : Points(steps, DimKind::BLOCK)) {
      operations.push_back(of_rows * (of_steps - std::min(of_steps, 1u)));
    }
  }
  return operations;
}

TEST(CoveredAxes, BlocksThatDivideSumsHaveNoFewerOperations) {
  Random random(4);
  int divided = 0;
  for (int i = 0; i < kNests; ++i) {
    const Drawn rows = Draw(random, false), steps = Draw(random, true);
    const auto [nest, domains] = Joined(NestOf(rows, false), NestOf(steps, true));
    Work work;
    FillWork(nest, domains, 32, 1024, work);
    const auto parts = static_cast<double>(Product(steps, DimKind::BLOCK));
    EXPECT_EQ(work.splits, parts);
    EXPECT_EQ(work.max_blocks, Product(rows, DimKind::BLOCK) * parts);
    const std::vector<std::uint32_t> real = Operations(rows, steps);
    const double share = std::max(0.0, 1 - work.splits / steps.total);
    ExpectNoMore(work.block * share, real, "first block");
    ExpectNoMoreAnywhere(work.any_block * share, real, "any block");
    EXPECT_LE(work.points * share / work.max_blocks, std::ranges::max(real) * kRounding);
    divided += parts > 1 && nest.axes[1].covers();
    if (HasFailure()) return;
  }
  EXPECT_GT(divided, kNests / 10);
}

TEST(CoveredAxes, AxesThatAreNotCoveredCountWhole) {
  Random random(3);
  for (int i = 0; i < kNests; ++i) {
    Drawn drawn = Draw(random, false);
    drawn.total = drawn.extent;
    const auto [nest, domains] = NestOf(drawn, false);
    Work work;
    FillWork(nest, domains, 32, 1024, work);
    EXPECT_EQ(work.block, Points(drawn, DimKind::BLOCK).front());
    EXPECT_EQ(work.any_block, work.block);
    const Rounds rounds = RoundsOf(nest, domains, 1024);
    EXPECT_EQ(rounds.anywhere, rounds.least);
  }
}

}  // namespace
}  // namespace exh::models

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace exh::kernels::ir {

/// Points of an axis, elements of an array along a dimension, and so what a size may be: at most.
inline constexpr std::int64_t kLargestExtent = std::int64_t{1} << 31;
/// … as messages write it.
inline constexpr const char* kLargestExtentText = "2^31";

/// Sizes that one tile level may take: lo <= size <= hi.
struct TileRange {
  std::uint32_t lo = 2, hi = 2;
};
/// Tile levels of an axis below its outermost one, outermost first: {{2, 32}, {2, 4}}.
using Tiling = std::vector<TileRange>;

/// The number of iterations that the tile sizes of an axis of `total` points multiply to: `total`,
/// where that is short or has divisors enough; else, where there is one that is little more, the
/// next multiple of a number that has them. (1021 is covered by 1024, 35 by 36.)
std::uint32_t CoveringExtent(std::uint32_t total);

/// The dims of an axis, level by level: for each the sorted list of sizes it may take.
struct TileLevels {
  std::vector<std::vector<std::uint32_t>> sizes;
  std::string note;  ///< What the caller should tell the user; empty if nothing.
};

/// Splits an axis of `total` iterations into an outermost level and as many of the wanted tile
/// levels as divisors allow. Tiles divide `total`; every level has at least 2 iterations, except
/// that an axis of size 1 is a single level of size 1. A size is listed only if some choice of the
/// other levels completes it to `total`. At most 64 sizes a level (the width of a domain): the
/// smallest tile sizes are kept, and the note says so.
TileLevels SplitAxis(const std::string& name, std::uint32_t total, const Tiling& tiling);

/// The same with levels that may be absent: an outermost level and as many tile levels as `tiling`
/// wants and one more, of 1 to `largest` iterations each. A level may be absent only when those
/// around it are; the outermost one is free. Fewer levels where `total` has not enough divisors for
/// all of them.
TileLevels SplitAxisFreely(const std::string& name, std::uint32_t total, const Tiling& tiling,
                           std::uint32_t largest);

}  // namespace exh::kernels::ir

// SPDX-License-Identifier: MIT
//
// Names of values that several recipes wish for (kernels/spaces/*.exh), beside those that
// kernels/ir/target.h has.
#pragma once

#include <string_view>

namespace exh::kernels {

/// Of `dim_kind`.
inline constexpr std::string_view kLoop = "LOOP", kUnroll = "UNROLL", kVector = "VECTOR",
                                  kThread = "THREAD", kBlock = "BLOCK";
/// Of `dim_mapping`.
inline constexpr std::string_view kMergeMap = "MERGE_MAP", kUnrollMap = "UNROLL_MAP",
                                  kThreadMap = "THREAD_MAP", kNotMapped = "NOT_MAPPED";
/// Of `order`.
inline constexpr std::string_view kBefore = "BEFORE", kAfter = "AFTER", kInner = "INNER",
                                  kOuter = "OUTER", kMerged = "MERGED";
/// Of `unit`, `tiles`, `thread_layout` and `across_blocks`.
inline constexpr std::string_view kFma = "FMA", kSameTiles = "SAME_TILES", kOwnTiles = "OWN_TILES",
                                  kSharedLayout = "SHARED_LAYOUT", kOwnLayout = "OWN_LAYOUT",
                                  kNotAcross = "NOT_ACROSS";
/// Of `mem_space`, `skew` and `transfer`.
inline constexpr std::string_view kShared = "SHARED", kGlobal = "GLOBAL", kPlain = "PLAIN",
                                  kThroughRegisters = "REGISTERS", kAsync = "ASYNC", kTma = "TMA",
                                  kAlike = "ALIKE", kProducer = "PRODUCER", kEachTile = "EACH_TILE",
                                  kPersistent = "PERSISTENT";
/// Of `advance` and `block_schedule`.
inline constexpr std::string_view kOnTime = "ON_TIME", kOneAhead = "ONE_AHEAD", kStatic = "STATIC",
                                  kDynamic = "DYNAMIC";
/// Of `pace`.
inline constexpr std::string_view kPaceRunning = "RUNNING", kPaceAfter = "AFTER";
/// Of `window` and `window_part`.
inline constexpr std::string_view kWindow = "WINDOW", kInWindow = "IN_WINDOW",
                                  kAroundWindow = "AROUND_WINDOW";

}  // namespace exh::kernels

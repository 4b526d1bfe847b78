// SPDX-License-Identifier: MIT
//
// A pass: tiles that neighbouring threads do, where accesses have their neighbours along two
// loops, as those of a transpose.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/loops/nest.h"

namespace exh::kernels::loops {

/// Iterations of both loops of a tile that goes through shared memory.
inline constexpr std::int64_t kStagedTile = 32;

enum class PatchSize {
  kWarps,  ///< So small that threads of a warp are neighbours along both loops.
  kTiles,  ///< 32 x 32: one kind of access goes through shared memory.
};

/// The nest with tiles where accesses have their neighbours along two of its parallel loops.
/// Nothing: there is nothing like that.
std::optional<NestNode> WithPatches(const NestNode& nest, PatchSize size);

}  // namespace exh::kernels::loops

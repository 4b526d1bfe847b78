// SPDX-License-Identifier: MIT
//
// Loops as somebody decided them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/fused/code/nest.h"

namespace exh::kernels::fused {

/// What is decided of a loop.
struct LoopDecision {
  bool has_threads = false;
  int vector = 1;         ///< Iterations at once; 1: it is no vector.
  std::int64_t tile = 1;  ///< Iterations of a tile; 1: it has none. The last may have fewer.
};

/// The loops of a nest from the outside to the inside, in the order of the text.
std::vector<const NestNode*> LoopsOf(const NestNode& nest);

/// By loop of LoopsOf: may it have tiles? It, and a loop around it or in it without anything
/// between, are parallel and count from 0 to a number.
std::vector<bool> MayBeTiled(const NestNode& nest);

/// The nest as it is decided, by loop of LoopsOf. Of loops right in each other the loops over
/// tiles come first, in the same order; where a loop has tiles, threads divide these.
NestNode Decided(const NestNode& nest, const std::vector<LoopDecision>& decisions);

/// Iterations of both loops of a tile that goes through shared memory.
inline constexpr std::int64_t kStagedTile = 32;

enum class PatchSize {
  kWarps,  ///< So small that threads of a warp are neighbours along both loops.
  kTiles,  ///< 32 x 32: one kind of access goes through shared memory (tile_printer.h).
};

/// The nest with tiles where accesses have their neighbours along two of its parallel loops, as
/// those of a transpose. Nothing: there is nothing like that.
std::optional<NestNode> WithPatches(const NestNode& nest, PatchSize size);

/// Every outermost parallel loop that is worth it has threads, in each of the nests: what is done
/// where nothing is decided.
void DivideAmongThreads(std::vector<NestNode>& nests);

/// A nest as threads of a GPU take it: of loops right in each other those that are independent come
/// first, in their order; vectors are not wider than wide accesses are, and none where others went
/// into them.
NestNode ForThreads(const NestNode& nest);

}  // namespace exh::kernels::fused

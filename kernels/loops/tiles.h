// SPDX-License-Identifier: MIT
//
// A pass: loops as somebody decided them: threads, vectors, tiles.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/loops/nest.h"

namespace exh::kernels::loops {

/// What is decided of a loop.
struct LoopDecision {
  bool has_threads = false;
  int vector = 1;         ///< Iterations at once; 1: it is no vector.
  std::int64_t tile = 1;  ///< Iterations of a tile; 1: it has none. The last may have fewer.
};

/// Loops right in each other from this one on, all of which are parallel and count from 0 to a
/// number.
std::vector<const NestNode*> ChainOf(const NestNode& node);

/// By loop of LoopsOf: may it have tiles? It, and a loop around it or in it without anything
/// between, are of one chain.
std::vector<bool> MayBeTiled(const NestNode& nest);

/// The nest as it is decided, by loop of LoopsOf. Of loops right in each other the loops over
/// tiles come first, in the same order; where a loop has tiles, threads divide these. The variable
/// of tiles has the next number after that of its loop.
NestNode Decided(const NestNode& nest, const std::vector<LoopDecision>& decisions);

}  // namespace exh::kernels::loops

// SPDX-License-Identifier: MIT
//
// Teams: threads of a GPU that share one iteration of the parallel loops around a kernel.
//
// A kernel has a thread for each iteration of its outermost parallel loops. Where these are few and
// much is left in each (the sum of a row, of a column, of everything), a team of threads takes one
// iteration, a point, together. And where there are few points even for teams, several blocks share
// the first reduction of each.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/fused/code/nest.h"

namespace exh::kernels::fused {

struct Team {
  std::int64_t size = 1;        ///< Threads of a team, a power of two; 1: there are no teams.
  std::int64_t points = 1;      ///< So many teams are in a block.
  std::int64_t all_points = 1;  ///< Of the kernel.
  /// Threads of one team follow one another; otherwise threads of the same number of all teams do.
  bool is_together = true;
  std::int64_t splits = 1;  ///< So many blocks share a point.

  std::int64_t threads() const { return size * points; }
  std::int64_t blocks() const { return (all_points + points - 1) / points; }
};

/// The loop and the loops right in it whose iterations a team divides as if they were one loop: all
/// parallel, or all reductions. Empty: it divides none.
std::vector<const NestNode*> DividedLoops(const NestNode& loop);

/// The team for what is in parallel loops, from the outside to the inside. Never shared among
/// blocks: `splits` is 1.
Team TeamFor(const std::vector<const NestNode*>& parallel, const NestNode& body);

/// Blocks that share a point of the team, when each has `iterations` to divide.
std::int64_t SplitsFor(const Team& team, std::int64_t iterations);

}  // namespace exh::kernels::fused

// SPDX-License-Identifier: MIT
//
// Loops that end early. A maximum that runs goes through the tiles of a row together with the sums
// that come of it. What a mask hides (kernels/ir/flow/masks.h) is -infinity: the maximum takes
// nothing of it, and its terms are 0. If a mask hides a whole tile from all that a block has, an
// iteration of the loop changes nothing. A bound of the mask says up to where tiles are seen: of
// causal attention, with queries i and keys j, the tiles with the first key not behind the last
// query.
//
//   seen: i - j >= 0     block i0 of 64 queries, tile j0 of 32 keys
//   some are seen        64 i0 + 63 - 32 j0 >= 0, so j0 <= (64 i0 + 63) / 32: there the loop ends
//   all are seen         64 i0 - 32 j0 - 31 >= 0: nobody needs to ask the mask
#pragma once

#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/memory/affine.h"

namespace exh::kernels::codegen {

struct SkippedTiles {
  int loop = -1;  ///< The node.
  /// Iteration n is run only where step * n <= most. Over the loops and blocks around.
  struct End {
    Affine most;
    std::int64_t step = 1;
  };
  std::vector<End> ends;
  /// The mask hides nothing of the tile where all of these are 0 or more. Over the loop, too.
  std::vector<Affine> whole;
  std::vector<ir::InstId> masks;  ///< The choices between a value and -infinity in the loop.
};

/// Of all loops that may.
std::vector<SkippedTiles> PlanSkippedTiles(const ir::Function& function, const Schedule& schedule,
                                           const LoopTree& tree);

}  // namespace exh::kernels::codegen

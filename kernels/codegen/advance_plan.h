// SPDX-License-Identifier: MIT
//
// Reads that begin one iteration early (the choice `advance`): before the loop for its first
// iteration, and inside of it for the next one, as soon as the value of this one has been used. The
// memory then has a whole iteration to answer, and what waits are registers.
#pragma once

#include <vector>

#include "kernels/codegen/loop_tree.h"
#include "kernels/codegen/schedule.h"

namespace exh::kernels::codegen {

struct AdvancedRead {
  ir::InstId inst;
  int loop = -1;   ///< The node of the loop that it is ahead of.
  int scope = -1;  ///< The innermost node around it and all of its readers …
  int child = -1;  ///< … the child of that around the read …
  int after = -1;  ///< … and the last child around a reader: the next read begins behind it.
  /// Unrolled dims around it that are not its own: their copies share one value.
  std::vector<int> shared;
};

/// The innermost loop of several iterations around a node, or -1.
int LoopAround(const LoopTree& tree, int node);

/// The reads that really are ahead: without a loop around a read there is nothing to be ahead of.
/// `readers`: by instruction, those that read its value; `keys`: by instruction, the classes that
/// number its registers.
std::vector<AdvancedRead> PlanAdvance(const ir::Function& function, const Schedule& schedule,
                                      const LoopTree& tree,
                                      const std::vector<std::vector<ir::InstId>>& readers,
                                      const std::vector<std::vector<int>>& keys);

}  // namespace exh::kernels::codegen

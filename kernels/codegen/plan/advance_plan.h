// SPDX-License-Identifier: MIT
//
// Reads that begin one iteration early, software prefetching into registers (the choice `advance`).
// The first read stands before the loop; inside of it, as soon as the value of this iteration has
// been used, the read for the next one begins. The memory then has a whole iteration to answer, at
// the price of registers that hold the value meanwhile.
#pragma once

#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/loops/schedule.h"

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

/// The reads that `advance` applies to: those with a loop around them.
/// `readers`: by instruction, those that read its value; `keys`: by instruction, the classes that
/// number its registers.
std::vector<AdvancedRead> PlanAdvance(const ir::Function& function, const Schedule& schedule,
                                      const LoopTree& tree,
                                      const std::vector<std::vector<ir::InstId>>& readers,
                                      const std::vector<std::vector<int>>& keys);

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
//
// Synchronisation of the threads of a block: where barriers stand, and which threads skip a band.
//
// A *band* is a Threads node with THREAD classes of its own. Everything outside of bands is run by
// all threads alike, so a barrier is legal there, and only there. Barriers stand where a dependence
// through a temporary needs one: before a read of what was written since the last barrier, and
// before a write of what was read or written since. Loops are gone through again until the state at
// the end of an iteration is the one that the next iteration was assumed to start with. Each
// iteration of a loop that rings turn in begins with a barrier (ring_plan.h), and their temporaries
// need no others in it.
#pragma once

#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/memory/ring_plan.h"
#include "kernels/codegen/plan/split_plan.h"
#include "kernels/codegen/plan/value_plan.h"

namespace exh::kernels::codegen {

struct ThreadPlan {
  /// By node, for bands and for instructions outside of them: the threads of the block meet first.
  /// For loops that rings turn in: before the first iterations are filled.
  std::vector<bool> barrier_before;
  /// By node, for bands: only these threads run it. Empty when all must, because something outside
  /// of the band reads their registers.
  std::vector<ThreadGuard> band;
  /// By instruction, for stores: what keeps redundant threads from repeating one, beyond what the
  /// band's guard does.
  std::vector<ThreadGuard> store;
};

/// Of the nodes that the part runs.
ThreadPlan PlanThreads(const ir::Function& function, const LoopTree& tree, const ValuePlan& values,
                       const RingPlan& rings, const Part& part);

}  // namespace exh::kernels::codegen

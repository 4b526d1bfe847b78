// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/codegen/loops/loop_tree.h"

namespace exh::kernels::codegen {

/// Adds to a tree of loops what happens where reductions end, in a thread, in a block and among
/// blocks: kLanes, kRound, kCombine, kCorrect, kSettle, kHandOver, kLastBlock, kExchange. What
/// comes back says why that has no meaning; empty: it has.
std::string AddEndings(const ir::Function& function, const Schedule& schedule, LoopTree& tree);

}  // namespace exh::kernels::codegen

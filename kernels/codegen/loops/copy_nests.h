// SPDX-License-Identifier: MIT
//
// Copies into a temporary: all reads before all stores, so that as many reads are under way as
// there are registers for them.
#pragma once

#include "kernels/codegen/loops/loop_tree.h"

namespace exh::kernels::codegen {

/// Where an argument is copied into a temporary by both sides' own tiles
/// (kernels/spaces/copies.exh), and unrolled copies of read and store are one nest with nothing
/// else in it, there are two nests then: the reads, and behind them the stores. A class is around
/// both.
void SplitCopyNests(const ir::Function& function, const Schedule& schedule, LoopTree& tree);

}  // namespace exh::kernels::codegen

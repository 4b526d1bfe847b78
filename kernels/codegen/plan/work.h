// SPDX-License-Identifier: MIT
//
// How much one thread has to do, as a rough count: enough to tell a kernel that may take for ever
// from one that will not. Nothing is pruned by it; that takes a bound (models/).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/plan/value_plan.h"
#include "kernels/launch.h"

namespace exh::kernels::codegen {

/// By node: instructions that one thread runs in one execution of it, loops and unrolled copies
/// multiplied out.
std::vector<double> StepsOfNodes(const LoopTree& tree);

/// Estimate of the run time on a large GPU, in nanoseconds, from the length of one thread and the
/// throughput of all multiprocessors. It may be several times too long or too short.
double RoughTimeNs(const LoopTree& tree, const Launch& launch);

/// The same on a processor whose `threads` threads share the blocks: instructions, of which a
/// vector operation is one, at the rate of a good core. Too long where the compiler removes some,
/// too short where memory is the limit.
double RoughTimeNs(const LoopTree& tree, std::uint32_t threads);

/// Registers of 32 bits that the source needs at once: the largest number, over all loops, of
/// values that are declared outside of the loop and read or written in it. (A compiler could read
/// memory again instead; none was seen to.)
std::uint64_t LeastRegisters(const ir::Function& function, const LoopTree& tree,
                             const ValuePlan& values);

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
//
// How much one thread has to do, as a rough count: enough to tell a kernel that may take for ever
// from one that will not. Nothing is pruned by it; that takes a bound (models/).
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/codegen/launch.h"
#include "kernels/codegen/loop_tree.h"
#include "kernels/codegen/value_plan.h"

namespace exh::kernels::codegen {

/// By node: instructions that one thread runs in one execution of it, loops and unrolled copies
/// multiplied out.
std::vector<double> StepsOfNodes(const LoopTree& tree);

/// About how long the kernel runs on a large GPU, in nanoseconds: what a thread does one after the
/// other, and what the blocks of all multiprocessors get done together. Off by factors, either way.
double RoughTimeNs(const LoopTree& tree, const Launch& launch);

/// The same on a processor, of which `threads` share the blocks: its instructions, a vector being
/// one, at the rate of a good core. Compilers leave out some of them, and memory may take longer.
double RoughTimeNs(const LoopTree& tree, std::uint32_t threads);

/// Registers that the text asks for at once: the values that live through a loop because something
/// in it reads or writes them and they are declared outside, of the loop that has the most. (A
/// compiler may still read memory again instead; none was seen to.)
std::uint64_t LeastRegisters(const ir::Function& function, const LoopTree& tree,
                             const ValuePlan& values);

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
//
// How the threads of a block that have slices of one reduction make one value of them.
//
// A slice is an index along the hardware axes of the reduction's THREAD dimensions. Where an axis
// is a range of bits of the linear thread index, its bits below a warp are combined by shuffles, in
// log2 steps: each thread adds what the one has whose index differs in one bit. What is left of the
// axes goes through shared memory: one thread of each group that has shuffled writes its value, all
// threads meet, and each of them combines those of its slices. All orders are fixed, so a program
// always computes the same bits.
//
// Afterwards every thread along the axes has the value, those beyond the axes of the layout too.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/plan/value_plan.h"
#include "kernels/ir/function.h"

namespace exh::kernels::codegen {

/// Part of the linear thread index: thread / stride % size.
struct ThreadDigit {
  std::uint32_t stride = 1, size = 1;
};

/// Of one kCombine node.
struct Combine {
  ir::InstId reduction;
  ir::Op op = ir::Op::kAdd;             ///< What makes one value of two.
  std::vector<std::uint32_t> shuffles;  ///< Bits of the thread index, one step each.
  /// What is combined through shared memory; empty: nothing is.
  std::vector<ThreadDigit> shared;
  /// Digits of the slot that a thread's value has in shared memory, fastest first: those of
  /// `shared` and those of the reduction's other axes.
  std::vector<ThreadDigit> slots;
  /// These threads write their slot, where all of these digits are 0 …
  std::vector<ThreadDigit> silent;
  std::uint32_t below = 0;      ///< … and with an index below this.
  std::uint32_t num_slots = 0;  ///< For each register of the reduction.
  std::uint32_t at_once = 1;    ///< Registers that go through shared memory at a time.
  std::uint64_t shared_bytes = 0;
};

struct CombinePlan {
  std::vector<Combine> combines;
  std::vector<int> of_node;  ///< By node: which of them; -1: none.
};

/// What combines two partial results of a reduction: kAdd for kMad, else its own operator.
ir::Op CombinedBy(ir::Op op);

CombinePlan PlanCombines(const ir::Function& function, const LoopTree& tree,
                         const ValuePlan& values);

}  // namespace exh::kernels::codegen

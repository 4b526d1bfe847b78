// SPDX-License-Identifier: MIT
//
// How the threads of a block that have slices of one reduction make one value of them.
//
// A slice is an index along the hardware axes of the reduction's THREAD dimensions. Where an axis
// is a range of bits of the linear thread index, its bits below a warp are combined by shuffles, if
// there are any, bit by bit, between two threads whose index differs in that bit:
//
// * While a thread owns an even number of registers, each of the two keeps every other one, gives
//   the rest away, and adds to what it keeps what the other one gives. So R registers take R / 2
//   shuffles for the first bit, R / 4 for the next, and so on, where R for each bit made all
//   threads compute the same.
// * When the number is odd, each adds all that the other one has: both have the same values then.
//
// Invariant: let the thread's bits that have halved so far, the first one lowest, be the number p
// of h bits. The thread owns R / 2^h registers; the i-th is number i * 2^h + p of the reduction,
// and is held where the thread's own number i * 2^h was. It is the sum over all threads whose other
// bits are the same. A further bit b keeps of each pair i = 2 j and 2 j + 1 the one with i = 2 j +
// b: number j * 2^(h + 1) + (b * 2^h + p), held where number j * 2^(h + 1) was. (Neighbours own
// neighbours, so what a warp writes for other blocks lies together. Halves that are runs of
// registers would be apart.)
//
// What is left of the axes goes through shared memory, of owned registers only: one thread of those
// that have the same values writes them, all threads meet, and each of them combines those of its
// slices. Last, threads give each other what they own, the halvings backwards: every thread along
// the axes has all registers, those beyond the axes of the layout too. What is handed over to other
// blocks (split_plan.h) is left where it is. All orders are fixed, so a program always computes the
// same bits.
//
// The lanes that share a fragment (kernels/ir/fragments.h) have slices of what reduces it. Such a
// node may stand among copies, and then has the registers of one copy.
//
// Of a scan a slice is a run of its steps, and a thread wants to know what all slices before its
// own have. Of the innermost axis as many as are lanes of a warp tell each other by shuffles; the
// rest goes through shared memory, in the order of the slices (print/gpu/scan.cc). No registers are
// halved: `owned` is how many rows of steps a thread has, of all of its columns.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/plan/value_plan.h"
#include "kernels/ir/function.h"

namespace exh::kernels::codegen {

struct SplitPlan;

/// Part of the linear thread index: thread / stride % size.
struct ThreadDigit {
  std::uint32_t stride = 1, size = 1;
};

/// Of one kCombine node.
struct Combine {
  ir::InstId reduction;
  int node = 0;
  ir::Op op = ir::Op::kAdd;  ///< What makes one value of two.
  /// Digits of the thread index whose bits halve the registers that a thread owns, lowest first.
  std::vector<ThreadDigit> halved;
  std::vector<ThreadDigit> shuffled;  ///< Those whose bits combine all that are owned then.
  std::uint32_t owned = 1;            ///< Registers of a thread there, after all halvings.
  /// What is combined through shared memory; empty: nothing is.
  std::vector<ThreadDigit> shared;
  /// Digits of the slot that a thread's value has in shared memory, fastest first: those of
  /// `halved`, of `shared` and of the reduction's other axes.
  std::vector<ThreadDigit> slots;
  /// These threads write their slot, where all of these digits are 0 …
  std::vector<ThreadDigit> silent;
  std::uint32_t below = 0;      ///< … and with an index below this.
  std::uint32_t num_slots = 0;  ///< For each register that a thread owns.
  std::uint32_t at_once = 1;    ///< Registers that go through shared memory at a time.
  std::uint64_t shared_bytes = 0;
  /// Of a scan that looks back: where in these what is before the block lies, of each of its
  /// values.
  std::uint64_t before_at = 0;
  bool warps_look = false;  ///< … and whole warps look back, a lane at each block, not one thread.
};

/// The bits of digits of the thread index, in order.
std::vector<std::uint32_t> BitsIn(const std::vector<ThreadDigit>& digits);

struct CombinePlan {
  std::vector<Combine> combines;
  std::vector<int> of_node;  ///< By node: which of them; -1: none.
};

/// Without `shuffles` all goes through shared memory.
CombinePlan PlanCombines(const ir::Function& function, const LoopTree& tree,
                         const ValuePlan& values, const SplitPlan& splits, bool shuffles = true);

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
//
// Rings (`stages` and `transfer`, kernels/spaces/ring.exh): temporaries with several slots, which
// are filled some iterations before they are read.
//
// A ring of S slots turns in a loop: iteration i is in slot i mod S. What fills it, the read of an
// argument and the store to the temporary, is taken out of the loop's body and runs S - 1
// iterations ahead; all else stays where it is. (The two share no values, so that loops around both
// may be run twice, once for each.) The iterations 0 … S - 2 are filled before the loop. Then, in
// iteration i,
//
//   wait       for the asynchronous copies of iteration i
//   barrier    all threads have done so, and nobody reads slot (i - 1) mod S any more
//   fill       asynchronous copies of iteration i + S - 1 begin, into that slot; what goes through
//              registers is read
//   compute    on slot i mod S
//   store      what was read, into slot (i + S - 1) mod S
//
// Copies are waited for in groups, one for each iteration, and a group may be empty. The
// interpreter and the cpu run the program as `order` says it, without all this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/memory/memory_plan.h"

namespace exh::kernels::codegen {

/// A temporary array with several slots.
struct RingBlock {
  ir::MemId block;
  ir::InstId read, store;  ///< Of the argument, and to the array.
  bool is_async = false;
  std::uint32_t stages = 2;
};

/// The rings that turn in one loop.
struct Ring {
  int loop = -1;                       ///< A node.
  std::vector<RingBlock> blocks;       ///< Those with the most slots first.
  std::vector<std::uint32_t> lengths;  ///< Numbers of slots that they have, largest first.
  /// Groups of copies that may still be under way when an iteration begins; -1: none are made.
  int under_way = -1;
  /// Iterations that a slot is kept for longer, because what takes it goes on in the next one
  /// (GroupProduct::lag): slot (i - 1 - lag) mod S is filled in iteration i.
  std::uint32_t lag = 0;

  /// Is it filled where these instructions are run (by number)?
  bool IsFilled(const std::vector<bool>& insts) const;
};

struct RingPlan {
  std::vector<Ring> rings;
  std::vector<int> of_node;   ///< By node: the ring that turns in this loop; -1: none.
  std::vector<int> of_inst;   ///< By instruction: the ring that it fills; -1: none.
  std::vector<int> of_block;  ///< By temporary: its ring; -1: it has one slot.
  std::string error;          ///< Why a ring cannot turn; empty if all can.

  /// Of an instruction that fills a ring.
  const RingBlock& BlockOf(const ir::Instruction& inst) const;
};

RingPlan PlanRings(const ir::Function& function, const Schedule& schedule, const LoopTree& tree,
                   const MemoryPlan& memory);

}  // namespace exh::kernels::codegen

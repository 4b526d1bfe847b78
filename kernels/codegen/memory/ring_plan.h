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
//
// Bulk copies (bulk_copy.h) are waited for by what lies in shared memory beside each slot, a
// *barrier* (mbarrier): it is full when all bytes of the slot have arrived. One thread asks for
// them. With `roles` PRODUCER that is one of four warps more. Each slot has a second barrier then:
// it is empty when all warps that read it have said so, and nobody else meets.
//
// In a cluster (`cluster`) a producer's copies land in all blocks of it, which have the same slots
// at the same places. So a slot is empty when the warps of all blocks have said so, to the
// producers of all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/memory/bulk_copy.h"
#include "kernels/codegen/memory/memory_plan.h"

namespace exh::kernels::codegen {

/// Bytes of a barrier in shared memory (mbarrier).
inline constexpr std::uint64_t kMbarrierBytes = 8;

/// A temporary array with several slots.
struct RingBlock {
  ir::MemId block;
  ir::InstId read, store;  ///< Of the argument, and to the array.
  bool is_async = false;   ///< By copies of any kind.
  std::uint32_t stages = 2;
  std::optional<BulkCopy> bulk = {};  ///< Of TMA.
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

  /// Is it filled by bulk copies? Then all of its blocks are, with as many slots.
  bool is_bulk() const { return blocks.front().bulk.has_value(); }
  std::uint32_t bulk_bytes() const;  ///< Of an iteration.

  /// Is it filled where these instructions are run (by number)?
  bool IsFilled(const std::vector<bool>& insts) const;
};

struct RingPlan {
  std::vector<Ring> rings;
  std::vector<int> of_node;    ///< By node: the ring that turns in this loop; -1: none.
  std::vector<int> of_inst;    ///< By instruction: the ring that it fills; -1: none.
  std::vector<int> of_block;   ///< By temporary: its ring; -1: it has one slot.
  std::string error;           ///< Why a ring cannot turn; empty if all can.
  bool has_producers = false;  ///< PRODUCER: four warps beside those that compute.
  bool is_persistent = false;  ///< Blocks go on with other tiles.
  BlockCluster cluster;        ///< Of blocks that share bulk copies.
  /// Bytes of shared memory for barriers of bulk copies: those of a ring after those of another.
  std::uint64_t barrier_bytes = 0;

  /// Threads that are launched beside those that compute.
  std::uint32_t more_threads() const;
  /// The ring that producers fill.
  const Ring& ring_of_producers() const { return rings.front(); }
  /// Of an instruction that fills a ring.
  const RingBlock& BlockOf(const ir::Instruction& inst) const;
};

RingPlan PlanRings(const ir::Function& function, const Schedule& schedule, const LoopTree& tree,
                   const MemoryPlan& memory);

}  // namespace exh::kernels::codegen

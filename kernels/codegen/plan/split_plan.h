// SPDX-License-Identifier: MIT
//
// Reductions that blocks divide among them (`across_blocks`, kernels/spaces/across.exh): where the
// partial results lie, and which kernel runs what.
//
// With ATOMIC the store of the result is an atomic operation on an array that a kernel before
// filled with the identity. With LAST_BLOCK and SECOND_LAUNCH each block writes what it has to the
// workspace: `tile` numbers the points of the loops and blocks around that do not divide the
// reduction, `split` the blocks that do, `slot` the threads that have different values and
// `register` the copies in each of them. The element is at
//
//   ((tile * splits + split) * num_registers + register) * num_slots + slot
//
// and whoever makes one value of all takes them in the order of `split`. Threads that have the same
// value, because they had slices of it, share the splits among them, and combine what each has as
// they combine slices. (Where each of them owns some of the registers, combine_plan.h, each writes
// and reads those, and only the threads that own the same ones share the splits.)
//
// With LOOK_BACK, of a scan, nobody makes one value of all: a block wants what is before it (D.
// Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016). Each
// value has a status in the workspace, at the same place as a partial result,
//
//   ((tile * splits + split) * num_registers + register) * num_slots + slot
//
// in which its block says twice what it has: first the part, what its own steps make; then the
// whole, what all steps until its end make. It is known when a whole was found on the way back, of
// which the parts up to here are left to add. The first block has no part, only a whole. A word of
// a status has 32 bits of the value, and a tag: which launch it is of, and which of the two. What
// words with one tag say is one value, so nothing needs to be ordered by fences.
//
//   split     0      1      2      3      4 looks back: part of 3, part of 2, whole of 1
//   says    whole  whole   part   part
//
// Invariant: each block waits for blocks of smaller numbers alone. Numbers are drawn when a block
// begins, so all of these have begun, and the first one of them waits for nobody. The number that
// counts blocks goes on from launch to launch: divided by the blocks of a launch it is which launch
// it is, so that what an earlier one left in a status is of no worth and nobody needs to clear it.
//
// What comes after a reduction of SECOND_LAUNCH may have its part of the axis in the same blocks:
// the second launch has these, too, each takes all partial results, and goes on with its part.
//
// What comes of a maximum that runs (running.exh) is divided with it: each block has a maximum of
// its own, and sums that go with that. Whoever makes one maximum m of all multiplies what block b
// has of a sum by exp(m_b - m) before it adds that.
//
// With CLUSTER the blocks that divide the reduction are a cluster, and each writes what it has to
// the memory that each of the others shares among its threads. The element is at
//
//   (split * num_registers + register) * num_slots + slot
//
// there. Threads that have the same value share the blocks that they write to. Where all of them
// have written, each thread takes what all blocks have, in the order of `split`: so all blocks have
// the same bits. No block may write before the others have begun, nor end before all have written
// to it: the threads of a cluster meet before the first of these, and behind each. Each reduction
// has a place of its own, and is exchanged once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/plan/combine_plan.h"
#include "kernels/codegen/plan/value_plan.h"
#include "kernels/ir/function.h"

namespace exh::kernels::codegen {

/// The first bytes of the workspace that LOOK_BACK takes: how many blocks have begun, ever.
inline constexpr std::uint64_t kTurnBytes = 16;

/// A reduction that is divided.
struct SplitReduction {
  ir::InstId id;
  AcrossBlocks way = AcrossBlocks::NOT_ACROSS;
  ir::InstId store;                ///< ATOMIC: what adds to the output.
  int group = -1;                  ///< Otherwise: of those that meet.
  std::vector<int> split_classes;  ///< Outermost first.
  /// Classes of blocks and loops whose points have values of their own, outermost first.
  std::vector<int> tile_classes;
  std::uint64_t splits = 1, tiles = 1;
  std::vector<ThreadDigit> slots;  ///< Digits of the slot, fastest first.
  std::uint32_t num_slots = 1, num_registers = 1;
  /// These threads write, where all of these digits are 0 …
  std::vector<ThreadDigit> silent;
  std::uint32_t below = 0;  ///< … and with an index below this; 0: any.
  /// Digits along which threads have the same value, fastest first: they share the splits.
  std::vector<ThreadDigit> sharers;
  /// In bytes: in the workspace; of a cluster, in what its blocks leave for each other.
  std::uint64_t offset = 0;
  std::uint32_t status_words = 1;  ///< LOOK_BACK: words of 8 bytes of a status.

  /// Of its partial results in the workspace, or statuses; none where it is_atomic(), or
  /// is_of_cluster().
  std::uint64_t elements() const {
    return is_atomic() || is_of_cluster() ? 0 : tiles * splits * values();
  }
  /// Of a block, in each tile.
  std::uint64_t values() const { return std::uint64_t{num_registers} * num_slots; }
  bool looks_back() const { return way == AcrossBlocks::LOOK_BACK; }
  bool is_atomic() const {
    return way != AcrossBlocks::LAST_BLOCK && way != AcrossBlocks::SECOND_LAUNCH && !looks_back() &&
           !is_of_cluster();
  }
  bool is_of_cluster() const { return way == AcrossBlocks::CLUSTER; }
};

/// Those that meet, all LAST_BLOCK or all SECOND_LAUNCH: one block, or launch, has all of them.
struct SplitGroup {
  AcrossBlocks way = AcrossBlocks::LAST_BLOCK;
  std::vector<std::size_t> reductions;
  std::vector<int> split_classes, tile_classes;  ///< BLOCK classes, outermost first.
  std::uint64_t splits = 1, tiles = 1;
  std::uint64_t ticket_offset = 0;  ///< LAST_BLOCK: 4 bytes for each tile, in the workspace.
  /// LAST_BLOCK: all that happens behind the node is of use to the last block only.
  bool ends_the_others = false;
};

/// What one kernel of a program runs.
struct Part {
  int finishes = -1;         ///< The group whose values it makes; -1: exh_kernel.
  std::vector<int> blocks;   ///< Its BLOCK classes, outermost first. Others have index 0.
  std::vector<bool> insts;   ///< By instruction: it executes it.
  std::vector<bool> values;  ///< By instruction: it declares its registers.
  std::vector<bool> nodes;   ///< By node of the loop tree: there is something to do in it.
};

struct SplitPlan {
  std::vector<SplitReduction> reductions;
  std::vector<SplitGroup> groups;
  std::vector<int> of_inst;   ///< By instruction: which of `reductions` it is; -1: none.
  std::vector<int> of_store;  ///< By instruction: of which it is the atomic store; -1: none.
  /// By instruction, for stores: the group of LAST_BLOCK whose last block alone runs it; -1: all
  /// do.
  std::vector<int> last_of;
  /// By instruction, for stores: the classes of blocks of a cluster, or of a second launch, all of
  /// which have what it stores, so that the first of them does.
  std::vector<std::vector<int>> first_of;
  int cluster_class = -1;           ///< Of the blocks of a cluster; -1: there are no clusters.
  std::uint64_t cluster_bytes = 0;  ///< Of shared memory: what the blocks of a cluster leave there.
  std::uint64_t workspace_bytes = 0, ticket_bytes = 0;  ///< Multiples of 16.
  std::uint64_t turn_offset = 0;  ///< LOOK_BACK: of kTurnBytes, in the workspace.
  /// exh_kernel, then one for each group of SECOND_LAUNCH.
  std::vector<Part> parts;

  bool empty() const { return reductions.empty(); }
  /// Do blocks draw their numbers?
  bool draws_numbers() const {
    return std::ranges::any_of(reductions, &SplitReduction::looks_back);
  }
};

SplitPlan PlanSplits(const ir::Function& function, const Schedule& schedule, const LoopTree& tree,
                     const ValuePlan& values);

/// How blocks divide the reductions, each way once: "ATOMIC_RED+LAST_BLOCK". Empty: they divide
/// none.
std::string WaysInWords(const SplitPlan& plan);

/// May runs with the same inputs differ in the bits of their results? Atomic operations come in any
/// order, and blocks that look back find any of two things; all else has one order.
bool BitsMayVary(const ir::Function& function, const SplitPlan& plan);

}  // namespace exh::kernels::codegen

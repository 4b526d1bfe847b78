// SPDX-License-Identifier: MIT
//
// CandidateView: what the domains of a candidate leave of an inventory: of each nest the work, of
// the kernel the number of blocks. All terms of the bound look at a candidate through one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "models/inventory/domains.h"
#include "models/inventory/inventory.h"
#include "models/inventory/nests.h"

namespace exh::models {

/// Allocates nothing. Some kilobytes: made on the stack, for the time that terms are counted.
class WorkView {
 public:
  /// Both outlive the view. `domains` are those of a candidate of the inventory's function.
  WorkView(const Inventory& inventory, const Domains& domains);

  const Inventory& inventory() const { return inventory_; }
  const DeviceRates& rates() const { return inventory_.rates; }
  const Domains& domains() const { return domains_; }
  /// Is it certain that the nest takes part? Only then its work is known.
  bool TakesPart(const Nest& nest) const {
    return !nest.planned || domains_.insts[nest.inst.index()].presence == Presence::kCertain;
  }
  const Work& work(std::size_t nest) const { return works_[nest]; }
  /// Does each block have its share of the nest? Where a reduction may be divided, that is known of
  /// what its steps need and of nothing else: the rest may be left to a few blocks, or to another
  /// launch.
  bool IsInAllBlocks(const Nest& nest) const { return nest.in_all_blocks || !may_divide_; }
  /// Values that the parts of the reduction yield, at least; 0 where it may be whole.
  double PartialResults(const Division& division) const;
  double min_blocks() const { return min_blocks_; }
  double max_blocks() const { return max_blocks_; }  ///< May be infinite.
  /// The number of blocks divides it, where no axis is uneven; 0: it is not known.
  double blocks_divide() const { return blocks_divide_; }
  /// The least share of the kernel's work that some unit has.
  double share() const { return share_; }

  /// Least that the busiest unit has of what is `each` for each of `points` of the kernel, and for
  /// each of a block's executions of the nest. One unit has the first block.
  double OfUnit(double points, const Work& work, double each) const {
    return std::max(
        {points * each * share_, work.block * each, work.any_block * each * blocks_of_unit_});
  }
  /// Least executions of the thread that has most of them.
  double OfThread(const Work& work) const {
    return std::max(work.thread, work.points / (max_blocks_ * work.max_threads));
  }
  /// How many elements of the operand the blocks need, each of them by itself: the fewer points of
  /// the other axes a block has, the more often the kernel reads the same element.
  double Demand(const OperandRead& read) const;
  /// Is the operand surely written by threads and read back behind a barrier? Then no compiler
  /// forwards it in registers.
  bool IsFenced(const OperandRead& read) const;
  /// Most elements that one access of an argument takes. Compilers do not merge accesses whose
  /// alignment they cannot know.
  double WidthOf(const Nest& nest) const;

 private:
  const Inventory& inventory_;
  const Domains& domains_;
  bool may_divide_ = false;  ///< Blocks may divide some reduction among them.
  double min_blocks_ = 1, max_blocks_ = 1;
  double share_ = 0;
  double blocks_divide_ = 0;
  double blocks_of_unit_ = 1;          ///< That the busiest unit has, at least.
  std::array<Work, kMaxNests> works_;  ///< Those of the nests that take part are filled.
};

}  // namespace exh::models

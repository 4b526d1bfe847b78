// SPDX-License-Identifier: MIT
//
// Nests: the loops of an instruction, and what the domains of a candidate leave of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/ir/function.h"
#include "models/inventory/domains.h"

namespace exh::models {

inline constexpr std::size_t kMaxAxes = 8;  ///< Of a nest.

/// An axis of an instruction's nest.
struct NestAxis {
  kernels::ir::LogicalDimId id;
  double total = 1;     ///< Points.
  double extent = 1;    ///< Iterations: more, where the axis is covered. Those may do nothing.
  bool varies = false;  ///< No point of it repeats what another one does.
  bool is_sum = false;  ///< Each point of it needs the result of the one before, in a lane.
  std::vector<kernels::ir::DimId> dims;
  /// Points, at most, at which nothing may be done: a load is outside of its array. 0 where it does
  /// not vary.
  double lost = 0;
  /// Loops may leave out what a mask hides (kernels/ir/flow/masks.h): some blocks have all of the
  /// axis, and others next to nothing.
  bool is_masked = false;

  bool covers() const { return extent > total; }
  /// May some iterations do less than others?
  bool is_uneven() const { return covers() || lost > 0 || is_masked; }
  double points() const { return total - lost; }
  /// Of the `count` iterations that levels make at index 0 of all others: those that are points,
  /// at least. (Nowhere are there more iterations of a covered axis, so that it is the average of
  /// the other levels' iterations at least.)
  double AtFirst(double count) const {
    if (is_masked) return 0;
    return std::max(0.0, (covers() ? count * (total / extent) : count) - lost);
  }
  /// … wherever the others are.
  double Anywhere(double count) const {
    return is_masked ? 0 : std::max(0.0, count - (extent - total) - lost);
  }
};

struct Nest {
  kernels::ir::InstId inst;
  bool planned = false, once = false;
  /// Every block takes part in it, however many divide a reduction: it is one, or what its steps
  /// need. All else happens once, in whichever block, or in another launch.
  bool in_all_blocks = false;
  double element_bytes = 4;  ///< Of an access: what it reads or writes.
  double points = 1;         ///< Executions that no compiler can save, of the whole kernel.
  std::vector<NestAxis> axes;
  double most_splits = 1;  ///< Of a reduction: parts that blocks may divide it into.
  /// Of what happens once: axes of the reductions before it that blocks may divide. These blocks
  /// are around it, too.
  std::vector<NestAxis> divided;
  /// That of the unit whose fragments its dims may be parts of; else that of no unit.
  kernels::ir::UnitShape unit;
  bool is_product = false;  ///< Such a unit may do it. Other sums have slices in its lanes.

  bool is_uneven() const { return std::ranges::any_of(axes, &NestAxis::is_uneven); }
};

/// The levels of an axis: those that may be of some kinds, and the others. All of them multiply to
/// the axis's extent.
struct Levels {
  double may_max = 1;                   ///< Product over those that may be of the kinds.
  bool may_is_fixed = true;             ///< That product is known: it is `may_max`.
  double sure_min = 1;                  ///< … over those that must be.
  double never_min = 1, never_gcd = 1;  ///< … over those that cannot be.
  double unsure_max = 1;                ///< … over those that may be of other kinds.

  void Add(const DimDomain& dim, DimKindDomain kinds) {
    if (dim.may_be(kinds)) {
      may_max *= dim.max;
      may_is_fixed &= dim.min == dim.max;
      if (dim.must_be(kinds)) {
        sure_min *= dim.min;
        return;
      }
    } else {
      never_min *= dim.min;
      never_gcd *= dim.gcd;
    }
    unsure_max *= dim.max;
  }
  /// Least and largest product of the levels that will not be of the kinds.
  double OthersMin(double extent) const { return std::max(never_min, extent / may_max); }
  double OthersMax(double extent) const { return std::min(unsure_max, extent / sure_min); }
  /// What the product of those that will be divides.
  double Multiple(double extent) const { return may_is_fixed ? may_max : extent / never_gcd; }
};

/// What the domains leave of a nest.
struct Work {
  /// Least executions of the kernel, of its first block, and of the first thread of that. (No block
  /// and no thread has more, where axes are covered; where loads are outside, the first may be.)
  double points = 0, block = 0, thread = 0;
  double any_block = 0;                     ///< … of any block.
  double waste = 1;                         ///< Lanes that warps take for each that works.
  double min_threads = 1, max_threads = 1;  ///< Of a block, that the nest's own dims make.
  double max_blocks = 1, blocks_divide = 1, min_blocks = 1;
  /// Where a matrix unit may do it, or its dims may be parts of fragments, a warp counts as a
  /// thread: these lanes share what it has, and an instruction does so many points for each of
  /// them.
  double lanes_of_thread = 1, at_once = 1;
  bool is_of_unit = false;  ///< A matrix unit does it for certain.
  double splits = 1;        ///< Parts into which blocks divide a sum, at most.
  double steps = 1;         ///< Least steps of a sum that a lane takes one after the other.
  double serial_min[kMaxAxes], serial_max[kMaxAxes];  ///< By axis: iterations of one thread.
  double block_max[kMaxAxes];                         ///< … of a block, at most.
};

/// `lanes`: threads of a warp; `max_threads`: of a block.
void FillWork(const Nest& nest, const Domains& domains, double lanes, double max_threads,
              Work& work);

/// The points of a nest as one thread takes them: in rounds, the iterations of its loops and the
/// steps of its sums, each of some copies that unrolling or lanes made. (Of a sum those are copies
/// only where it has lanes.) Only axes that vary count.
struct Rounds {
  double least = 1;         ///< Rounds of the first block's first thread, one after the other …
  double anywhere = 1;      ///< … of any thread.
  double most_copies = 1;   ///< Points of a round.
  double most_threads = 1;  ///< Of a block, with points of their own.
  /// Steps of a sum that an instruction takes at once, at most; and points that one copy in the
  /// text has, beside elements of an access.
  double steps_at_once = 1, points_of_copy = 1;
};
/// `max_threads`: of a block.
Rounds RoundsOf(const Nest& nest, const Domains& domains, double max_threads);

/// Registers of a thread that hold sums of `inst` while a loop adds to them, at least; 0 when that
/// may not be.
double Accumulators(const kernels::ir::Instruction& inst, const Domains& domains);

/// Share of the rounds of a read that wait, at least, when its value may fill a ring: those of a
/// ring of S slots wait together with S - 1 later ones, and asynchronous copies, which write no
/// registers, with all that an iteration copies.
double ShareThatWaits(const kernels::ir::Function& function, const Domains& domains,
                      kernels::ir::MemId ring);

/// Elements that a temporary array has for each block in each slot, at least. It takes part for
/// certain.
double StoredElements(const kernels::ir::Function& function, const Domains& domains,
                      kernels::ir::MemId block);

}  // namespace exh::models

// SPDX-License-Identifier: MIT
//
// Outermost levels hold blocks and loops, the innermost level what a thread (or a core) has in
// registers, the level before it the threads of a GPU. All other levels are absent.
#include "kernels/recipes/general/tile_recipe.h"

#include <algorithm>

#include "kernels/recipes/general/sizes.h"
#include "kernels/recipes/recipe_writer.h"

namespace exh::kernels {
namespace {

class TileWriter : RecipeWriter {
 public:
  explicit TileWriter(const AxisPlan& plan)
      : RecipeWriter(plan.function()), plan_(plan), shape_(plan.shape()) {}

  Recipe Write() {
    BeginPlainly();
    for (const Instruction* main : plan_.mains()) {
      for (const LogicalDim* axis : ir::AxesOf(f_, *main)) Sizes(*axis);
    }
    NoOtherLevels();
    // Of the nest of an instruction that runs once: what the others have to follow.
    for (const Instruction* main : plan_.mains()) {
      for (const Dimension& dim : f_.own_dims(*main)) KindOf(dim);
    }
    for (const Dimension& dim : f_.dims) {
      if (!dim.planned) KindOf(dim);
    }
    for (const Instruction* main : plan_.mains()) {
      if (main->is_reduction()) Across(*main);
    }
    for (const Communication& comm : f_.comms) {
      if (!comm.planned) Travel(comm);
    }
    for (const Instruction* main : plan_.mains()) NestLoops(*main);
    return Finish(shape_.name, plan_.has_threads() && shape_.tiled);
  }

 private:
  const Spread& SpreadOf(const LogicalDim& axis) const { return plan_[axis].spread; }

  /// Threads with neighbours each, or vectors, as many as there are. What is naive otherwise has to
  /// have them here, too, but not how many.
  void SizesOfKept(const LogicalDim& axis) {
    if (!shape_.tiled) return;
    const Dimension& last = Innermost(axis);
    if (const int level = plan_.ThreadLevel(axis); level > 0) {
      const auto fits = [&](std::uint32_t copies) {
        const std::uint32_t threads = axis.extent / copies;
        return axis.extent % copies == 0 && threads <= kSlices && Has(axis, level, threads);
      };
      const std::uint32_t copies = Nearest(last.sizes, kLeastCopies, fits);
      Size(last, copies);
      Size(Level(axis, level), fits(copies) ? axis.extent / copies : 0);
    } else {
      Size(last, shape_.columns);
    }
    Size(Level(axis, 0), 1);
  }

  void Sizes(const LogicalDim& axis) {
    const AxisUse& use = plan_[axis];
    if (use.is_kept && axis.dims.size() > 1) return SizesOfKept(axis);
    SizesOfSpread(axis);
    if (const int level = plan_.RegisterLevel(axis); level > 0) {
      if (use.is_serial) Size(Level(axis, level), 1);
      if (use.is_beside_lanes) Size(Level(axis, level), plan_.SizeBesideLanes(axis));
      Size(Level(axis, level), use.role == Role::kColumn ? shape_.columns : shape_.rows);
    }
    if (const int level = plan_.ThreadLevel(axis); level > 0 && use.spread.slices == 1) {
      Size(Level(axis, level), use.is_alone ? shape_.all_threads : shape_.threads);
    }
    for (int level = 1; level <= Last(axis); ++level) Size(Level(axis, level), 1);
  }
  void SizesOfSpread(const LogicalDim& axis) {
    const Spread& spread = SpreadOf(axis);
    if (spread.slices > 1) {
      Size(Level(axis, plan_.ThreadLevel(axis)), spread.slices);
      Size(Innermost(axis), spread.copies);
      if (spread.repeats > 1) Size(Level(axis, 1), spread.repeats);
      return;
    }
    if (spread.lanes > 1) {
      Size(Innermost(axis), spread.lanes);
      if (spread.copies > 1) Size(Level(axis, Last(axis) - 1), spread.copies);
    }
    if (spread.parts > 1) {
      Size(Level(axis, 0), spread.parts);
      if (!spread.steps.empty()) Size(Level(axis, plan_.LoopLevel(axis)), spread.steps);
    }
  }

  void KindOf(const Dimension& dim) {
    const LogicalDim& axis = AxisOf(dim);
    const AxisUse& use = plan_[axis];
    if (use.is_kept && !shape_.tiled) return;
    if (dim.level == 0) {
      // A GPU has many blocks; the cores of a cpu take those of the first axis.
      const bool is_of_result = use.role != Role::kOther && (plan_.has_threads() || use.is_first);
      const bool is_block =
          plan_.has_blocks() && shape_.tiled && (is_of_result || use.spread.parts > 1);
      Kind(dim, is_block ? Names{kBlock, kLoop} : Names{kLoop});
    } else if (dim.level == plan_.ThreadLevel(axis)) {
      Kind(dim, {kThread, kLoop});
    } else if (use.spread.slices > 1) {
      Kind(dim, {kUnroll, kLoop});
    } else if (use.spread.lanes > 1 && dim.level == Last(axis)) {
      Kind(dim, {kVector, kUnroll});
    } else if (use.spread.lanes > 1) {
      Kind(dim, {dim.level == plan_.LoopLevel(axis) ? kLoop : kUnroll});
    } else if (dim.level == plan_.RegisterLevel(axis)) {
      const bool is_column =
          use.role == Role::kColumn && !plan_.has_threads() && plan_.IsContiguous(axis);
      Kind(dim, is_column ? Names{kVector, kUnroll} : Names{kUnroll});
    }
  }

  /// How one value is made of what blocks have of it. Where a block has many values, one block
  /// would take long for those of all; otherwise the last block needs no second launch.
  void Across(const Instruction& reduction) {
    const auto axes = ir::AxesOf(f_, reduction);
    const bool is_divided = std::ranges::any_of(axes, [&](const LogicalDim* axis) {
      return ir::IsReduced(f_, *axis) && SpreadOf(*axis).parts > 1;
    });
    const bool is_sliced = std::ranges::any_of(
        axes, [&](const LogicalDim* axis) { return SpreadOf(*axis).slices > 1; });
    Names ways;
    if (is_divided && !is_sliced) ways = {ir::kAtomicVector, ir::kAtomicRed};
    if (is_divided) ways.insert(ways.end(), {ir::kLastBlock, ir::kSecondLaunch});
    ways.push_back(kNotAcross);
    Want(Of("across_blocks", reduction), ways);
  }

  /// Registers, within the loops of the result. What one reduction yields for another would be
  /// computed once for each of its uses: it goes through a temporary array.
  void Travel(const Communication& comm) {
    const Instruction& consumer = f_.inst(comm.consumer);
    const bool is_chain =
        comm.may_lower && f_.inst(comm.producer).is_reduction() && consumer.is_reduction();
    for (const DimPair& pair : f_.pairs_of(comm)) {
      const Dimension& dst = f_.dim(pair.dst);
      const bool is_in_registers = dst.level == plan_.RegisterLevel(AxisOf(dst));
      if (is_chain && dst.is_reduction) {
        Map(pair, {kNotMapped});
      } else if (is_chain && is_in_registers) {
        Map(pair, {kNotMapped, kUnrollMap});
      } else {
        // Loops around values of a reduction are not its own: it must be over.
        Names ways = {kMergeMap, kUnrollMap, kThreadMap};
        if (is_in_registers || IsSharedByTile(consumer, dst)) ways = {kUnrollMap, kMergeMap};
        // As a last resort through a temporary array.
        if (comm.may_lower) ways.push_back(kNotMapped);
        Map(pair, ways);
      }
    }
  }

  /// Is it the lanes of an axis, or the copies of them?
  bool IsOfLanes(const LogicalDim& axis, const Dimension& dim) const {
    return dim.level == Last(axis) || (SpreadOf(axis).copies > 1 && dim.level == Last(axis) - 1);
  }
  /// Is it in registers of lanes, which sums of a tile share? They are read before the tile.
  bool IsSharedByTile(const Instruction& consumer, const Dimension& dim) const {
    const LogicalDim& axis = AxisOf(dim);
    if (SpreadOf(axis).lanes == 1 || !IsOfLanes(axis, dim)) return false;
    return std::ranges::any_of(ir::AxesOf(f_, consumer), [&](const LogicalDim* other) {
      return plan_[*other].is_beside_lanes && plan_.RegisterLevel(*other) >= 0;
    });
  }

  /// Blocks and loops of the result, blocks of the reduction, threads, loops of the reduction,
  /// registers: in this order.
  void NestLoops(const Instruction& main) {
    Dims outer, threads, loops, registers;
    for (const Dimension& dim : f_.own_dims(main)) {
      const LogicalDim& axis = AxisOf(dim);
      if (plan_[axis].is_kept && !shape_.tiled) continue;  // Which of its levels there are is open.
      const Spread& spread = SpreadOf(axis);
      const bool is_thread = dim.level == plan_.ThreadLevel(axis);
      if (dim.is_reduction && dim.level == plan_.LoopLevel(axis)) {
        loops.push_back(&dim);
      } else if (dim.level == 0 && (!dim.is_reduction || spread.parts > 1)) {
        outer.push_back(&dim);
      } else if (is_thread && (!dim.is_reduction || spread.slices > 1)) {
        threads.push_back(&dim);
      } else if (dim.is_reduction ? spread.slices > 1 || (spread.lanes > 1 && IsOfLanes(axis, dim))
                                  : dim.level == plan_.RegisterLevel(axis)) {
        registers.push_back(&dim);
      }
    }
    Nest({outer, threads, loops, registers});
  }

  const AxisPlan& plan_;
  const TileShape& shape_;
};

}  // namespace

Recipe TileRecipe(const ir::Target& function, const TileShape& shape) {
  AxisPlan plan(function, shape);
  if (shape.tiled) SpreadReductions(plan);
  return TileWriter(plan).Write();
}

}  // namespace exh::kernels

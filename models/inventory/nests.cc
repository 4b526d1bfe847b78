// SPDX-License-Identifier: MIT
#include "models/inventory/nests.h"

#include <cmath>

namespace exh::models {
namespace ir = kernels::ir;
namespace {

Levels LevelsOf(const NestAxis& axis, const Domains& domains, DimKindDomain kinds) {
  Levels levels;
  for (const ir::DimId id : axis.dims) levels.Add(domains.dims[id.index()], kinds);
  return levels;
}

/// Steps of a sum that are taken one after the other: blocks divide it among them, threads of a
/// block have slices of it, and lanes of a thread have parts. Those of each unrolled copy are then
/// parts of their own.
struct SumSteps {
  double all = 1;
  double of_slices = 1;  ///< Beside those that threads and lanes share, at least.
  double alone = 1;      ///< … and those that blocks share: of the first block's first thread …
  double anywhere = 1;   ///< … and of any thread.
  double splits = 1;     ///< Parts of it, at most …
  double lanes = 1;      ///< … and of those of a thread, at most …
  double threads = 1;    ///< … and slices of a block.
  bool is_covered = false;  ///< Parts may be shorter than others.

  SumSteps(const Nest& nest, const Domains& domains) {
    // What is not certain to have lanes may have them.
    const bool may_have_lanes = std::ranges::any_of(nest.axes, [&](const NestAxis& axis) {
      return axis.is_sum && std::ranges::any_of(axis.dims, [&](ir::DimId id) {
               return domains.dims[id.index()].may_be(DimKind::VECTOR);
             });
    });
    const DimKindDomain in_thread =
        may_have_lanes ? DimKind::VECTOR | DimKind::UNROLL : DimKindDomain::None();
    for (const NestAxis& axis : nest.axes) {
      if (!axis.is_sum) continue;
      const auto others = [&](DimKindDomain kinds) {
        return LevelsOf(axis, domains, kinds).OthersMin(axis.extent);
      };
      const double parallel = others(DimKind::BLOCK | DimKind::THREAD | in_thread);
      all *= axis.total;
      of_slices *= axis.AtFirst(others(in_thread | DimKind::THREAD));
      alone *= axis.AtFirst(parallel);
      anywhere *= axis.Anywhere(parallel);
      splits *= axis.extent / others(DimKind::BLOCK);
      lanes *= axis.extent / others(in_thread);
      threads *= axis.extent / others(DimKind::THREAD);
      is_covered |= axis.covers();
    }
    splits = std::min(splits, nest.most_splits);
  }
  double Least(double max_threads) const {
    return std::max({alone, of_slices / splits, all / (max_threads * lanes * splits)});
  }
};

}  // namespace

namespace {

/// May dims of the nest be parts of fragments?
bool MayHaveFragments(const Nest& nest, const Domains& domains) {
  return std::ranges::any_of(nest.axes, [&](const NestAxis& axis) {
    return std::ranges::any_of(
        axis.dims, [&](ir::DimId id) { return domains.dims[id.index()].may_be(DimKind::TENSOR); });
  });
}

/// Must some be?
bool MustHaveFragments(const Nest& nest, const Domains& domains) {
  return std::ranges::any_of(nest.axes, [&](const NestAxis& axis) {
    return std::ranges::any_of(
        axis.dims, [&](ir::DimId id) { return domains.dims[id.index()].must_be(DimKind::TENSOR); });
  });
}

}  // namespace

void FillWork(const Nest& nest, const Domains& domains, double lanes, double max_threads,
              Work& work) {
  work.points = nest.points;
  work.block = work.any_block = work.thread = 1;
  work.max_blocks = work.min_blocks = work.blocks_divide = 1;
  work.min_threads = work.max_threads = 1;
  double threads_divide = 1;
  const SumSteps steps(nest, domains);
  for (std::size_t i = 0; i < nest.axes.size(); ++i) {
    const NestAxis& axis = nest.axes[i];
    const Levels block = LevelsOf(axis, domains, DimKind::BLOCK);
    const Levels thread = LevelsOf(axis, domains, DimKind::THREAD);
    const Levels parallel = LevelsOf(axis, domains, DimKind::BLOCK | DimKind::THREAD);
    const double of_thread = parallel.OthersMin(axis.extent);
    const double of_block = block.OthersMin(axis.extent);
    work.serial_min[i] = axis.AtFirst(of_thread);
    work.serial_max[i] = std::min(parallel.OthersMax(axis.extent), axis.total);
    work.block_max[i] = std::min(block.OthersMax(axis.extent), axis.total);
    if (axis.varies) {
      work.block *= axis.AtFirst(of_block);
      work.any_block *= axis.Anywhere(of_block);
      work.thread *= work.serial_min[i];
    }
    if (!axis.is_sum) work.max_blocks *= axis.extent / of_block;
    work.min_blocks *= block.sure_min;
    work.blocks_divide *= block.Multiple(axis.extent);
    work.min_threads *= axis.extent / thread.OthersMax(axis.extent);
    work.max_threads *= axis.extent / thread.OthersMin(axis.extent);
    threads_divide *= thread.Multiple(axis.extent);
  }
  for (const NestAxis& axis : nest.divided) {
    const Levels block = LevelsOf(axis, domains, DimKind::BLOCK);
    work.max_blocks *= axis.extent / block.OthersMin(axis.extent);
    work.blocks_divide *= block.Multiple(axis.extent);
  }
  const bool may_have_fragments = MayHaveFragments(nest, domains);
  const bool may_share_steps =
      may_have_fragments && std::ranges::any_of(nest.axes, &NestAxis::is_sum);
  const bool may_be_unit = may_share_steps && nest.is_product;
  work.lanes_of_thread = may_have_fragments ? nest.unit.lanes : 1;
  work.is_of_unit = may_be_unit && MustHaveFragments(nest, domains);
  work.at_once = may_be_unit ? static_cast<double>(nest.unit.multiply_adds()) / nest.unit.lanes : 1;
  if (may_be_unit && domains.insts[nest.inst.index()].may_be_of_group) {
    // All lanes of a group share what one instruction does of 64 x 256 sums.
    work.at_once *= ir::kGroupCopies;
  }
  work.splits = steps.splits;
  // A short part may have one step, and that for free (Computation::free).
  if (steps.splits > 1 && steps.is_covered) work.any_block = 0;
  work.max_blocks *= steps.splits;
  work.steps = steps.Least(max_threads);
  if (may_share_steps) work.steps = std::max(1.0, work.steps / nest.unit.depth.size());
  work.max_threads = std::min(work.max_threads, max_threads);
  work.waste = 1;
  if (may_have_fragments) return;  // Warps are whole.
  // ceil(n / lanes) * lanes / n is least at the multiples, and at the largest. Of threads beyond a
  // covered axis, or an array, whole warps may have nothing to do.
  work.waste = lanes / std::min(work.max_threads, lanes);
  if (nest.is_uneven()) return;
  work.waste = std::max(work.waste, std::ceil(threads_divide / lanes) * lanes / threads_divide);
}

Rounds RoundsOf(const Nest& nest, const Domains& domains, double max_threads) {
  // Copies of a sum's steps wait for each other; threads have slices of them, and lanes parts.
  const SumSteps steps(nest, domains);
  Rounds rounds{.most_copies = steps.lanes, .most_threads = steps.threads};
  for (const NestAxis& axis : nest.axes) {
    if (!axis.varies || axis.is_sum) continue;
    const Levels copies =
        LevelsOf(axis, domains, DimKind::UNROLL | DimKind::VECTOR | DimKind::TENSOR);
    const Levels threads = LevelsOf(axis, domains, DimKind::THREAD);
    const Levels others = LevelsOf(axis, domains, ~DimKindDomain(DimKind::LOOP));
    rounds.least *= axis.AtFirst(others.OthersMin(axis.extent));
    rounds.anywhere *= axis.Anywhere(others.OthersMin(axis.extent));
    rounds.most_copies *= axis.extent / copies.OthersMin(axis.extent);
    rounds.most_threads *= axis.extent / threads.OthersMin(axis.extent);
  }
  if (MayHaveFragments(nest, domains)) {
    rounds.points_of_copy = nest.unit.multiply_adds();
    if (std::ranges::any_of(nest.axes, &NestAxis::is_sum)) {
      rounds.steps_at_once = nest.unit.depth.size();
    }
  }
  rounds.least *= std::max(1.0, steps.Least(max_threads) / rounds.steps_at_once);
  // Where nothing is uneven every thread has as many as the first.
  rounds.anywhere =
      nest.is_uneven() ? rounds.anywhere * steps.anywhere / rounds.steps_at_once : rounds.least;
  return rounds;
}

double Accumulators(const ir::Instruction& inst, const Domains& domains) {
  const auto is_loop = [&](ir::DimId id) {
    const DimDomain& dim = domains.dims[id.index()];
    return dim.must_be(DimKind::LOOP) && dim.min > 1;
  };
  if (std::none_of(inst.reduce_dims.begin(), inst.reduce_dims.end(), is_loop)) return 0;
  // Lanes of a sum, and unrolled copies beside them, have registers of their own.
  const auto& reduced = inst.reduce_dims;
  const bool has_lanes = std::ranges::any_of(
      reduced, [&](ir::DimId id) { return domains.dims[id.index()].must_be(DimKind::VECTOR); });
  double sums = 1;
  for (const ir::DimId id : inst.dims) {
    const DimDomain& dim = domains.dims[id.index()];
    if (!has_lanes && std::find(reduced.begin(), reduced.end(), id) != reduced.end()) continue;
    if (dim.must_be(DimKind::UNROLL | DimKind::VECTOR)) sums *= dim.min;
  }
  return sums;
}

double ShareThatWaits(const ir::Function& function, const Domains& domains, ir::MemId ring) {
  const MemDomain& block = domains.blocks[ring.index()];
  double together = block.most_stages();
  if (!block.may_be_copied()) return 1 / together;
  // Loops that the two sides do not share are in the loop that the ring turns in.
  for (const ir::AxisId id : function.block(ring).axes) {
    const DimDomain& store = domains.dims[function.axis(id).store_dim.index()];
    const bool is_shared = domains.axes[id.index()].stored == Presence::kAbsent;
    if (!is_shared && store.may_be(DimKind::LOOP)) together *= store.max;
  }
  return 1 / together;
}

double StoredElements(const ir::Function& function, const Domains& domains, ir::MemId block) {
  double elements = 1;
  for (const ir::AxisId id : function.block(block).axes) {
    if (domains.axes[id.index()].stored != Presence::kCertain) continue;
    elements *= domains.dims[function.axis(id).store_dim.index()].min;
  }
  return elements;
}

}  // namespace exh::models

// SPDX-License-Identifier: MIT
#include "models/inventory/nests.h"

#include <cmath>

namespace exh::models {
namespace ir = kernels::ir;
namespace {

/// Steps of a sum that a thread takes one after the other: threads of a block have slices of it,
/// and blocks divide it among them.
struct SumSteps {
  double all = 1;
  double of_slices = 1;  ///< Beside those that threads share, at least.
  double alone = 1;      ///< … and those that blocks share: of the first block's first thread …
  double anywhere = 1;   ///< … and of any thread.
  double splits = 1;     ///< Parts of it, at most.
  bool is_covered = false;  ///< Parts may be shorter than others.

  void Add(const NestAxis& axis, const Levels& block, const Levels& thread,
           const Levels& parallel) {
    all *= axis.total;
    of_slices *= axis.AtFirst(thread.OthersMin(axis.extent));
    alone *= axis.AtFirst(parallel.OthersMin(axis.extent));
    anywhere *= axis.Anywhere(parallel.OthersMin(axis.extent));
    splits *= axis.extent / block.OthersMin(axis.extent);
    is_covered |= axis.covers();
  }
  /// All axes are there.
  void LimitSplits(const Nest& nest) { splits = std::min(splits, nest.most_splits); }
  double Least(double max_threads) const {
    return std::max({alone, of_slices / splits, all / (max_threads * splits)});
  }
};

}  // namespace

void FillWork(const Nest& nest, const Domains& domains, double lanes, double max_threads,
              Work& work) {
  work.points = nest.points;
  work.block = work.any_block = work.thread = 1;
  work.max_blocks = work.min_blocks = work.blocks_divide = 1;
  work.min_threads = work.max_threads = 1;
  double threads_divide = 1;
  SumSteps steps;
  for (std::size_t i = 0; i < nest.axes.size(); ++i) {
    const NestAxis& axis = nest.axes[i];
    Levels block, thread, parallel;
    for (const ir::DimId id : axis.dims) {
      const DimDomain& dim = domains.dims[id.index()];
      block.Add(dim, DimKind::BLOCK);
      thread.Add(dim, DimKind::THREAD);
      parallel.Add(dim, DimKind::BLOCK | DimKind::THREAD);
    }
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
    if (axis.is_sum) {
      steps.Add(axis, block, thread, parallel);
    } else {
      work.max_blocks *= axis.extent / of_block;
    }
    work.min_blocks *= block.sure_min;
    work.blocks_divide *= block.Multiple(axis.extent);
    work.min_threads *= axis.extent / thread.OthersMax(axis.extent);
    work.max_threads *= axis.extent / thread.OthersMin(axis.extent);
    threads_divide *= thread.Multiple(axis.extent);
  }
  for (const NestAxis& axis : nest.divided) {
    Levels block;
    for (const ir::DimId id : axis.dims) block.Add(domains.dims[id.index()], DimKind::BLOCK);
    work.max_blocks *= axis.extent / block.OthersMin(axis.extent);
    work.blocks_divide *= block.Multiple(axis.extent);
  }
  steps.LimitSplits(nest);
  work.splits = steps.splits;
  // A short part may have one step, and that for free (Computation::free).
  if (steps.splits > 1 && steps.is_covered) work.any_block = 0;
  work.max_blocks *= steps.splits;
  work.steps = steps.Least(max_threads);
  work.max_threads = std::min(work.max_threads, max_threads);
  // ceil(n / lanes) * lanes / n is least at the multiples, and at the largest. Of threads beyond a
  // covered axis whole warps may have nothing to do.
  work.waste = lanes / std::min(work.max_threads, lanes);
  if (nest.covers()) return;
  work.waste = std::max(work.waste, std::ceil(threads_divide / lanes) * lanes / threads_divide);
}

Rounds RoundsOf(const Nest& nest, const Domains& domains, double max_threads) {
  Rounds rounds;
  SumSteps steps;
  for (const NestAxis& axis : nest.axes) {
    if (!axis.varies) continue;
    Levels copies, threads, others;
    for (const ir::DimId id : axis.dims) {
      const DimDomain& dim = domains.dims[id.index()];
      copies.Add(dim, DimKind::UNROLL | DimKind::VECTOR);
      threads.Add(dim, DimKind::THREAD);
      others.Add(dim, ~DimKindDomain(DimKind::LOOP));
    }
    if (axis.is_sum) {  // Copies of its steps wait for each other; threads have slices of them.
      Levels blocks, parallel;
      for (const ir::DimId id : axis.dims) {
        const DimDomain& dim = domains.dims[id.index()];
        blocks.Add(dim, DimKind::BLOCK);
        parallel.Add(dim, DimKind::BLOCK | DimKind::THREAD);
      }
      steps.Add(axis, blocks, threads, parallel);
      rounds.most_threads *= axis.extent / threads.OthersMin(axis.extent);
      continue;
    }
    rounds.least *= axis.AtFirst(others.OthersMin(axis.extent));
    rounds.anywhere *= axis.Anywhere(others.OthersMin(axis.extent));
    rounds.most_copies *= axis.extent / copies.OthersMin(axis.extent);
    rounds.most_threads *= axis.extent / threads.OthersMin(axis.extent);
  }
  steps.LimitSplits(nest);
  rounds.least *= steps.Least(max_threads);
  // Where nothing is covered every thread has as many as the first.
  rounds.anywhere = nest.covers() ? rounds.anywhere * steps.anywhere : rounds.least;
  return rounds;
}

double Accumulators(const ir::Instruction& inst, const Domains& domains) {
  const auto is_loop = [&](ir::DimId id) {
    const DimDomain& dim = domains.dims[id.index()];
    return dim.must_be(DimKind::LOOP) && dim.min > 1;
  };
  if (std::none_of(inst.reduce_dims.begin(), inst.reduce_dims.end(), is_loop)) return 0;
  double sums = 1;
  for (const ir::DimId id : inst.dims) {
    const DimDomain& dim = domains.dims[id.index()];
    const auto& reduced = inst.reduce_dims;
    if (std::find(reduced.begin(), reduced.end(), id) != reduced.end()) continue;
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

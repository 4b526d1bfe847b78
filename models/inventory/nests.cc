// SPDX-License-Identifier: MIT
#include "models/inventory/nests.h"

#include <cmath>

namespace exh::models {
namespace ir = kernels::ir;

void FillWork(const Nest& nest, const Domains& domains, double lanes, double max_threads,
              Work& work) {
  work.points = nest.points;
  work.block = work.thread = 1;
  work.max_blocks = work.min_blocks = work.blocks_divide = 1;
  work.min_threads = work.max_threads = work.steps = 1;
  double threads_divide = 1, all_steps = 1;
  for (std::size_t i = 0; i < nest.axes.size(); ++i) {
    const NestAxis& axis = nest.axes[i];
    Levels block, thread, parallel;
    for (const ir::DimId id : axis.dims) {
      const DimDomain& dim = domains.dims[id.index()];
      block.Add(dim, DimKind::BLOCK);
      thread.Add(dim, DimKind::THREAD);
      parallel.Add(dim, DimKind::BLOCK | DimKind::THREAD);
    }
    work.serial_min[i] = parallel.OthersMin(axis.total);
    work.serial_max[i] = parallel.OthersMax(axis.total);
    work.block_max[i] = block.OthersMax(axis.total);
    if (axis.varies) {
      work.block *= block.OthersMin(axis.total);
      work.thread *= work.serial_min[i];
    }
    if (axis.is_sum) {
      work.steps *= thread.OthersMin(axis.total);
      all_steps *= axis.total;
    }
    work.min_blocks *= block.sure_min;
    work.max_blocks *= axis.total / block.OthersMin(axis.total);
    work.blocks_divide *= block.Multiple(axis.total);
    work.min_threads *= axis.total / thread.OthersMax(axis.total);
    work.max_threads *= axis.total / thread.OthersMin(axis.total);
    threads_divide *= thread.Multiple(axis.total);
  }
  work.steps = std::max(work.steps, all_steps / max_threads);
  work.max_threads = std::min(work.max_threads, max_threads);
  // ceil(n / lanes) * lanes / n is least at the multiples, and at the largest.
  work.waste = std::max(lanes / std::min(work.max_threads, lanes),
                        std::ceil(threads_divide / lanes) * lanes / threads_divide);
}

Rounds RoundsOf(const Nest& nest, const Domains& domains, double max_threads) {
  Rounds rounds;
  double steps = 1, all_steps = 1;  // Of sums.
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
      steps *= threads.OthersMin(axis.total);
      all_steps *= axis.total;
      rounds.most_threads *= axis.total / threads.OthersMin(axis.total);
      continue;
    }
    rounds.least *= others.OthersMin(axis.total);
    rounds.most_copies *= axis.total / copies.OthersMin(axis.total);
    rounds.most_threads *= axis.total / threads.OthersMin(axis.total);
  }
  rounds.least *= std::max(steps, all_steps / max_threads);
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

double StoredElements(const ir::Function& function, const Domains& domains, ir::MemId block) {
  double elements = 1;
  for (const ir::AxisId id : function.block(block).axes) {
    if (domains.axes[id.index()].stored != Presence::kCertain) continue;
    elements *= domains.dims[function.axis(id).store_dim.index()].min;
  }
  return elements;
}

}  // namespace exh::models

// SPDX-License-Identifier: MIT
#include "models/inventory/work_view.h"

#include <cmath>

namespace exh::models {
namespace ir = kernels::ir;
namespace {

/// How many iterations the busiest of `units` has at least for each of n, where n divides `most`
/// and is at most that: for n = q * m, ceil(q * m / units) <= q * ceil(m / units).
double BusiestShare(double divides, double most, double units) {
  return std::max(1 / std::min(most, units), std::ceil(divides / units) / divides);
}

}  // namespace

WorkView::WorkView(const Inventory& inventory, const Domains& domains)
    : inventory_(inventory), domains_(domains) {
  const DeviceRates& rates = inventory.rates;
  for (const Division& division : inventory.divisions) {
    for (const ir::DimId dim : division.dims) {
      may_divide_ |= domains.dims[dim.index()].may_be(DimKind::BLOCK);
    }
  }
  double max_blocks = 0;
  for (std::size_t i = 0; i < inventory.nests.size(); ++i) {
    const Nest& nest = inventory.nests[i];
    if (!TakesPart(nest)) continue;
    Work& work = works_[i];
    FillWork(nest, domains, rates.warp_lanes, inventory.function.device.max_threads, work);
    min_blocks_ = std::max(min_blocks_, work.min_blocks);
    if (!nest.once) continue;
    if (i == inventory.first_once) blocks_divide_ = work.blocks_divide;
    // Blocks are around everything, and nothing but its own dims, and blocks that divide a
    // reduction before it, is around what runs once: these are all the blocks there are.
    max_blocks = max_blocks == 0 ? work.max_blocks : std::min(max_blocks, work.max_blocks);
    // Where blocks differ, no more is known than that one unit has the average of those that work.
    share_ = std::max(share_, inventory.is_uneven
                                  ? 1 / std::min(work.max_blocks, rates.units)
                                  : BusiestShare(work.blocks_divide, work.max_blocks, rates.units));
  }
  if (share_ == 0) share_ = 1 / rates.units;  // Nothing runs once.
  max_blocks_ = max_blocks == 0 ? HUGE_VAL : max_blocks;
  blocks_of_unit_ = std::ceil(min_blocks_ / rates.units);
}

double WorkView::PartialResults(const Division& division) const {
  // What a block of a scan says is gone when the next one has heard it.
  if (inventory_.function.inst(division.reduction).is_scan()) return 0;
  double splits = 1;
  for (const ir::DimId id : division.dims) {
    const DimDomain& dim = domains_.dims[id.index()];
    if (dim.must_be(DimKind::BLOCK)) splits *= dim.min;
  }
  return splits > 1 ? splits * division.points : 0;
}

double WorkView::Demand(const OperandRead& read) const {
  const Nest& nest = inventory_.nests[read.nest];
  const Work& work = works_[read.nest];
  double reuse = 1;
  for (std::size_t i = 0; i < nest.axes.size(); ++i) {
    if (nest.axes[i].varies && (read.axes >> i & 1) == 0) reuse *= work.block_max[i];
  }
  return work.points / reuse;
}

bool WorkView::IsFenced(const OperandRead& read) const {
  if (!read.block.valid()) return false;
  const Nest& store = inventory_.nests[read.store];
  if (domains_.insts[store.inst.index()].presence != Presence::kCertain) return false;
  for (const NestAxis& axis : store.axes) {
    for (const ir::DimId dim : axis.dims) {
      const DimDomain& domain = domains_.dims[dim.index()];
      if (domain.presence == Presence::kCertain && domain.must_be(DimKind::THREAD)) return true;
    }
  }
  return false;
}

double WorkView::WidthOf(const Nest& nest) const {
  // Windows are aligned, as temporaries are.
  if (domains_.insts[nest.inst.index()].may_have_window) {
    return rates().bytes_per_access / nest.element_bytes;
  }
  double width = domains_.insts[nest.inst.index()].max_width;
  for (const NestAxis& axis : nest.axes) {
    for (const ir::DimId id : axis.dims) {
      const DimDomain& dim = domains_.dims[id.index()];
      if (dim.may_be(DimKind::VECTOR)) width = std::max<double>(width, dim.max);
    }
  }
  return std::min(width, rates().bytes_per_access / nest.element_bytes);
}

}  // namespace exh::models

// SPDX-License-Identifier: MIT
//
// What a program needs of its language, which not every one has a word for.
#include <algorithm>

#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/codegen/print/gpu/statements.h"

namespace exh::kernels::codegen {

Needs NeedsOf(const LoweredCode& code, const GpuOptions& options) {
  Needs all;
  const auto add = [&](bool is_needed, std::string_view what) {
    if (is_needed) all.insert(what);
  };
  const ir::Function& function = *code.function;
  for (const ir::Array& array : function.arrays) {
    add(array.type == ir::Type::kF64, needs::kDoubles);
  }
  for (const ir::Scalar& scalar : function.scalars) {
    add(scalar.type == ir::Type::kF64, needs::kDoubles);
  }
  for (const ir::Instruction& inst : function.insts) {
    if (code.tree.node_of_inst[inst.id.index()] < 0) continue;
    const bool is_double = inst.type == ir::Type::kF64 || inst.computes == ir::Type::kF64;
    add(is_double, needs::kDoubles);
    const Cache cache = code.schedule->cache.Or(Cache::CACHE_DEFAULT, inst.id);
    add(cache != Cache::CACHE_DEFAULT, needs::kCacheHints);
    add(code.tree.IsUnit(inst), needs::kMatrixUnits);
  }
  for (const SplitReduction& split : code.splits.reductions) {
    add(split.is_atomic(), needs::kAtomics);
    add(split.way == AcrossBlocks::ATOMIC_VECTOR, needs::kVectorAtomics);
    add(split.way == AcrossBlocks::LAST_BLOCK, needs::kLastBlock);
    add(split.looks_back(), needs::kLookBack);
    add(split.is_of_cluster(), needs::kClusters);
  }
  for (const Combine& combine : code.combines.combines) {
    add(!combine.halved.empty() || !combine.shuffled.empty(), needs::kShuffles);
  }
  for (const Ring& ring : code.rings.rings) {
    add(std::ranges::any_of(ring.blocks, &RingBlock::is_async), needs::kAsyncCopies);
    add(ring.is_bulk(), needs::kBulkCopies);
  }
  add(code.rings.cluster.blocks > 1, needs::kClusters);
  add(options.overlaps, needs::kOverlap);
  add(options.gives_up, needs::kClock);
  return all;
}

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
//
// What the bound counts on its way, as numbers for whoever learns from them. Of an implementation,
// where nothing is open, the least of an amount is the amount.
#include <algorithm>
#include <array>

#include "base/check.h"
#include "models/lower_bound.h"

namespace exh::models {
namespace ir = kernels::ir;
namespace {

constexpr std::size_t kOfAll = 13, kOfNest = 6, kOfAxis = 2, kOfOperand = 4;

}  // namespace

std::size_t LowerBound::num_amounts() const {
  std::size_t count = kOfAll + kOfOperand * operands_.size();
  for (const Nest& nest : nests_) count += kOfNest + kOfAxis * nest.axes.size();
  return count;
}

double LowerBound::Amounts(const ir::Domains& domains, std::span<double> amounts) const {
  EXH_CHECK(amounts.size() == num_amounts());
  std::array<Work, kMaxInsts> works;
  const Totals totals = Evaluate(domains, works.data(), nullptr);
  const Waits waits = WaitsOf(domains, totals, works.data());
  const double ns = std::max(TimeOf(totals), waits.clk / rates_.clock_ghz);
  std::size_t next = 0;
  const auto put = [&](auto... numbers) { ((amounts[next++] = numbers), ...); };
  put(ns, totals.amount.lanes, totals.amount.issues, totals.amount.of_thread,
      totals.amount.accesses, totals.unit_bytes, totals.cache_read, totals.cache_written,
      totals.memory_bytes, totals.min_blocks, waits.clk, waits.waves, waits.resident);
  for (std::size_t i = 0; i < nests_.size(); ++i) {
    const Nest& nest = nests_[i];
    const ir::InstDomain& inst = domains.insts[nest.inst.index()];
    if (nest.planned && inst.presence != ir::Presence::kCertain) {
      for (std::size_t n = kOfNest + kOfAxis * nest.axes.size(); n > 0; --n) put(0.0);
      continue;
    }
    const Work& work = works[i];
    const Rounds rounds = RoundsOf(nest, domains);
    put(work.min_threads, work.waste, WidthOf(nest, domains), rounds.least, rounds.most_copies,
        Accumulators(function_.inst(nest.inst), domains));
    for (std::size_t axis = 0; axis < nest.axes.size(); ++axis) {
      put(work.serial_min[axis], work.block_max[axis]);
    }
  }
  for (const OperandRead& read : operands_) {
    const Amount amount = OperandAmount(read, domains, totals, works.data());
    const bool is_staged =
        read.block.valid() && domains.blocks[read.block.index()].presence == ir::Presence::kCertain;
    put(amount.issues, amount.of_thread, amount.accesses,
        is_staged ? StoredElements(function_, domains, read.block) : 0);
  }
  EXH_CHECK(next == amounts.size());
  return ns;
}

}  // namespace exh::models

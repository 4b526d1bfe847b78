// SPDX-License-Identifier: MIT
//
// The second tier of the lower bound: latency.
//
// Loops are not unrolled behind our back (kernels/codegen/cuda_printer.cc), so each instruction of
// a loop's body writes the same register in each of its rounds, and not before the last value has
// been used: from round to round passes the time from the instruction to what needs its value.
// Unrolled copies and lanes have registers of their own and wait together. Before the first sum
// something has been read, and what is read last is still to be added.
//
// A unit holds no more blocks than fit at once (residency.h), so that some place of a unit runs
// ceil(blocks / places) of them, one after the other. That needs the number of blocks and of
// rounds. While these are open, their product is known: all threads together have all points, and
// a unit that holds so many threads ends at most that many rounds in the time of one.
#include <algorithm>
#include <cmath>

#include "models/lower_bound.h"
#include "models/residency.h"

namespace exh::models {
namespace ir = kernels::ir;

double LowerBound::Resident(const ir::Domains& domains, const Work* works) const {
  BlockNeeds needs;
  for (std::size_t i = 0; i < nests_.size(); ++i) {
    const Nest& nest = nests_[i];
    if (nest.planned && domains.insts[nest.inst.index()].presence != ir::Presence::kCertain) {
      continue;
    }
    needs.threads = std::max(needs.threads, works[i].min_threads);
    needs.registers = std::max(needs.registers, Accumulators(function_.inst(nest.inst), domains));
  }
  for (const OperandRead& read : operands_) {
    if (!read.block.valid()) continue;
    const ir::MemDomain& mem = domains.blocks[read.block.index()];
    if (mem.presence != ir::Presence::kCertain || mem.spaces != ir::kSharedSpace) continue;
    needs.shared_bytes += kElementBytes * StoredElements(function_, domains, read.block);
  }
  return ResidentBlocks(needs, rates_);
}

LowerBound::Waits LowerBound::WaitsOf(const ir::Domains& domains, const Totals& totals,
                                      const Work* works) const {
  Waits most;
  if (rates_.unit_blocks == 0) return most;
  const double resident = Resident(domains, works);
  const double places = rates_.units * resident;
  const double waves = std::ceil(totals.min_blocks / places);
  const double most_lanes = rates_.unit_warps * rates_.warp_lanes;
  if (rates_.warp_issues_per_clk > 0) {
    most.clk = waves * totals.amount.of_thread / rates_.warp_issues_per_clk;
  }
  most.waves = waves;
  most.resident = resident;
  for (const Waiting& waiting : waiting_) {
    const Nest& nest = nests_[waiting.nest];
    double clk = waiting.clk, before = waiting.before;
    if (waiting.operand != kNone) {
      const OperandRead& read = operands_[waiting.operand];
      if (!IsFenced(read, domains)) continue;
      if ((domains.blocks[read.block.index()].spaces & ir::kSharedSpace) == 0) {
        clk = rates_.read_latency_clk;
      }
    }
    for (const OperandRead& read : operands_) {
      // Through memory it takes longer.
      if (waiting.nest != read.nest || !read.load.valid() || !IsFenced(read, domains)) continue;
      before = waiting.before + rates_.shared_latency_clk;
    }
    const Rounds rounds = RoundsOf(nest, domains);
    const auto raise = [&](double time, bool is_share) {
      if (time > most.clk) most = {time, &waiting, rounds, clk, waves, resident, is_share};
    };
    const double all = clk * std::max(1.0, rounds.least * waiting.shortened);
    raise(waves * (before + all + waiting.after), false);
    const Work& work = works[waiting.nest];
    const double threads =
        std::min(resident * rounds.most_threads, most_lanes / work.waste) * rates_.units;
    const double unrolled =
        static_cast<double>(function_.device.max_unroll) * rates_.bytes_per_access / kElementBytes;
    const double copies = std::min(rounds.most_copies, unrolled);
    raise(nest.points * clk * waiting.shortened / (copies * threads), true);
  }
  return most;
}

}  // namespace exh::models

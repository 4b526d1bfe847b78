// SPDX-License-Identifier: MIT
#include "models/terms/latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/inventory/residency.h"

namespace exh::models::terms {
namespace ir = kernels::ir;
namespace {

/// Blocks that a unit holds at once, at most.
double Resident(const WorkView& view) {
  const Inventory& inventory = view.inventory();
  BlockNeeds needs;
  for (std::size_t i = 0; i < inventory.nests.size(); ++i) {
    const Nest& nest = inventory.nests[i];
    if (!view.TakesPart(nest) || !view.IsInAllBlocks(nest)) continue;
    needs.threads = std::max(needs.threads, view.work(i).min_threads);
    needs.registers =
        std::max(needs.registers, Accumulators(inventory.function.inst(nest.inst), view.domains()));
  }
  for (const OperandRead& read : inventory.operands) {
    if (!read.block.valid() || !view.IsInAllBlocks(inventory.nests[read.nest])) continue;
    const MemDomain& mem = view.domains().blocks[read.block.index()];
    if (mem.presence != Presence::kCertain || mem.spaces != MemSpace::SHARED) continue;
    needs.shared_bytes += read.element_bytes * mem.min_stages *
                          StoredElements(inventory.function, view.domains(), read.block);
  }
  return ResidentBlocks(needs, inventory.rates);
}

/// Beside rounds that wait. They have a read of their own already, or what comes before them has.
double WaitEndsNs(const WorkView& view) {
  const double counted = Rate::Clocks(view.rates()).TimeOf(view.rates().read_latency_clk);
  return std::max(NsOf(Ends::kGap, view), NsOf(Ends::kGapAndRead, view) - counted);
}

}  // namespace

void Latency::Finish(const WorkView& view, const Thread& thread) {
  const Inventory& inventory = view.inventory();
  const DeviceRates& rates = inventory.rates;
  blocks_ = view.min_blocks();
  if (rates.unit_blocks == 0) return;
  resident_ = Resident(view);
  waves_ = std::ceil(blocks_ / (rates.units * resident_));
  const double most_lanes = rates.unit_warps * rates.warp_lanes;
  if (rates.warp_issues_per_clk > 0) {
    // Of a thread of the first block: where axes are uneven, others may have less to do.
    times_ = inventory.is_uneven ? 1 : waves_;
    SetAmount(times_ * thread.amount() / rates.warp_issues_per_clk);
  }
  // What is awaited has more besides than instructions have.
  const double besides = (WaitEndsNs(view) - NsOf(Ends::kGap, view)) * rates.clock_ghz;
  double longest = amount();
  for (const Waiting& waiting : inventory.waiting) {
    const Nest& nest = inventory.nests[waiting.nest];
    double clk = waiting.clk, before = waiting.before;
    if (waiting.operand != kNoOperand) {
      const OperandRead& read = inventory.operands[waiting.operand];
      const kernels::ir::InstId product = inventory.nests[read.nest].inst;
      if (!view.IsFenced(read) || view.domains().insts[product.index()].may_be_of_group) continue;
      if (!view.domains().blocks[read.block.index()].spaces.MayBe(MemSpace::SHARED)) {
        clk = rates.read_latency_clk;
      }
    }
    if (view.domains().insts[nest.inst.index()].may_have_window) {
      clk = std::min(clk, rates.shared_latency_clk);
    }
    for (const OperandRead& read : inventory.operands) {
      // Through memory it takes longer.
      if (waiting.nest != read.nest || !read.load.valid() || !view.IsFenced(read)) continue;
      before = waiting.before + rates.shared_latency_clk;
    }
    double shortened = waiting.shortened;
    if (waiting.ring.valid()) {
      shortened =
          std::min(shortened, ShareThatWaits(inventory.function, view.domains(), waiting.ring));
    }
    // What is not in all blocks some block does.
    const bool is_in_all = view.IsInAllBlocks(nest);
    const double blocks = is_in_all ? waves_ : 1;
    const Rounds rounds = RoundsOf(nest, view.domains(), inventory.function.device.max_threads);
    const auto raise = [&](double times, double time, bool is_share) {
      if (times * time > 0 && times * time + besides > longest) {
        SetAmount(times * time);
        longest = times * time + besides;
        times_ = times;
        longest_ = &waiting;
        rounds_ = rounds.least;
        clk_ = clk;
        is_share_ = is_share;
      }
    };
    const double all = clk * std::max(1.0, rounds.least * shortened);
    if (inventory.is_uneven) {
      // The first block waits for all; of others only rounds are known that have points.
      raise(1, before + all + waiting.after, false);
      raise(blocks, clk * rounds.anywhere * shortened, false);
    } else {
      raise(blocks, before + all + waiting.after, false);
    }
    if (!is_in_all) continue;
    const Work& work = view.work(waiting.nest);
    const double threads =
        std::min(resident_ * rounds.most_threads, most_lanes / work.waste) * rates.units;
    const double unrolled = static_cast<double>(inventory.function.device.max_unroll) *
                            rates.bytes_per_access / nest.element_bytes * rounds.points_of_copy;
    const double copies = std::min(rounds.most_copies, unrolled);
    raise(1, nest.points * clk * shortened / (copies * threads * rounds.steps_at_once), true);
  }
}

double Latency::EndsNs(const WorkView& view) const {
  return longest_ == nullptr ? NsOf(Ends::kGap, view) : WaitEndsNs(view);
}

std::string Latency::Unit(const WorkView& view) const {
  if (longest_ == nullptr) {
    return fmt::format(
        "clocks: those of a thread's instructions, {:g} times with {:g} blocks a unit", times_,
        resident_);
  }
  const Inventory& inventory = view.inventory();
  const std::string what = inventory.function.inst(inventory.nests[longest_->nest].inst).name();
  if (is_share_) {
    return fmt::format("clocks: {:g} for each point of {}, as many as fit at once", clk_, what);
  }
  return fmt::format(
      "clocks: {:g} for each of {:g} rounds of {}, {:g} times with {:g} blocks a unit", clk_,
      rounds_, what, times_, resident_);
}

}  // namespace exh::models::terms

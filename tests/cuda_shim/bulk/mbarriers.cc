// SPDX-License-Identifier: MIT
#include "tests/cuda_shim/bulk/mbarriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace exh_shim {
namespace {

constexpr std::int64_t kMost = (1 << 20) - 1;  // Arrivals, and bytes.

}  // namespace

void Mbarriers::BeginCluster(unsigned first_block, unsigned blocks, unsigned threads) {
  first_block_ = first_block;
  blocks_ = blocks;
  threads_ = threads;
  order_.Begin(blocks * threads);
  barriers_.clear();
  copies_.clear();
}

std::string Mbarriers::Name(const BarrierSpot& spot) const {
  const std::string name = fmt::format("the barrier at byte {} of shared memory", spot.place);
  return blocks_ == 1 ? name : fmt::format("{} of block {}", name, first_block_ + spot.rank);
}

std::string Mbarriers::EndBlock(unsigned rank) const {
  for (const One& one : barriers_) {
    if (one.spot.rank != rank || one.expected == 0) continue;
    if (one.expected < 0) {
      return fmt::format("{} has had {} bytes that nobody expected", Name(one.spot), -one.expected);
    }
    return fmt::format("{} is left with {} bytes expected", Name(one.spot), one.expected);
  }
  for (const BulkCopy& copy : copies_) {
    const One& one = barriers_[copy.barrier];
    if (copy.rank != rank || copy.phase < one.awaited) continue;
    return fmt::format("nobody has waited at {} for the bulk copy of line {}", Name(one.spot),
                       copy.line);
  }
  return "";
}

std::string Mbarriers::Init(const BarrierSpot& spot, unsigned count, unsigned thread) {
  if (std::ranges::find(barriers_, spot, &One::spot) != barriers_.end()) {
    return fmt::format("initialises {} again", Name(spot));
  }
  if (count == 0 || count > kMost) {
    return fmt::format("initialises {} for {} arrivals", Name(spot), count);
  }
  barriers_.push_back({.spot = spot, .count = count, .pending = count, .thread = thread});
  return "";
}

void Mbarriers::MakeKnown(const Actor& who) {
  for (One& one : barriers_) {
    if (one.is_known || one.thread != who.thread) continue;
    one.is_known = true;
    one.known_since = who.interval;
    one.made = order_.Now(who.thread);
  }
}

std::string Mbarriers::Find(const BarrierSpot& spot, const Actor& who, std::size_t& number) const {
  const auto one = std::ranges::find(barriers_, spot, &One::spot);
  const bool is_own = who.thread / threads_ == spot.rank;
  if (!is_own && (one == barriers_.end() || !one->is_known)) {
    return fmt::format(
        "uses {}, which has not been made known there, before a barrier of the cluster",
        Name(spot));
  }
  if (one == barriers_.end()) {
    return fmt::format("uses {}, which has not been initialised", Name(spot));
  }
  if (!one->is_known) {
    return fmt::format("uses {}, which has not been made known", Name(spot));
  }
  if ((is_own && one->known_since >= who.interval) || !order_.IsBefore(one->made, who.thread)) {
    return fmt::format("uses {}, and no barrier of the {} is behind its initialisation", Name(spot),
                       is_own ? "block" : "cluster");
  }
  number = static_cast<std::size_t>(one - barriers_.begin());
  return "";
}

std::string Mbarriers::Expect(const BarrierSpot& spot, unsigned bytes, const Actor& who) {
  std::size_t number = 0;
  if (std::string why = Find(spot, who, number); !why.empty()) return why;
  One& one = barriers_[number];
  one.expected += bytes;
  if (one.expected > kMost) {
    return fmt::format("expects {} bytes at {}, more than it can count", one.expected, Name(spot));
  }
  return Arrive(one, who.thread);
}

std::string Mbarriers::Arrive(const BarrierSpot& spot, const Actor& who) {
  std::size_t number = 0;
  if (std::string why = Find(spot, who, number); !why.empty()) return why;
  return Arrive(barriers_[number], who.thread);
}

std::string Mbarriers::Arrive(One& one, unsigned thread) {
  if (one.pending == 0) {
    return fmt::format("arrives at {}, which takes {} arrivals in a phase, and has had them",
                       Name(one.spot), one.count);
  }
  --one.pending;
  order_.Tell(thread, one.arrived);
  return EndIfDone(one);
}

std::string Mbarriers::EndIfDone(One& one) {
  if (one.pending > 0) return "";
  std::int64_t to_come = 0;
  for (const std::int32_t number : one.under_way) to_come += copy(number).bytes;
  if (to_come > one.expected) {
    return fmt::format("lets {} have {} bytes more than are expected in phase {}", Name(one.spot),
                       to_come - one.expected, one.phase);
  }
  if (one.expected > 0) return "";
  for (const Waiter& waiter : one.waiters) {
    if (waiter.phase + 1 != one.phase || waiter.since.time <= one.arrived[waiter.since.thread]) {
      continue;
    }
    return fmt::format(
        "ends phase {} of {}, and thread {} need not have gone on that waits for phase {}",
        one.phase, Name(one.spot), waiter.since.thread % threads_, waiter.phase);
  }
  one.ended = std::exchange(one.arrived, {});
  one.pending = one.count;
  ++one.phase;
  std::erase_if(one.waiters, [&](const Waiter& waiter) { return waiter.phase + 1 < one.phase; });
  return "";
}

std::string Mbarriers::BeginWait(const BarrierSpot& spot, unsigned parity, const Actor& who,
                                 PhaseWait& wait) {
  if (std::string why = Find(spot, who, wait.barrier); !why.empty()) return why;
  One& one = barriers_[wait.barrier];
  if (parity > 1) return fmt::format("waits at {} for parity {}", Name(spot), parity);
  const std::int64_t known = order_.Phases(who.thread, wait.barrier);
  const bool is_known = ((known + 1) % 2) == parity;  // Of the phase before that.
  wait.phase = is_known ? known - 1 : known;
  if (one.phase > wait.phase + 1) {
    return fmt::format("waits at {} for phase {}, and {} has ended, too", Name(spot), wait.phase,
                       wait.phase + 1);
  }
  one.waiters.push_back({order_.Now(who.thread), wait.phase});
  return "";
}

bool Mbarriers::HasEnded(const PhaseWait& wait, unsigned thread) {
  One& one = barriers_[wait.barrier];
  if (wait.phase >= one.phase) return false;
  const auto phases = static_cast<std::uint32_t>(wait.phase + 1);
  order_.Hear(thread, one.ended);
  order_.HearPhases(thread, wait.barrier, phases);
  one.awaited = std::max(one.awaited, phases);
  return true;
}

std::string Mbarriers::Missing(const PhaseWait& wait) const {
  const One& one = barriers_[wait.barrier];
  return fmt::format("waits forever for phase {} of {}, which lacks {} arrivals and {} bytes",
                     wait.phase, Name(one.spot), one.pending, one.expected);
}

std::string Mbarriers::Begin(std::int64_t place, BulkCopy copy, const Actor& who) {
  if (std::string why = Find({copy.rank, place}, who, copy.barrier); !why.empty()) return why;
  One& one = barriers_[copy.barrier];
  copy.phase = one.phase;
  one.under_way.push_back(num_copies());
  copies_.push_back(std::move(copy));
  return EndIfDone(one);
}

std::string Mbarriers::Land(std::int32_t number) {
  BulkCopy& landed = copies_[static_cast<std::size_t>(number)];
  landed.pieces = {};
  One& one = barriers_[landed.barrier];
  std::erase(one.under_way, number);
  one.expected -= landed.bytes;
  if (one.expected < -kMost) {
    return fmt::format("brings {} bytes to {} that are not expected yet, more than it can count",
                       -one.expected, Name(one.spot));
  }
  return EndIfDone(one);
}

bool Mbarriers::Knows(unsigned thread, std::int32_t number) const {
  const BulkCopy& asked = copy(number);
  return order_.Phases(thread, asked.barrier) > asked.phase;
}

}  // namespace exh_shim

// SPDX-License-Identifier: MIT
#include "tests/cuda_shim/bulk/mbarriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace exh_shim {
namespace {

constexpr std::int64_t kMost = (1 << 20) - 1;  // Arrivals, and bytes.

std::string Name(std::int64_t place) {
  return fmt::format("the barrier at byte {} of shared memory", place);
}

}  // namespace

void Mbarriers::BeginBlock(unsigned threads) {
  order_.BeginBlock(threads);
  barriers_.clear();
  copies_.clear();
}

std::string Mbarriers::EndBlock() const {
  for (const One& one : barriers_) {
    if (one.expected == 0) continue;
    return fmt::format("{} is left with {} bytes expected", Name(one.place), one.expected);
  }
  for (const BulkCopy& copy : copies_) {
    const One& one = barriers_[copy.barrier];
    if (copy.phase < one.awaited) continue;
    return fmt::format("nobody has waited at {} for the bulk copy of line {}", Name(one.place),
                       copy.line);
  }
  return "";
}

std::string Mbarriers::Init(std::int64_t place, unsigned count, unsigned thread) {
  if (std::ranges::find(barriers_, place, &One::place) != barriers_.end()) {
    return fmt::format("initialises {} again", Name(place));
  }
  if (count == 0 || count > kMost) {
    return fmt::format("initialises {} for {} arrivals", Name(place), count);
  }
  barriers_.push_back({.place = place, .count = count, .pending = count, .thread = thread});
  return "";
}

void Mbarriers::MakeKnown(unsigned thread, std::uint32_t interval) {
  for (One& one : barriers_) {
    if (one.is_known || one.thread != thread) continue;
    one.is_known = true;
    one.known_since = interval;
  }
}

std::string Mbarriers::Find(std::int64_t place, std::uint32_t interval, std::size_t& number) const {
  const auto one = std::ranges::find(barriers_, place, &One::place);
  if (one == barriers_.end()) {
    return fmt::format("uses {}, which has not been initialised", Name(place));
  }
  if (!one->is_known) {
    return fmt::format("uses {}, which has not been made known", Name(place));
  }
  if (one->known_since >= interval) {
    return fmt::format("uses {}, and no barrier of the block is behind its initialisation",
                       Name(place));
  }
  number = static_cast<std::size_t>(one - barriers_.begin());
  return "";
}

std::string Mbarriers::Expect(std::int64_t place, unsigned bytes, unsigned thread,
                              std::uint32_t interval) {
  std::size_t number = 0;
  if (std::string why = Find(place, interval, number); !why.empty()) return why;
  One& one = barriers_[number];
  one.expected += bytes;
  if (one.expected > kMost) {
    return fmt::format("expects {} bytes at {}, more than it can count", one.expected, Name(place));
  }
  return Arrive(one, thread);
}

std::string Mbarriers::Arrive(std::int64_t place, unsigned thread, std::uint32_t interval) {
  std::size_t number = 0;
  if (std::string why = Find(place, interval, number); !why.empty()) return why;
  return Arrive(barriers_[number], thread);
}

std::string Mbarriers::Arrive(One& one, unsigned thread) {
  if (one.pending == 0) {
    return fmt::format("arrives at {}, which takes {} arrivals in a phase, and has had them",
                       Name(one.place), one.count);
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
    return fmt::format("lets {} have {} bytes more than are expected in phase {}", Name(one.place),
                       to_come - one.expected, one.phase);
  }
  if (one.expected > 0) return "";
  for (const Waiter& waiter : one.waiters) {
    if (waiter.phase + 1 != one.phase || waiter.since.time <= one.arrived[waiter.since.thread]) {
      continue;
    }
    return fmt::format(
        "ends phase {} of {}, and thread {} need not have gone on that waits for phase {}",
        one.phase, Name(one.place), waiter.since.thread, waiter.phase);
  }
  one.ended = std::exchange(one.arrived, {});
  one.pending = one.count;
  ++one.phase;
  std::erase_if(one.waiters, [&](const Waiter& waiter) { return waiter.phase + 1 < one.phase; });
  return "";
}

std::string Mbarriers::BeginWait(std::int64_t place, unsigned parity, unsigned thread,
                                 std::uint32_t interval, PhaseWait& wait) {
  if (std::string why = Find(place, interval, wait.barrier); !why.empty()) return why;
  One& one = barriers_[wait.barrier];
  if (parity > 1) return fmt::format("waits at {} for parity {}", Name(place), parity);
  const std::int64_t known = order_.Phases(thread, wait.barrier);
  const bool is_known = ((known + 1) % 2) == parity;  // Of the phase before that.
  wait.phase = is_known ? known - 1 : known;
  if (one.phase > wait.phase + 1) {
    return fmt::format("waits at {} for phase {}, and {} has ended, too", Name(place), wait.phase,
                       wait.phase + 1);
  }
  one.waiters.push_back({order_.Now(thread), wait.phase});
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
                     wait.phase, Name(one.place), one.pending, one.expected);
}

std::string Mbarriers::Begin(std::int64_t place, BulkCopy copy, std::uint32_t interval) {
  if (std::string why = Find(place, interval, copy.barrier); !why.empty()) return why;
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
  return EndIfDone(one);
}

bool Mbarriers::Knows(unsigned thread, std::int32_t number) const {
  const BulkCopy& asked = copy(number);
  return order_.Phases(thread, asked.barrier) > asked.phase;
}

}  // namespace exh_shim

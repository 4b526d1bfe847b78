// SPDX-License-Identifier: MIT
//
// Objects that appear: a membership that becomes certain sets presence bits and opens gates. What
// follows from the root and the open gate alone is known from the freeze; it is intersected with,
// and only what differs from it is looked at.
#include <algorithm>
#include <array>
#include <bit>

#include "runtime/internal/propagator.h"

namespace exh::runtime::internal {

bool Propagator::OpenGates(Slot slot) {
  const std::span<const std::uint32_t> gates = network_.gates_by_slot.row(slot);
  if (gates.empty()) return true;
  const std::uint64_t* const presence = &state_.presence(layout_, 0);
  for (std::uint32_t word = 0; word < layout_.num_presences; ++word) {
    work_.fresh[word] = ~presence[word];
  }
  SetPresence(slot);
  for (std::uint32_t word = 0; word < layout_.num_presences; ++word) {
    work_.fresh[word] &= presence[word];
  }
  // All of them open before the first looks at what it finds.
  work_.opened.clear();
  for (const std::uint32_t gate : gates) {
    if (state_.gate(layout_, gate)) continue;
    if (!std::ranges::all_of(network_.gate_slots.row(gate),
                             [&](Slot member) { return domain(member) == kTrueBit; })) {
      continue;
    }
    OpenGate(gate);
    work_.opened.push_back(gate);
    for (std::uint32_t i = network_.live_begin[gate]; i < network_.live_begin[gate + 1]; ++i) {
      work_.fresh_live[network_.live_cells[i].block] |= network_.live_cells[i].cells;
    }
  }
  for (const std::uint32_t gate : work_.opened) {
    if (network_.openings.empty() || !network_.openings[gate].possible ||
        !Find(network_.openings[gate], gate)) {
      QueueAll(gate);
    }
  }
  for (const std::uint32_t gate : work_.opened) {
    for (std::uint32_t i = network_.live_begin[gate]; i < network_.live_begin[gate + 1]; ++i) {
      work_.fresh_live[network_.live_cells[i].block] = 0;
    }
  }
  return RunLight();
}

void Propagator::SetPresence(Slot slot) {
  for (const std::uint32_t id : network_.presences_by_slot.row(slot)) {
    if (std::ranges::all_of(network_.presence_slots.row(id),
                            [&](Slot member) { return domain(member) == kTrueBit; })) {
      const Presence& presence = network_.presences[id];
      state_.presence(layout_, presence.word) |= std::uint64_t{1} << presence.bit;
    }
  }
}

void Propagator::OpenGate(std::uint32_t gate) {
  state_.open_gate(layout_, gate);
  for (std::uint32_t i = network_.live_begin[gate]; i < network_.live_begin[gate + 1]; ++i) {
    state_.live(layout_, network_.live_cells[i].block) |= network_.live_cells[i].cells;
  }
}

/// Intersects the state with what the opening finds done, and looks at what differs from it: what
/// is light at once, the rest through the queue. The long way says which constraint empties a
/// domain.
bool Propagator::Find(const Opening& opening, std::uint32_t gate) {
  const State& found = opening.state;
  std::uint8_t* const domains = state_.bytes();
  std::array<std::uint8_t, kLanes> kept;
  for (std::uint32_t cell = 0; cell < layout_.num_narrow; cell += kLanes) {
    std::uint64_t changed = rows_.intersect(domains + cell, found.bytes() + cell, kept.data());
    for (; changed != 0; changed &= changed - 1) {
      if (kept[std::countr_zero(changed)] == 0) return false;
    }
  }
  for (Slot slot = layout_.num_narrow; slot < layout_.num_slots(); ++slot) {
    if ((domain(slot) & found.domain(layout_, slot)) == 0) return false;
  }
  for (std::uint32_t id = 0; id < layout_.num_counters; ++id) {
    if ((counter(id) & found.counter(layout_, id)).IsEmpty()) return false;
  }

  for (std::uint32_t cell = 0; cell < layout_.num_narrow; cell += kLanes) {
    // Both cells of a pair lie within: each block can be written by itself.
    std::uint64_t changed = rows_.intersect(domains + cell, found.bytes() + cell, kept.data());
    for (; changed != 0; changed &= changed - 1) {
      const std::uint32_t at = cell + static_cast<std::uint32_t>(std::countr_zero(changed));
      const std::uint8_t before = domains[at];
      domains[at] = kept[at - cell];
      // Whatever reads a decision that has just come to life was at rest, or reads a membership
      // that has just become certain: what the opening found for it is known.
      if ((work_.fresh_live[cell / kLanes] >> (at - cell) & 1) != 0 &&
          domains[at] == found.bytes()[at]) {
        continue;
      }
      if (network_.cells[at].slot == at && work_.slots.Insert(at)) work_.seen[at] = before;
    }
    std::uint64_t differs =
        opening.cells[cell / kLanes] & rows_.differ(domains + cell, found.bytes() + cell);
    for (; differs != 0; differs &= differs - 1) {
      const std::uint32_t at = cell + static_cast<std::uint32_t>(std::countr_zero(differs));
      work_.slots.Insert(at);
      work_.seen[at] = 0xFF;
    }
  }
  for (Slot slot = layout_.num_narrow; slot < layout_.num_slots(); ++slot) {
    Keep(slot, found.domain(layout_, slot), {});
  }
  for (const Slot slot : opening.wide_slots) {
    if (domain(slot) != found.domain(layout_, slot)) work_.slots.Insert(slot);
  }
  for (std::uint32_t id = 0; id < layout_.num_counters; ++id) {
    KeepCounter(id, found.counter(layout_, id), {});
  }
  for (const std::uint32_t id : network_.counting_by_gate.row(gate)) work_.constraints.Push(id);
  for (std::uint32_t cell = 0; cell < layout_.num_narrow; cell += kLanes) {
    const std::uint64_t light = opening.light[cell / kLanes];
    if (light == 0) continue;
    work_.light[cell / kLanes] |= light & rows_.differ(domains + cell, found.bytes() + cell);
  }
  return true;
}

/// What is light at once, for all gates together; what waits in the queue anyway sees it there.
bool Propagator::RunLight() {
  for (std::uint32_t block = 0; block < layout_.num_narrow / kLanes; ++block) {
    std::uint64_t light = work_.light[block];
    work_.light[block] = 0;
    for (; light != 0; light &= light - 1) {
      const std::uint32_t slot =
          block * kLanes + static_cast<std::uint32_t>(std::countr_zero(light));
      if (work_.slots.Contains(slot)) {
        work_.seen[slot] = 0xFF;
        continue;
      }
      ++work_.events;
      if (rows_.run_fresh(*this, slot, work_.fresh.data())) continue;
      std::fill(work_.light.begin() + block, work_.light.end(), 0);
      return false;
    }
  }
  return true;
}

/// The long way: everything behind the gate, and every run that may have got a new lane.
void Propagator::QueueAll(std::uint32_t gate) {
  for (std::uint32_t block = 0; block < layout_.num_narrow / kLanes; ++block) {
    for (std::uint64_t live = state_.live(layout_, block); live != 0; live &= live - 1) {
      const std::uint32_t slot =
          block * kLanes + static_cast<std::uint32_t>(std::countr_zero(live));
      work_.slots.Insert(slot);
      work_.seen[slot] = 0xFF;
    }
  }
  for (const std::uint32_t id : network_.constraints_by_gate.row(gate)) {
    if (id < network_.num_loose) work_.constraints.Push(id);
  }
}

}  // namespace exh::runtime::internal

// SPDX-License-Identifier: MIT
//
// Objects that appear. A membership becomes TRUE: the objects that waited for nothing else are
// present from now on, the gates that waited for nothing else open, and what was asleep behind them
// must hold.
//
// To run everything behind a gate would propagate again, in every descent, what follows from the
// gate alone. So each gate is opened once on a copy of the root and the fixpoint is kept, its
// Opening (openings.h). The state here was made from the root by restrictions, and filters are
// monotone: whatever follows from root and gate follows here too. OpenGates() therefore intersects
// the state with the opening, and then looks at what differs from it alone. Of a constraint behind
// the gate that reads only domains as the opening has them, nothing is to be expected: the opening
// is a fixpoint of that constraint.
//
// The loop's invariant holds before and after: whatever constraint could restrict a domain reads a
// slot or counter that is queued, or is queued itself. In between it is broken, for an open gate
// wakes constraints whose slots are not queued. For each gate it is mended in one of two ways:
// UseOpening() queues what differs from the opening, and where there is no opening to use
// QueueAll() queues all that lives.
#include <algorithm>
#include <array>
#include <bit>

#include "runtime/internal/rows/propagator.h"

namespace exh::runtime::internal {

void Propagator::OpenGates(Slot slot) {
  const std::span<const std::uint32_t> gates = network_.gates.by_slot.list(slot);
  if (gates.empty()) {
    // Of an object without decisions nothing waits for the membership, but it has a bit.
    if (slot < instance_.statistics().hidden_slots) SetPresence(slot);
    return;
  }
  SetPresence(slot);
  // All of them open before the first uses its opening: a run may rest behind several.
  NoteOpenedGates(gates);
  for (const std::uint32_t gate : work_.opened) {
    const Opening* const opening = openings_ == nullptr ? nullptr : &openings_->Get(gate);
    if (opening == nullptr || !opening->possible || !UseOpening(*opening, gate)) QueueAll(gate);
  }
  for (const std::uint32_t gate : work_.opened) {
    for (std::uint32_t i = network_.gates.live_begin[gate]; i < network_.gates.live_begin[gate + 1];
         ++i) {
      work_.fresh[network_.gates.live[i].block] = 0;
    }
  }
}

/// Opens those that wait for nothing any more, and fills Workspace::opened and ::fresh.
void Propagator::NoteOpenedGates(std::span<const std::uint32_t> gates) {
  work_.opened.clear();
  for (const std::uint32_t gate : gates) {
    if (state_.gate(layout_, gate)) continue;
    if (!std::ranges::all_of(network_.gates.slots.list(gate),
                             [&](Slot member) { return domain(member) == kTrueBit; })) {
      continue;
    }
    OpenGate(gate);
    work_.opened.push_back(gate);
    for (std::uint32_t i = network_.gates.live_begin[gate]; i < network_.gates.live_begin[gate + 1];
         ++i) {
      work_.fresh[network_.gates.live[i].block] |= network_.gates.live[i].cells;
    }
  }
}

/// Sets the presence bits that waited for this membership alone.
void Propagator::SetPresence(Slot slot) {
  for (const std::uint32_t id : network_.presences.by_slot.list(slot)) {
    if (std::ranges::all_of(network_.presences.slots.list(id),
                            [&](Slot member) { return domain(member) == kTrueBit; })) {
      const Presence& presence = network_.presences.bits[id];
      state_.presence(layout_, presence.word) |= std::uint64_t{1} << presence.bit;
    }
  }
}

void Propagator::OpenGate(std::uint32_t gate) {
  state_.open_gate(layout_, gate);
  for (std::uint32_t i = network_.gates.live_begin[gate]; i < network_.gates.live_begin[gate + 1];
       ++i) {
    state_.live(layout_, network_.gates.live[i].block) |= network_.gates.live[i].cells;
  }
}

/// False, with nothing changed: some domain would be empty. A dead end then, but the opening does
/// not know whose fault it is; the long way meets the constraint.
bool Propagator::UseOpening(const Opening& opening, std::uint32_t gate) {
  if (!Meets(opening.state)) return false;
  IntersectCells(opening.state);
  QueueDifferingCells(opening);
  IntersectWideAndCounters(opening);
  // Opening::cells speaks of decisions alone: who reads a counter runs in any case.
  for (const std::uint32_t id : network_.gates.counting.list(gate)) work_.constraints.Push(id);
  return true;
}

/// Does every domain and interval have something in common with that of `found`?
bool Propagator::Meets(const State& found) const {
  const std::uint8_t* const domains = state_.bytes();
  std::array<std::uint8_t, kLanes> kept;
  for (std::uint32_t cell = 0; cell < layout_.num_narrow; cell += kLanes) {
    std::uint64_t changed = rows_.intersect(domains + cell, found.bytes() + cell, kept.data());
    for (; changed != 0; changed &= changed - 1) {
      if (kept[std::countr_zero(changed)] == 0) return false;
    }
  }
  for (Slot slot = layout_.num_narrow; slot < layout_.first_long(); ++slot) {
    if ((domain(slot) & found.domain(layout_, slot)) == 0) return false;
  }
  for (const LongSlots& slots : network_.longs) {
    bool any = false;
    for (Slot slot = slots.first; slot < slots.first + slots.words; ++slot) {
      any |= (domain(slot) & found.domain(layout_, slot)) != 0;
    }
    if (!any) return false;
  }
  for (std::uint32_t id = 0; id < layout_.num_counters; ++id) {
    if ((counter(id) & found.counter(layout_, id)).IsEmpty()) return false;
  }
  return true;
}

/// Queues the slots that change, but for decisions that have just come to life and are now as the
/// opening has them: what reads such a one was at rest, or reads a membership that has just become
/// certain, so the opening has done its work.
void Propagator::IntersectCells(const State& found) {
  std::uint8_t* const domains = state_.bytes();
  std::array<std::uint8_t, kLanes> kept;
  for (std::uint32_t cell = 0; cell < layout_.num_narrow; cell += kLanes) {
    // `found` has both cells of a pair, so that each block can be written by itself.
    std::uint64_t changed = rows_.intersect(domains + cell, found.bytes() + cell, kept.data());
    for (; changed != 0; changed &= changed - 1) {
      const std::uint32_t at = cell + static_cast<std::uint32_t>(std::countr_zero(changed));
      const std::uint8_t before = domains[at];
      domains[at] = kept[at - cell];
      if ((work_.fresh[cell / kLanes] >> (at - cell) & 1) != 0 &&
          domains[at] == found.bytes()[at]) {
        continue;
      }
      if (network_.cells[at].slot == at && work_.slots.Insert(at)) work_.seen[at] = before;
    }
  }
}

/// Queues the slots with constraints behind the gate whose domains are not the opening's, as if
/// nothing had been seen of them: these constraints have not seen anything.
void Propagator::QueueDifferingCells(const Opening& opening) {
  const std::uint8_t* const domains = state_.bytes();
  const std::uint8_t* const found = opening.state.bytes();
  for (std::uint32_t cell = 0; cell < layout_.num_narrow; cell += kLanes) {
    std::uint64_t differs =
        opening.cells[cell / kLanes] & rows_.differ(domains + cell, found + cell);
    for (; differs != 0; differs &= differs - 1) {
      const std::uint32_t at = cell + static_cast<std::uint32_t>(std::countr_zero(differs));
      work_.slots.Insert(at);
      work_.seen[at] = 0xFF;
    }
  }
}

void Propagator::IntersectWideAndCounters(const Opening& opening) {
  const State& found = opening.state;
  for (Slot slot = layout_.num_narrow; slot < layout_.first_long(); ++slot) {
    Keep(slot, found.domain(layout_, slot), {});
  }
  for (const LongSlots& slots : network_.longs) {
    std::array<Bits, kMaxValues / 64> words;
    for (std::uint32_t word = 0; word < slots.words; ++word) {
      words[word] = found.domain(layout_, slots.first + word);
    }
    KeepLong(slots.first, slots.words, words.data(), {});
  }
  // Of a long decision this is the first slot; that one alone may look the same is no reason.
  for (const Slot slot : opening.wide_slots) {
    if (slot >= layout_.first_long() || domain(slot) != found.domain(layout_, slot)) {
      work_.slots.Insert(slot);
    }
  }
  for (std::uint32_t id = 0; id < layout_.num_counters; ++id) {
    KeepCounter(id, found.counter(layout_, id), {});
  }
}

/// Without an opening: queues all decisions that live, as if nothing had been seen of them, so that
/// every run gets its new lanes, and the records behind the gate.
void Propagator::QueueAll(std::uint32_t gate) {
  for (std::uint32_t block = 0; block < layout_.num_narrow / kLanes; ++block) {
    for (std::uint64_t live = state_.live(layout_, block); live != 0; live &= live - 1) {
      const std::uint32_t slot =
          block * kLanes + static_cast<std::uint32_t>(std::countr_zero(live));
      work_.slots.Insert(slot);
      work_.seen[slot] = 0xFF;
    }
  }
  for (const std::uint32_t id : network_.gates.constraints.list(gate)) {
    if (id < network_.num_loose) work_.constraints.Push(id);
  }
}

}  // namespace exh::runtime::internal

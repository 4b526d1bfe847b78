// SPDX-License-Identifier: MIT
//
// What a freeze knows of the domains so far. Clauses restrict it while they are grounded; when
// everything is grounded it becomes the root State, is propagated, and is read back from there.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/interval.h"
#include "runtime/state.h"

namespace exh::runtime::internal {

/// The root domains while the network is being built.
struct RootDomains {
  std::vector<Bits> slots;
  std::vector<std::uint8_t> sizes;  ///< Number of values of the slot.
  std::vector<Interval> counters;
  Slot num_hidden = 0;  ///< Slots that are memberships or fired tuples: the first ones.
  /// Planned memberships that a decision needs to be live (sorted); nothing constrains it before.
  std::vector<std::vector<Slot>> memberships;

  Bits domain(Slot slot) const { return slots[slot]; }
  Interval counter(std::uint32_t number) const { return counters[number]; }
};

}  // namespace exh::runtime::internal

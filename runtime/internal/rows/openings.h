// SPDX-License-Identifier: MIT
//
// Openings: what each gate finds done when it opens (propagate_gates.cc says what for). Each is
// worked out when its gate first opens in some descent and kept from then on. A freeze so takes
// no time for gates that nobody opens, and the threads of a search share the work.
//
// An opening is a fixpoint of the root and the gate's memberships, and there is one such fixpoint:
// it does not matter who asks first, or in which order. It begins at the opening of a gate that
// lacks one membership, where there is one, and else at the root:
//
//     gate {p, q}:   root --p--> opening of {p} --q--> opening of {p, q}
//
// Asking for it asks for smaller gates only, so no two threads wait for each other.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "runtime/internal/network/network.h"
#include "runtime/state.h"

namespace exh::runtime {

class Instance;

}  // namespace exh::runtime

namespace exh::runtime::internal {

/// The fixpoint of the root with the memberships of a gate.
struct Opening {
  bool possible = false;  ///< There is such a fixpoint, and the rest is set.
  State state;
  /// Stored cells that some constraint behind the gate reads, a bit each.
  std::vector<std::uint64_t> cells;
  std::vector<Slot> wide_slots;  ///< Wide slots that some constraint behind the gate reads.
};

class Openings {
 public:
  /// Of a frozen instance, which outlives it; only its network lacks this. `cells_by_gate` are the
  /// stored cells that constraints without records read behind each gate; gates above its size have
  /// none.
  Openings(const Instance& instance, std::vector<std::vector<std::uint64_t>> cells_by_gate);

  /// The same object at every call, from any thread. The first one propagates.
  const Opening& Get(std::uint32_t gate) const;

 private:
  struct Lazy {
    std::once_flag once;
    Opening opening;
  };

  void WorkOut(std::uint32_t gate, Opening* opening) const;
  const State& BeginOf(std::uint32_t gate) const;
  void AddSlotsOf(const Constraint& constraint, Opening* opening) const;

  const Instance& instance_;
  std::vector<std::vector<std::uint64_t>> cells_by_gate_;
  std::map<std::vector<Slot>, std::uint32_t> numbers_;  ///< Gates by their memberships.
  mutable std::vector<Lazy> by_gate_;
};

}  // namespace exh::runtime::internal

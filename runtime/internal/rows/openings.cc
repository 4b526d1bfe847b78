// SPDX-License-Identifier: MIT
#include "runtime/internal/rows/openings.h"

#include <algorithm>
#include <span>
#include <utility>

#include "runtime/instance.h"
#include "runtime/internal/rows/propagator.h"

namespace exh::runtime::internal {

Openings::Openings(const Instance& instance, std::vector<std::vector<std::uint64_t>> cells_by_gate)
    : instance_(instance),
      cells_by_gate_(std::move(cells_by_gate)),
      by_gate_(instance.layout().num_gates) {
  for (std::uint32_t gate = 1; gate < by_gate_.size(); ++gate) {
    const std::span<const Slot> slots = instance.network().gates.slots.list(gate);
    numbers_.emplace(std::vector<Slot>(slots.begin(), slots.end()), gate);
  }
}

const Opening& Openings::Get(std::uint32_t gate) const {
  Lazy& lazy = by_gate_[gate];
  std::call_once(lazy.once, [&] { WorkOut(gate, &lazy.opening); });
  return lazy.opening;
}

const State& Openings::BeginOf(std::uint32_t gate) const {
  const std::span<const Slot> all = instance_.network().gates.slots.list(gate);
  for (std::size_t left_out = 0; left_out < all.size(); ++left_out) {
    std::vector<Slot> others(all.begin(), all.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    const auto smaller = numbers_.find(others);
    if (smaller == numbers_.end()) continue;
    // What is open at the root is never asked for otherwise, and finds nothing to do.
    if (instance_.root().gate(instance_.layout(), smaller->second)) continue;
    const Opening& opening = Get(smaller->second);
    if (opening.possible) return opening.state;
  }
  return instance_.root();
}

void Openings::WorkOut(std::uint32_t gate, Opening* opening) const {
  const Network& network = instance_.network();
  State state = BeginOf(gate);
  Conflict conflict;
  // In the midst of another propagation of this thread. It uses no openings, so what is behind the
  // gate runs.
  Propagator propagator(instance_, &state, &conflict, Propagator::Purpose::kOpening);
  bool alive = true;
  for (const Slot slot : network.gates.slots.list(gate)) {
    alive = alive && propagator.Restrict(slot, kTrueBit) == Propagation::kFixpoint;
  }
  opening->possible = alive && propagator.Propagate() == Propagation::kFixpoint;
  if (!opening->possible) return;
  opening->state = std::move(state);
  opening->cells.assign(instance_.layout().num_narrow / kLanes, 0);
  for (const std::uint32_t id : network.gates.constraints.list(gate)) {
    AddSlotsOf(network.constraints[id], opening);
  }
  if (gate < cells_by_gate_.size()) {
    for (std::size_t block = 0; block < cells_by_gate_[gate].size(); ++block) {
      opening->cells[block] |= cells_by_gate_[gate][block];
    }
  }
  std::vector<Slot>& wide = opening->wide_slots;
  std::ranges::sort(wide);
  wide.erase(std::unique(wide.begin(), wide.end()), wide.end());
}

void Openings::AddSlotsOf(const Constraint& constraint, Opening* opening) const {
  const Network& network = instance_.network();
  const auto add = [&](Slot slot) {
    if (slot >= instance_.layout().num_narrow) {
      opening->wide_slots.push_back(slot);
    } else {
      opening->cells[slot / kLanes] |= std::uint64_t{1} << slot % kLanes;
    }
  };
  if (constraint.kind != Constraint::Kind::kClause) {
    for (int i = 0; i < constraint.arity; ++i) add(constraint.slots[i]);
    return;
  }
  for (std::uint32_t l = constraint.literal_begin; l < constraint.literal_end; ++l) {
    const Literal& literal = network.literals[l];
    if (literal.kind == Literal::Kind::kIn || literal.kind == Literal::Kind::kPair ||
        literal.kind == Literal::Kind::kLong) {
      add(literal.a);
    }
    if (literal.kind == Literal::Kind::kPair) add(literal.b);
    if (literal.kind != Literal::Kind::kTerm) continue;
    const TermTest& test = network.terms.tests[literal.x];
    for (std::uint32_t leaf = test.leaf_begin; leaf < test.leaf_end; ++leaf) {
      add(network.terms.leaves[leaf].slot);
    }
  }
}

}  // namespace exh::runtime::internal

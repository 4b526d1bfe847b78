// SPDX-License-Identifier: MIT
//
// Fills the wake-up lists of a network: what a change of a slot, a counter or a gate must run.
#include <algorithm>
#include <utility>

#include "runtime/internal/freezer.h"

namespace exh::runtime::internal {
namespace {

using Link = std::pair<std::uint32_t, std::uint32_t>;  // Row, item.

Rows MakeRows(std::vector<Link> links, std::uint32_t num_rows) {
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
  Rows rows;
  rows.begin.assign(num_rows + 1, 0);
  for (const auto& [row, item] : links) ++rows.begin[row + 1];
  for (std::uint32_t row = 0; row < num_rows; ++row) rows.begin[row + 1] += rows.begin[row];
  for (const auto& [row, item] : links) rows.items.push_back(item);
  return rows;
}

/// Counts, then places, entries by slot.
class BySlot {
 public:
  explicit BySlot(std::uint32_t num_slots) : begin_(num_slots + 1, 0) {}
  void Count(Slot slot) { ++begin_[slot + 1]; }
  std::size_t Place() {
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    next_.assign(begin_.begin(), begin_.end() - 1);
    return begin_.back();
  }
  std::uint32_t Next(Slot slot) { return next_[slot]++; }
  std::vector<std::uint32_t> begin() && { return std::move(begin_); }

 private:
  std::vector<std::uint32_t> begin_, next_;
};

void IndexPairs(std::uint32_t num_slots, Network* network) {
  BySlot index(num_slots);
  const auto for_each = [&](const auto& visit) {
    for (std::uint32_t id = 0; id < network->constraints.size(); ++id) {
      const Constraint& constraint = network->constraints[id];
      if (constraint.kind == Constraint::Kind::kPairTable) visit(id, constraint);
    }
  };
  for_each([&](std::uint32_t, const Constraint& c) {
    index.Count(c.slots[0]);
    index.Count(c.slots[1]);
  });
  network->pairs.resize(index.Place());
  network->pair_constraints.resize(network->pairs.size());
  for_each([&](std::uint32_t id, const Constraint& c) {
    const Relation& relation = network->relations[c.relation];
    for (const int at : {0, 1}) {
      const std::uint32_t place = index.Next(c.slots[at]);
      network->pairs[place] = {relation.luts[1 - at], static_cast<std::uint16_t>(c.slots[1 - at]),
                               static_cast<std::uint16_t>(c.gate)};
      network->pair_constraints[place] = id;
    }
  });
  network->pair_begin = std::move(index).begin();
}

void IndexTriples(std::uint32_t num_slots, Network* network) {
  BySlot index(num_slots);
  const auto for_each = [&](const auto& visit) {
    for (std::uint32_t id = 0; id < network->constraints.size(); ++id) {
      const Constraint& constraint = network->constraints[id];
      if (constraint.kind == Constraint::Kind::kTripleTable) visit(id, constraint);
    }
  };
  for_each([&](std::uint32_t, const Constraint& c) {
    for (const int at : {0, 1, 2}) index.Count(c.slots[at]);
  });
  network->triples.resize(index.Place());
  network->triple_constraints.resize(network->triples.size());
  for_each([&](std::uint32_t id, const Constraint& c) {
    const Relation& relation = network->relations[c.relation];
    for (const int at : {0, 1, 2}) {
      const int b = at == 0 ? 1 : 0, other = at == 2 ? 1 : 2;
      // The table of a target is indexed by the lower position shifted over the higher one.
      const auto shift = [&](int position, int partner) {
        return static_cast<std::uint8_t>(position < partner ? relation.sizes[partner] : 0);
      };
      const std::uint32_t place = index.Next(c.slots[at]);
      TripleEntry& entry = network->triples[place];
      entry.lut_b = relation.luts[b];
      entry.lut_c = relation.luts[other];
      entry.b = static_cast<std::uint16_t>(c.slots[b]);
      entry.c = static_cast<std::uint16_t>(c.slots[other]);
      entry.gate = static_cast<std::uint16_t>(c.gate);
      entry.s_shift_b = shift(at, other);
      entry.c_shift_b = shift(other, at);
      entry.s_shift_c = shift(at, b);
      entry.b_shift_c = shift(b, at);
      network->triple_constraints[place] = id;
    }
  });
  network->triple_begin = std::move(index).begin();
}

void AppendSlots(const Literal& literal, std::vector<Slot>* slots) {
  if (literal.kind == Literal::Kind::kSlot || literal.kind == Literal::Kind::kPair) {
    slots->push_back(literal.a);
  }
  if (literal.kind == Literal::Kind::kPair) slots->push_back(literal.b);
}

void AppendCounters(const Literal& literal, std::vector<std::uint32_t>* counters) {
  if (literal.kind == Literal::Kind::kSlot || literal.kind == Literal::Kind::kPair) return;
  counters->push_back(literal.a);
  if (literal.kind == Literal::Kind::kCounterPair) counters->push_back(literal.b);
}

/// The two literals after the watched one, round the clause, so that the guards differ by watch.
void SetGuards(const Network& network, const Constraint& clause, std::uint32_t watched,
               std::uint32_t num_narrow, ClauseWatch* watch) {
  const std::uint32_t size = clause.literal_end - clause.literal_begin;
  int found = 0;
  for (std::uint32_t step = 1; step < size && found < 2; ++step) {
    const std::uint32_t at = clause.literal_begin + (watched - clause.literal_begin + step) % size;
    const Literal& literal = network.literals[at];
    if (literal.kind != Literal::Kind::kSlot || literal.a >= num_narrow) continue;
    (found == 0 ? watch->guard_a : watch->guard_b) = literal.a;
    (found == 0 ? watch->guard_mask_a : watch->guard_mask_b) = static_cast<std::uint8_t>(literal.x);
    ++found;
  }
}

void IndexClauses(std::uint32_t num_slots, std::uint32_t num_narrow, Network* network) {
  std::vector<std::pair<Slot, ClauseWatch>> watches;
  std::vector<Link> by_counter;
  for (std::uint32_t id = 0; id < network->constraints.size(); ++id) {
    const Constraint& constraint = network->constraints[id];
    if (constraint.kind != Constraint::Kind::kClause) continue;
    for (std::uint32_t l = constraint.literal_begin; l < constraint.literal_end; ++l) {
      const Literal& literal = network->literals[l];
      std::vector<Slot> slots;
      AppendSlots(literal, &slots);
      // A comparison may turn false at any change: the empty mask always wakes.
      const Bits mask = literal.kind == Literal::Kind::kSlot ? literal.x : 0;
      ClauseWatch watch{mask, id};
      SetGuards(*network, constraint, l, num_narrow, &watch);
      for (const Slot slot : slots) watches.push_back({slot, watch});
      std::vector<std::uint32_t> counters;
      AppendCounters(literal, &counters);
      for (const std::uint32_t counter : counters) by_counter.emplace_back(counter, id);
    }
  }
  BySlot index(num_slots);
  for (const auto& [slot, watch] : watches) index.Count(slot);
  network->clause_watches.resize(index.Place());
  for (const auto& [slot, watch] : watches) network->clause_watches[index.Next(slot)] = watch;
  network->clause_begin = std::move(index).begin();
  network->clauses_by_counter =
      MakeRows(std::move(by_counter), static_cast<std::uint32_t>(network->counters.size()));
}

void IndexCounters(std::uint32_t num_slots, Network* network) {
  std::vector<Link> by_slot, by_counter;
  for (std::uint32_t id = 0; id < network->counters.size(); ++id) {
    const Counter& counter = network->counters[id];
    for (std::uint32_t i = counter.increment_begin; i < counter.increment_end; ++i) {
      const Increment& increment = network->increments[i];
      std::vector<Slot> slots;
      std::vector<std::uint32_t> counters;
      for (std::uint32_t l = increment.literal_begin; l < increment.literal_end; ++l) {
        AppendSlots(network->increment_literals[l], &slots);
        AppendCounters(network->increment_literals[l], &counters);
      }
      if (increment.weight == Increment::Weight::kSlot) slots.push_back(increment.source);
      if (increment.weight == Increment::Weight::kCounter) counters.push_back(increment.source);
      for (const Slot slot : slots) by_slot.emplace_back(slot, id);
      for (const std::uint32_t source : counters) by_counter.emplace_back(source, id);
    }
  }
  network->counters_by_slot = MakeRows(std::move(by_slot), num_slots);
  network->parents_by_counter =
      MakeRows(std::move(by_counter), static_cast<std::uint32_t>(network->counters.size()));
}

}  // namespace

void IndexNetwork(const StateLayout& layout, Network* network) {
  const std::uint32_t num_slots = layout.num_slots();
  IndexPairs(num_slots, network);
  IndexTriples(num_slots, network);
  IndexClauses(num_slots, layout.num_narrow, network);
  IndexCounters(num_slots, network);

  std::vector<Link> wide, by_gate, gates;
  for (std::uint32_t id = 0; id < network->constraints.size(); ++id) {
    const Constraint& constraint = network->constraints[id];
    if (constraint.gate != 0) by_gate.emplace_back(constraint.gate, id);
    if (constraint.kind != Constraint::Kind::kWideTable) continue;
    for (int i = 0; i < constraint.arity; ++i) wide.emplace_back(constraint.slots[i], id);
  }
  for (std::uint32_t gate = 0; gate < layout.num_gates; ++gate) {
    for (const Slot slot : network->gate_slots.row(gate)) gates.emplace_back(slot, gate);
  }
  network->wide_tables_by_slot = MakeRows(std::move(wide), num_slots);
  network->constraints_by_gate = MakeRows(std::move(by_gate), layout.num_gates);
  network->gates_by_slot = MakeRows(std::move(gates), num_slots);
}

}  // namespace exh::runtime::internal

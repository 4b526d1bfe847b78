// SPDX-License-Identifier: MIT
//
// Where domains lie in a State (state.h says why they lie in rows), and which bits say that objects
// are present. In the order of a freeze:
//
//   AssignSlots()    gives each decision a slot: a cell in a row, a packed cell, or a wide domain
//   PlanPresence()   a bit for each object that may be absent; the cells that live behind a gate
//
// Invariants: a decision never moves; lane z of a row belongs to object z of a root set, so rows
// over the same set match; a narrow pair of a (anti)symmetric choice has two cells that mirror each
// other, in rows or packed side by side, and its slot is the one of the smaller object first.
#include <algorithm>
#include <bit>
#include <map>

#include "base/check.h"
#include "base/error.h"
#include "runtime/internal/freeze/freezer.h"

namespace exh::runtime::internal {
namespace {

constexpr std::size_t kMinRowDecisions = 8;  ///< Choices with fewer are packed.
constexpr std::size_t kMaxSpread = 8;  ///< Cells per decision above which rows are too sparse.

constexpr Slot RoundUp(Slot slot) {
  return (slot + kLanes - 1) / kLanes * kLanes;
}

}  // namespace

/// Memberships and fired tuples first, then the choices: those with one argument before those with
/// more, so that they are propagated first. Wide domains come last.
void Freezer::AssignSlots() {
  const std::size_t num_decisions = instance_->decision_choice_.size();
  instance_->slots_.assign(num_decisions, 0);
  Slot next = static_cast<Slot>(fired_.size());
  for (const auto& [member, adders] : adders_) {
    if (adders.size() > 1 && shared_memberships_.try_emplace(adders, next).second) ++next;
  }
  instance_->statistics_.hidden_slots = next;
  for (Slot slot = 0; slot < next; ++slot) slots_in_use_.push_back(slot);
  network_.rows_by_choice.resize(space_.choices.size());
  for (const bool many : {false, true}) {
    for (std::size_t c = 0; c < space_.choices.size(); ++c) {
      if (space_.choices[c].kind == ChoiceKind::kCounter) continue;
      if ((space_.choices[c].arguments.size() > 1) == many) AssignCells(static_cast<int>(c), &next);
    }
  }
  StateLayout& layout = instance_->layout_;
  layout.num_narrow = RoundUp(next);
  if (layout.num_narrow > kMaxPackedCells) {
    throw Error("space " + space_.name + ": its decisions take " +
                std::to_string(layout.num_narrow) + " cells of a state, which holds " +
                std::to_string(kMaxPackedCells) + "; a choice over pairs takes the square of the " +
                "number of objects, rounded up to " + std::to_string(kLanes));
  }
  Slot wide = layout.num_narrow;
  const auto words_of = [&](std::size_t d) {
    return (objects_.universes[instance_->universe_of_[d]].size() + 63) / 64;
  };
  for (std::size_t d = 0; d < num_decisions; ++d) {
    if (words_of(d) > 1) continue;
    if (std::bit_width(instance_->all_values_[d]) > 8) instance_->slots_[d] = wide++;
    slots_in_use_.push_back(instance_->slots_[d]);
  }
  const Slot first_long = wide;
  for (std::size_t d = 0; d < num_decisions; ++d) {
    const auto words = static_cast<std::uint32_t>(words_of(d));
    if (words <= 1) continue;
    instance_->slots_[d] = wide;
    network_.longs.push_back({wide, words});
    for (std::uint32_t word = 0; word < words; ++word) slots_in_use_.push_back(wide++);
  }
  layout.num_wide = wide - layout.num_narrow;
  layout.num_long = wide - first_long;
  std::ranges::sort(slots_in_use_);
  DescribeCells();
  FindBlocks();
}

void Freezer::FindBlocks() {
  const StateLayout& layout = instance_->layout_;
  instance_->decision_at_.assign(layout.num_narrow, kNoDecision);
  instance_->blocks_.resize(space_.choices.size());
  for (std::size_t c = 0; c < space_.choices.size(); ++c) {
    const auto first = instance_->first_decision_[c], end = instance_->first_decision_[c + 1];
    bool ascending = network_.rows_by_choice[c].in_rows;
    for (DecisionId d = first; d < end; ++d) {
      const Slot slot = instance_->slots_[d];
      if (slot >= layout.num_narrow) {
        ascending = false;
        continue;
      }
      instance_->decision_at_[slot] = d;
      ascending &= d == first || instance_->slots_[d - 1] < slot;
    }
    if (!ascending || first == end) continue;
    instance_->blocks_[c] = {instance_->slots_[first] / kLanes,
                             instance_->slots_[end - 1] / kLanes + 1};
  }
}

/// Rows by all arguments but the last, lanes by the last; packed when that would waste too much.
void Freezer::AssignCells(int choice, Slot* next) {
  const Choice& c = space_.choices[choice];
  const bool paired = c.symmetry != Symmetry::kNone;
  std::map<std::vector<Object>, Slot> rows;
  std::vector<DecisionId> narrow;
  const auto row_of = [](std::span<const Object> objects) {
    return std::vector<Object>(objects.begin(),
                               objects.empty() ? objects.end() : objects.end() - 1);
  };
  for (DecisionId d = instance_->first_decision_[choice];
       d < instance_->first_decision_[choice + 1]; ++d) {
    if (std::bit_width(instance_->all_values_[d]) > 8) continue;
    narrow.push_back(d);
    rows.try_emplace(row_of(instance_->objects(d)));
    if (paired) rows.try_emplace({instance_->objects(d).back()});
  }
  if (narrow.empty()) return;
  std::size_t width = 1;
  if (!c.arguments.empty()) {
    width = objects_.names[space_.sets[c.arguments.back().set.set].root].size();
  }
  const std::size_t lanes = RoundUp(static_cast<Slot>(width));
  const bool in_rows =
      narrow.size() >= kMinRowDecisions && rows.size() * lanes <= kMaxSpread * narrow.size();
  if (!in_rows && !paired) {
    for (const DecisionId d : narrow) instance_->slots_[d] = (*next)++;
    return;
  }
  if (!in_rows) {  // The mirror of a packed pair stands beside it.
    for (const DecisionId d : narrow) {
      instance_->slots_[d] = *next;
      *next += 2;
    }
    return;
  }
  *next = RoundUp(*next);
  for (auto& [key, row] : rows) {
    row = *next;
    *next += static_cast<Slot>(lanes);
  }
  RowTable& table = network_.rows_by_choice[choice];
  table.in_rows = true;
  table.root = space_.sets[c.arguments.back().set.set].root;
  for (const DecisionId d : narrow) {
    const std::span<const Object> objects = instance_->objects(d);
    instance_->slots_[d] = rows.at(row_of(objects)) + objects.back();
  }
  const ChoiceTable& tuples = objects_.choices[choice];
  table.rows.assign(tuples.strides.back(), kNoRow);
  for (const auto& [key, row] : rows) {
    std::size_t index = 0;
    for (std::size_t i = 0; i < key.size(); ++i) index += key[i] * tuples.strides[i];
    table.rows[index] = row;
    if (paired) table.first[key.front()] = row;
  }
}

void Freezer::DescribeCells() {
  std::array<std::uint8_t, 256> identity{};
  for (int values = 0; values < 256; ++values) {
    identity[values] = static_cast<std::uint8_t>(values);
  }
  network_.inverses.assign(1, identity);
  network_.cells.resize(instance_->layout_.num_narrow);
  for (Slot cell = 0; cell < network_.cells.size(); ++cell) network_.cells[cell] = {cell, cell, 0};
  for (std::size_t c = 0; c < space_.choices.size(); ++c) {
    const Choice& choice = space_.choices[c];
    if (choice.symmetry == Symmetry::kNone) continue;
    std::uint16_t inverse = 0;
    if (choice.symmetry == Symmetry::kAntisymmetric && choice.values.size() <= 8) {
      inverse = static_cast<std::uint16_t>(network_.inverses.size());
      auto& table = network_.inverses.emplace_back();
      for (int values = 0; values < 256; ++values) {
        table[values] = static_cast<std::uint8_t>(
            instance_->Invert(static_cast<int>(c), static_cast<Bits>(values)));
      }
    }
    const RowTable& table = network_.rows_by_choice[c];
    const auto first = instance_->first_decision_[c], end = instance_->first_decision_[c + 1];
    for (DecisionId d = first; d < end; ++d) {
      const Slot slot = instance_->slots_[d];
      if (slot >= instance_->layout_.num_narrow) continue;
      const std::span<const Object> pair = instance_->objects(d);
      const Slot mirror = table.in_rows ? table.first.at(pair[1]) + pair[0] : slot + 1;
      network_.cells[slot] = {mirror, slot, inverse};
      network_.cells[mirror] = {slot, slot, inverse};
    }
  }
}

void Freezer::SetDomain(Slot slot, Bits values, State* state) const {
  const StateLayout& layout = instance_->layout_;
  state->set_domain(layout, slot, values);
  if (slot >= layout.num_narrow) return;
  const Cell& cell = network_.cells[slot];
  if (cell.mirror == slot) return;
  state->set_domain(layout, cell.mirror,
                    network_.inverses[cell.inverse][static_cast<std::uint8_t>(values)]);
}

/// Presence bits, and which cells live when which gate opens.
void Freezer::PlanPresence() {
  StateLayout& layout = instance_->layout_;
  Network& network = network_;
  network.presences.words.assign(space_.sets.size(), 0);
  std::vector<std::vector<Slot>> needs;
  std::uint32_t words = 1;
  for (std::size_t s = 0; s < space_.sets.size(); ++s) {
    const SetTable& table = objects_.sets[s];
    if (space_.sets[s].root != static_cast<int>(s) || space_.sets[s].parameter_set >= 0) continue;
    const bool planned = std::ranges::any_of(
        table.membership, [&](int m) { return m >= 0 && !is_flag_[static_cast<Slot>(m)]; });
    if (!planned) continue;
    network.presences.words[s] = words;
    for (std::size_t object = 0; object < table.num_objects; ++object) {
      const int membership = table.at(kNoObject, static_cast<Object>(object));
      if (membership == kNotMember) continue;
      network.presences.bits.push_back({words + static_cast<std::uint32_t>(object) / kLanes,
                                        static_cast<std::uint32_t>(object) % kLanes});
      needs.emplace_back();
      if (membership >= 0) needs.back().push_back(static_cast<Slot>(membership));
    }
    words += RoundUp(static_cast<Slot>(table.num_objects)) / kLanes;
  }
  layout.num_presences = words;
  network.presences.slots.begin.assign(1, 0);
  std::vector<std::vector<std::uint32_t>> by_slot(layout.num_slots());
  for (std::size_t i = 0; i < needs.size(); ++i) {
    for (const Slot slot : needs[i]) {
      network.presences.slots.items.push_back(slot);
      by_slot[slot].push_back(static_cast<std::uint32_t>(i));
    }
    network.presences.slots.begin.push_back(
        static_cast<std::uint32_t>(network.presences.slots.items.size()));
  }
  network.presences.by_slot.begin.assign(1, 0);
  for (const auto& row : by_slot) {
    network.presences.by_slot.items.insert(network.presences.by_slot.items.end(), row.begin(),
                                           row.end());
    network.presences.by_slot.begin.push_back(
        static_cast<std::uint32_t>(network.presences.by_slot.items.size()));
  }

  network.slot_gates.assign(layout.num_slots(), 0);
  std::vector<std::map<std::uint32_t, std::uint64_t>> live(layout.num_gates);
  for (DecisionId d = 0; d < instance_->num_decisions(); ++d) {
    const Slot slot = instance_->slots_[d];
    const std::uint32_t gate = instance_->live_gates_[d];
    if (gate > 0xFFFF) throw Error("space " + space_.name + ": too many kinds of absent objects");
    network.slot_gates[slot] = static_cast<std::uint16_t>(gate);
    if (slot < layout.num_narrow) live[gate][slot / kLanes] |= std::uint64_t{1} << slot % kLanes;
  }
  network.gates.live_begin.assign(1, 0);
  for (const auto& blocks : live) {
    for (const auto& [block, cells] : blocks) network.gates.live.push_back({block, cells});
    network.gates.live_begin.push_back(static_cast<std::uint32_t>(network.gates.live.size()));
  }
}

}  // namespace exh::runtime::internal

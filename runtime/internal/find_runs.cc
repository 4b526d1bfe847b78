// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <optional>

#include "runtime/internal/run_finder.h"

namespace exh::runtime::internal {

void RunFinder::AppendObjects(DecisionId decision) {
  const Choice& choice = instance_.space().choices[instance_.choice(decision)];
  const std::span<const Object> objects = instance_.objects(decision);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    objects_.push_back({instance_.space().sets[choice.arguments[i].set.set].root, objects[i]});
  }
}

void RunFinder::AppendLanes(Slot slot, std::vector<RootObject>* lanes) const {
  if (!IsDecision(slot)) return;
  const DecisionId decision = decision_of_[slot];
  if (!network_.rows_by_choice[instance_.choice(decision)].in_rows) return;
  const std::span<const RootObject> objects = ObjectsOf(slot);
  lanes->push_back(objects.back());
  if (network_.cells[slot].mirror != slot) lanes->push_back(objects.front());
}

std::optional<RootObject> RunFinder::PickLane(std::span<const RootObject> shared,
                                              std::span<const Other> others) {
  lanes_.clear();
  for (const Other& other : others) AppendLanes(other.slot, &lanes_);
  std::optional<RootObject> best;
  std::size_t least = others.size() + 1;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const RootObject lane = lanes_[i];
    const auto earlier = lanes_.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(lanes_.begin(), earlier, lane) != earlier) continue;
    if (std::ranges::count(shared, lane) != 0) continue;
    std::size_t readers = 0;
    bool placeable = true;
    for (const Other& other : others) {
      if (!Reads(other.slot, lane)) continue;
      ++readers;
      placeable &= Place(other, lane, shared).has_value();
    }
    if (!placeable) continue;
    if (readers < least || (readers == least && lane > *best)) {
      best = lane;
      least = readers;
    }
  }
  return best;
}

std::optional<Placed> RunFinder::Place(const Other& other, RootObject lane,
                                       std::span<const RootObject> shared) const {
  Placed placed{other.slot, other.values, false, false, 0};
  if (!Reads(other.slot, lane)) {
    // The same side of a pair for all runs of a slot: what the slot reads stands first.
    const Cell& cell = other.slot < network_.cells.size() ? network_.cells[other.slot] : Cell{};
    if (IsDecision(other.slot) && cell.mirror != other.slot) {
      const std::span<const RootObject> pair = ObjectsOf(other.slot);
      if (std::ranges::count(shared, pair[1]) != 0 && std::ranges::count(shared, pair[0]) == 0) {
        placed.cell = cell.mirror;
        placed.values = network_.inverses[cell.inverse][other.values];
      }
    }
    return placed;
  }
  const DecisionId decision = decision_of_[other.slot];
  if (!network_.rows_by_choice[instance_.choice(decision)].in_rows) return std::nullopt;
  const std::span<const RootObject> objects = ObjectsOf(other.slot);
  const Cell& cell = network_.cells[other.slot];
  placed.in_row = true;
  if (objects.back() != lane) {
    if (cell.mirror == other.slot || objects.front() != lane) return std::nullopt;
    placed.mirrored = true;
    placed.cell = cell.mirror;
    placed.values = network_.inverses[cell.inverse][other.values];
  } else {
    for (std::size_t i = 0; i + 1 < objects.size(); ++i) {
      if (objects[i] == lane) return std::nullopt;
    }
  }
  placed.cell -= lane.object % kLanes;
  return placed;
}

bool RunFinder::SetGate(Slot slot, std::uint32_t gate, RootObject lane, Key* key) {
  const std::uint32_t first = network_.presence_words[lane.root];
  std::optional<Slot> needed;  // By the presence of the lane.
  if (first != 0) {
    const int membership = instance_.object_tables().sets[lane.root].at(kNoObject, lane.object);
    if (membership >= 0) needed = static_cast<Slot>(membership);
  }
  const std::vector<Slot>& certain = root_.memberships[slot];
  bool found = !needed || std::ranges::binary_search(certain, *needed);
  rest_.clear();  // Memberships of what all lanes share.
  for (const Slot member : network_.gate_slots.row(gate)) {
    if (needed == member) {
      found = true;
    } else if (!std::ranges::binary_search(certain, member)) {
      rest_.push_back(member);
    }
  }
  if (!found) return false;
  key->words[kPresenceWord] = first == 0 ? 0 : first + lane.object / kLanes;
  if (rest_.empty()) return true;  // Gate 0 is always open.
  const auto gate_of_rest = gates_.find(rest_);
  if (gate_of_rest == gates_.end()) return false;
  key->words[kGateWord] = gate_of_rest->second;
  return true;
}

void RunFinder::Add(const Key& key, Member member) {
  const auto [it, is_new] = ids_.try_emplace(key, static_cast<std::uint32_t>(groups_.size()));
  if (is_new) groups_.push_back({key, {}});
  groups_[it->second].members.push_back(member);
}

std::uint32_t RunFinder::Intern(std::vector<std::uint8_t> bytes) {
  const auto [it, is_new] = contents_.try_emplace(
      std::move(bytes), static_cast<std::uint32_t>(network_.run_tables.size()));
  if (is_new) {
    auto& tables = network_.run_tables;
    tables.insert(tables.end(), it->first.begin(), it->first.end());
    tables.resize((tables.size() + kRowAlignment - 1) / kRowAlignment * kRowAlignment +
                  kRowAlignment);
  }
  return it->second;
}

namespace {

/// Index in the look-up table of the target at `position` for domains of the two other positions.
std::uint32_t LutIndex(const Relation& relation, int p, Bits p_values, int q, Bits q_values) {
  return static_cast<std::uint32_t>(p < q ? p_values << relation.sizes[q] | q_values
                                          : q_values << relation.sizes[p] | p_values);
}

}  // namespace

std::uint32_t RunFinder::PairTable(const Relation& relation, int from, const Placed& to,
                                   int to_position) {
  const std::uint16_t inverse = to.mirrored ? network_.cells[to.cell].inverse : 0;
  const TableOrigin key = {relation.luts[to_position], relation.sizes[from], inverse};
  const auto [known, is_new] = tables_.try_emplace(key, 0);
  if (!is_new) return known->second;
  std::vector<std::uint8_t> masks(256, 0xFF);
  for (unsigned values = 1; values < 1u << relation.sizes[from]; ++values) {
    masks[values] = network_.luts[relation.luts[to_position] + values];
    masks[values] = network_.inverses[inverse][masks[values]];
  }
  return known->second = Intern(std::move(masks));
}

namespace {

int TableWidth(int size) {
  return std::max(16, 1 << size);
}

}  // namespace

std::uint32_t RunFinder::TripleTable(const Relation& relation, int from, int b, bool b_mirrored,
                                     int c, bool c_mirrored, const std::uint16_t* inverses) {
  // The 1 tells it from those of PairTable().
  const TableOrigin key = {relation.luts[0],
                           relation.luts[1],
                           relation.luts[2],
                           static_cast<std::uint32_t>(1 << 8 | from << 4 | b << 2 | c),
                           b_mirrored ? inverses[0] + 1u : 0u,
                           c_mirrored ? inverses[1] + 1u : 0u};
  const auto [it, is_new] = tables_.try_emplace(key, 0);
  if (!is_new) return it->second;
  const auto& of_b = network_.inverses[b_mirrored ? inverses[0] : 0];
  const auto& of_c = network_.inverses[c_mirrored ? inverses[1] : 0];
  const int width_b = TableWidth(relation.sizes[b]), width_c = TableWidth(relation.sizes[c]);
  const unsigned num_domains = 1u << relation.sizes[from];
  std::vector<std::uint8_t> bytes(256 + num_domains * static_cast<unsigned>(width_b + width_c), 0);
  std::map<std::vector<std::uint8_t>, std::uint8_t> classes;
  for (unsigned from_values = 1; from_values < num_domains; ++from_values) {
    std::uint8_t* const lut_b =
        bytes.data() + 256 + from_values * static_cast<unsigned>(width_b + width_c);
    std::uint8_t* const lut_c = lut_b + width_c;
    for (unsigned v = 1; v < 1u << relation.sizes[c]; ++v) {
      lut_b[v] =
          of_b[network_.luts[relation.luts[b] + LutIndex(relation, from, from_values, c, of_c[v])]];
    }
    for (unsigned v = 1; v < 1u << relation.sizes[b]; ++v) {
      lut_c[v] =
          of_c[network_.luts[relation.luts[c] + LutIndex(relation, from, from_values, b, of_b[v])]];
    }
    const auto is_all = [](const std::uint8_t* lut, int size, int target_size) {
      return std::all_of(lut + 1, lut + (1 << size),
                         [&](std::uint8_t values) { return values == (1 << target_size) - 1; });
    };
    if (is_all(lut_b, relation.sizes[c], relation.sizes[b]) &&
        is_all(lut_c, relation.sizes[b], relation.sizes[c])) {
      bytes[from_values] = kUniversalClass;
      continue;
    }
    const std::vector<std::uint8_t> row(lut_b, lut_b + width_b + width_c);
    bytes[from_values] =
        classes.try_emplace(row, static_cast<std::uint8_t>(classes.size())).first->second;
  }
  // "Nothing is known of what was seen before" is a domain of its own.
  for (unsigned values = num_domains; values < 256; ++values) bytes[values] = 0xFF;
  return it->second = Intern(std::move(bytes));
}

void RunFinder::FindTable(std::uint32_t id) {
  const Constraint& constraint = network_.constraints[id];
  const Relation& relation = network_.relations[constraint.relation];
  for (int from = 0; from < constraint.arity; ++from) {
    const Slot slot = constraint.slots[from];
    if (!IsDecision(slot)) continue;
    std::vector<Other>& others = others_;
    std::vector<int>& positions = positions_;
    std::vector<Placed>& placed = placed_;
    others.clear();
    positions.clear();
    placed.clear();
    for (int i = 0; i < constraint.arity; ++i) {
      if (i == from) continue;
      others.push_back({constraint.slots[i]});
      positions.push_back(i);
    }
    const std::span<const RootObject> shared = ObjectsOf(slot);
    const std::optional<RootObject> lane = PickLane(shared, others);
    if (!lane) continue;
    Key key;
    if (!SetGate(slot, constraint.gate, *lane, &key)) continue;
    for (const Other& other : others) placed.push_back(*Place(other, *lane, shared));
    if (!std::ranges::all_of(placed, &Placed::in_row)) continue;
    key.words[kSlotWord] = slot;
    Member member{lane->object % kLanes, id, static_cast<std::uint8_t>(from)};
    const auto root = [&](int i) {
      const auto values = static_cast<std::uint8_t>(root_.slots[others[i].slot]);
      const Cell& cell = network_.cells[others[i].slot];
      return placed[i].mirrored ? network_.inverses[cell.inverse][values] : values;
    };
    member.root_from = static_cast<std::uint8_t>(root_.slots[slot]);
    if (constraint.arity == 2) {
      key.words[kKindWord] = kPairs;
      key.words[kLiteralWords] = placed[0].cell;
      Placed to = placed[0];
      to.cell = others[0].slot;  // Any cell of the choice: only the inverse is asked for.
      member.table = PairTable(relation, from, to, positions[0]);
      member.root_b = root(0);
    } else {
      if (relation.sizes[from] > kMaxTableValues) continue;
      const int b = placed[0].cell <= placed[1].cell ? 0 : 1, c = 1 - b;
      const std::uint16_t inverses[] = {network_.cells[others[b].slot].inverse,
                                        network_.cells[others[c].slot].inverse};
      key.words[kKindWord] = kTriples;
      key.words[kLiteralWords] = placed[b].cell;
      key.words[kLiteralWords + 1] = placed[c].cell;
      key.words[kLiteralWords + 2] =
          static_cast<std::uint32_t>(TableWidth(relation.sizes[positions[b]]) << 16 |
                                     TableWidth(relation.sizes[positions[c]]));
      member.table = TripleTable(relation, from, positions[b], placed[b].mirrored, positions[c],
                                 placed[c].mirrored, inverses);
      member.root_b = root(b);
      member.root_c = root(c);
    }
    Add(key, member);
  }
}

void RunFinder::FindClause(std::uint32_t id) {
  const Constraint& constraint = network_.constraints[id];
  const std::uint32_t size = constraint.literal_end - constraint.literal_begin;
  if (size < 2 || size > 1 + kMaxRunScalars + kMaxRunRows) return;
  const std::span<const Literal> literals(network_.literals.data() + constraint.literal_begin,
                                          size);
  for (const Literal& literal : literals) {
    if (literal.kind != Literal::Kind::kSlot || literal.a >= decision_of_.size()) return;
  }
  for (std::uint32_t watched = 0; watched < size; ++watched) {
    const Slot slot = literals[watched].a;
    if (!IsDecision(slot)) continue;
    others_.clear();
    placed_.clear();
    for (std::uint32_t i = 0; i < size; ++i) {
      if (i == watched) continue;
      others_.push_back({literals[i].a, static_cast<std::uint8_t>(literals[i].x)});
    }
    const std::span<const RootObject> shared = ObjectsOf(slot);
    const std::optional<RootObject> lane = PickLane(shared, others_);
    if (!lane) continue;
    Key key;
    if (!SetGate(slot, constraint.gate, *lane, &key)) continue;
    for (const Other& other : others_) placed_.push_back(*Place(other, *lane, shared));
    if (!Pack(placed_, &key)) continue;
    key.words[kSlotWord] = slot;
    key.words[kValuesWord] = static_cast<std::uint32_t>(literals[watched].x);
    key.words[kKindWord] = kClauses;
    Add(key, {lane->object % kLanes, id, static_cast<std::uint8_t>(watched)});
  }
}

}  // namespace exh::runtime::internal

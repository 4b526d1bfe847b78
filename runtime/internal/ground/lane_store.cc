// SPDX-License-Identifier: MIT
//
// The store is a hash table of views, each with a list of classes, and a hash table of the clauses
// that do not become tables. Clauses over the same cells meet in Add(): the classes of a view with
// one gate are a partition of the lanes that have any clause behind it. A new clause in some lanes
// refines the partition: lanes of a class that get it move to the class that has it too.
//
// Invariants between two calls: the classes of a view with the same gate have no lane in common and
// different patterns; none is without lanes; `active` is part of `lanes`. Views are never removed,
// so their numbers stay.
#include "runtime/internal/ground/lane_store.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace exh::runtime::internal {
namespace {

/// Bits of two domains that index a look-up table; as RelationStore::AddLuts().
constexpr int kMaxLutBits = 12;

}  // namespace

std::uint64_t LaneStore::Hash(std::span<const std::uint32_t> cells, int num_scalars) {
  std::uint64_t hash = cells.size() * 8 + static_cast<unsigned>(num_scalars);
  for (const std::uint32_t cell : cells) {
    hash = (hash ^ cell) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

const LaneView* LaneStore::Find(std::span<const std::uint32_t> cells, int num_scalars) const {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = Hash(cells, num_scalars) & mask; table_[at] != 0; at = (at + 1) & mask) {
    const LaneView& view = views_[table_[at] - 1];
    if (view.arity == cells.size() && view.num_scalars == num_scalars &&
        std::equal(cells.begin(), cells.end(), view.cells.begin())) {
      return &view;
    }
  }
  return nullptr;
}

std::uint32_t LaneStore::FindOrAdd(const LaneView& view) {
  const std::span<const std::uint32_t> cells(view.cells.data(), view.arity);
  if (const LaneView* known = Find(cells, view.num_scalars)) {
    return static_cast<std::uint32_t>(known - views_.data());
  }
  views_.push_back(view);
  has_arity_[view.arity] = true;
  if (views_.size() * 2 > table_.size()) {
    Grow();
  } else {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = Hash(cells, view.num_scalars) & mask;
    while (table_[at] != 0) at = (at + 1) & mask;
    table_[at] = static_cast<std::uint32_t>(views_.size());
  }
  return static_cast<std::uint32_t>(views_.size() - 1);
}

void LaneStore::Grow() {
  table_.assign(table_.size() * 4, 0);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const LaneView& view = views_[i];
    std::size_t at = Hash({view.cells.data(), view.arity}, view.num_scalars) & mask;
    while (table_[at] != 0) at = (at + 1) & mask;
    table_[at] = static_cast<std::uint32_t>(i + 1);
  }
}

void LaneStore::Add(const LaneView& key, LaneGate gate, std::uint32_t pattern, std::uint64_t lanes,
                    std::uint64_t active) {
  const std::uint32_t number = FindOrAdd(key);
  // The lane goes from the class where it was to the one of the same gate that has the pattern too.
  const auto move_to = [&](std::uint32_t patterns, std::uint64_t moved, std::uint64_t is_active) {
    for (std::uint32_t c = views_[number].classes; c != 0; c = classes_[c - 1].next) {
      LaneClass& to = classes_[c - 1];
      if (to.gate != gate || to.patterns != patterns) continue;
      to.lanes |= moved;
      to.active |= is_active;
      return;
    }
    std::uint32_t added = free_classes_;
    if (added != 0) {
      free_classes_ = classes_[added - 1].next;
    } else {
      classes_.emplace_back();
      added = static_cast<std::uint32_t>(classes_.size());
    }
    classes_[added - 1] = {moved, is_active, gate, patterns, views_[number].classes};
    views_[number].classes = added;
  };
  struct Move {
    std::uint32_t patterns;
    std::uint64_t lanes, active;
  };
  std::array<Move, 64> moves;
  std::size_t num_moves = 0;
  std::uint64_t rest = lanes;
  for (std::uint32_t c = views_[number].classes; c != 0 && rest != 0; c = classes_[c - 1].next) {
    LaneClass& known = classes_[c - 1];
    const std::uint64_t here = known.lanes & rest;
    if (known.gate != gate || here == 0) continue;
    rest &= ~here;
    const std::uint32_t patterns = pattern_sets_.With(known.patterns, pattern);
    if (patterns == known.patterns) {
      known.active |= active & here;
      continue;
    }
    moves[num_moves++] = {patterns, here, (known.active | active) & here};
    known.lanes &= ~here;
    known.active &= ~here;
  }
  for (std::size_t i = 0; i < num_moves; ++i) {
    move_to(moves[i].patterns, moves[i].lanes, moves[i].active);
  }
  if (rest != 0) move_to(pattern_sets_.With(0, pattern), rest, active & rest);
  // Classes that lost all their lanes are as good as none; the list stays short without them.
  std::uint32_t* link = &views_[number].classes;
  while (*link != 0) {
    LaneClass& known = classes_[*link - 1];
    if (known.lanes == 0) {
      const std::uint32_t freed = *link;
      *link = known.next;
      known.next = free_classes_;
      free_classes_ = freed;
    } else {
      link = &known.next;
    }
  }
}

std::uint64_t LaneStore::Hash(const LaneClause& clause) {
  std::uint64_t hash = clause.origin * 64u + clause.num_scalars * 8u + clause.num_rows;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  };
  mix(std::uint64_t{clause.gate} << 1 | clause.always);
  for (int i = 0; i < clause.size(); i += 2) {
    const PackedLiteral second = i + 1 < clause.size() ? clause.literals[i + 1] : 0;
    mix(std::uint64_t{clause.literals[i]} << 32 | second);
  }
  return hash;
}

bool LaneStore::AreAlike(const LaneClause& a, const LaneClause& b) {
  return a.literals == b.literals && a.gate == b.gate && a.always == b.always &&
         a.origin == b.origin && a.num_scalars == b.num_scalars && a.num_rows == b.num_rows;
}

void LaneStore::GrowClauses() {
  clause_table_.assign(std::max<std::size_t>(1024, clause_table_.size() * 4), 0);
  const std::size_t mask = clause_table_.size() - 1;
  for (std::size_t i = 0; i < clauses_.size(); ++i) {
    std::size_t at = Hash(clauses_[i]) & mask;
    while (clause_table_[at] != 0) at = (at + 1) & mask;
    clause_table_[at] = static_cast<std::uint32_t>(i + 1);
  }
}

void LaneStore::AddClause(LaneClause clause) {
  const auto sort = [&](int from, int end) {
    for (int i = from + 1; i < end; ++i) {
      for (int j = i; j > from && clause.literals[j] < clause.literals[j - 1]; --j) {
        std::swap(clause.literals[j], clause.literals[j - 1]);
      }
    }
  };
  sort(0, clause.num_scalars);
  sort(clause.num_scalars, clause.size());
  if (2 * (clauses_.size() + 1) > clause_table_.size()) GrowClauses();
  const std::size_t mask = clause_table_.size() - 1;
  std::size_t at = Hash(clause) & mask;
  for (; clause_table_[at] != 0; at = (at + 1) & mask) {
    LaneClause& known = clauses_[clause_table_[at] - 1];
    if (!AreAlike(known, clause)) continue;
    known.lanes |= clause.lanes;
    return;
  }
  clauses_.push_back(clause);
  clause_table_[at] = static_cast<std::uint32_t>(clauses_.size());
}

bool LaneStore::Accepts(std::span<const Slot> slots) const {
  if (!is_on() || slots.size() < 2 || slots.size() > kMaxTableArity) return false;
  int most = 0, least = 64, all = 0;
  for (const Slot slot : slots) {
    if (!places_->IsDecision(slot)) return false;
    most = std::max<int>(most, domains_.sizes[slot]);
    least = std::min<int>(least, domains_.sizes[slot]);
    all += domains_.sizes[slot];
  }
  if (slots.size() == 2 && most > kMaxLutBits) return false;
  if (slots.size() == 3 && all - least > kMaxLutBits) return false;
  const RowPlaces::Lanes lanes = places_->LanesOf(slots);
  if (slots.size() != 3) return lanes.size != 0;
  return std::ranges::any_of(lanes.all(), [&](RootObject lane) { return IsShared(slots, lane); });
}

/// Of three slots one does not read the lane: runs hang on it.
bool LaneStore::IsShared(std::span<const Slot> slots, RootObject lane) const {
  std::size_t readers = 0;
  for (const Slot slot : slots) readers += places_->Reads(slot, lane);
  return readers == 2;
}

LaneGate LaneStore::WithoutLane(std::uint32_t gate, Slot membership) {
  if (membership == RowPlaces::kAlwaysThere) return {gate, false};
  const auto [known, is_new] = without_lane_.try_emplace({gate, membership});
  if (is_new) {
    std::vector<Slot> rest = gates_.slots(gate);
    const bool waits = std::erase(rest, membership) != 0;
    known->second = {waits ? gates_.Intern(std::move(rest)) : gate, !waits};
  }
  return known->second;
}

std::uint32_t LaneStore::WithLane(LaneGate gate, Slot membership) {
  if (membership == RowPlaces::kAlwaysThere || gate.always) return gate.rest;
  const auto [known, is_new] = with_lane_.try_emplace({gate.rest, membership});
  if (is_new) {
    std::vector<Slot> slots = gates_.slots(gate.rest);
    slots.push_back(membership);
    known->second = gates_.Intern(std::move(slots));
  }
  return known->second;
}

Placement LaneStore::Place(std::span<const Slot> slots, RootObject lane) const {
  Placement placement;
  struct Placed {
    std::uint32_t cell;
    std::uint8_t number;
  };
  using List = std::array<Placed, LaneClause::kMaxLiterals>;
  List scalars{}, rows{};
  const auto insert = [](List* list, std::size_t size, Placed placed) {
    std::size_t at = size;
    for (; at > 0 && placed.cell < (*list)[at - 1].cell; --at) (*list)[at] = (*list)[at - 1];
    (*list)[at] = placed;
  };
  std::size_t num_scalars = 0, num_rows = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto number = static_cast<std::uint8_t>(i);
    if (!places_->Reads(slots[i], lane)) {
      insert(&scalars, num_scalars++, {slots[i], number});
      continue;
    }
    const std::optional<RowPlace> place = places_->InRow(slots[i], lane);
    EXH_CHECK(place.has_value());
    if (place->mirrored) placement.inverse[i] = network_.cells[slots[i]].inverse;
    insert(&rows, num_rows++, {place->row, number});
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Placed& placed = i < num_scalars ? scalars[i] : rows[i - num_scalars];
    placement.cells[i] = placed.cell;
    placement.position[placed.number] = static_cast<std::uint8_t>(i);
  }
  placement.num_scalars = static_cast<std::uint8_t>(num_scalars);
  placement.lane = static_cast<std::uint8_t>(lane.object % kLanes);
  placement.root = static_cast<std::uint16_t>(lane.root);
  placement.first = lane.object - placement.lane;
  return placement;
}

std::uint32_t LaneStore::MirrorPairs(std::uint32_t relation, std::uint16_t left,
                                     std::uint16_t right) {
  if (left == 0 && right == 0) return relation;
  const auto [known, is_new] = mirrored_pairs_.try_emplace({relation, left, right}, 0);
  if (!is_new) return known->second;
  const PairRelation& pairs = network_.pair_relations[relation];
  const auto& of_left = network_.inverses[left];
  const auto& of_right = network_.inverses[right];
  std::vector<Bits> rows(pairs.num_left);
  for (int value = 0; value < pairs.num_left; ++value) {
    const int mirrored = std::countr_zero(of_left[std::size_t{1} << value]);
    rows[mirrored] = of_right[pairs.rows[value]];
  }
  return known->second = relations_.InternPairs(std::move(rows), pairs.num_right).first;
}

std::uint32_t LaneStore::Convert(std::uint32_t id, std::span<const Slot> slots,
                                 const Placement& placement) {
  std::array<std::uint32_t, kMaxTableArity + 1> key{id};
  for (std::size_t i = 0; i < slots.size(); ++i) {
    key[i + 1] = placement.inverse[i] * 4u + placement.position[i] + 1;
  }
  const auto [known, is_new] = converted_.try_emplace(key, 0);
  if (!is_new) return known->second;
  const Pattern pattern = network_.patterns[id];
  Pattern placed;
  placed.origin = pattern.origin;
  placed.num_pairs = pattern.num_pairs;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    placed.masks[placement.position[i]] = network_.inverses[placement.inverse[i]][pattern.masks[i]];
  }
  for (int i = 0; i < pattern.num_pairs; ++i) {
    const auto [left, right] = pattern.pair_positions[i];
    placed.pair_positions[i] = {placement.position[left], placement.position[right]};
    placed.pair_relations[i] =
        MirrorPairs(pattern.pair_relations[i], placement.inverse[left], placement.inverse[right]);
  }
  return known->second = relations_.InternPattern(placed);
}

bool LaneStore::AddGround(std::span<const Slot> slots, std::uint32_t pattern, std::uint32_t gate) {
  if (!Accepts(slots)) return false;
  const RowPlaces::Lanes lanes_of = places_->LanesOf(slots);
  for (const RootObject lane : lanes_of.all()) {
    if (slots.size() == 3 && !IsShared(slots, lane)) continue;
    const Placement placement = Place(slots, lane);
    LaneView view;
    std::copy_n(placement.cells.begin(), slots.size(), view.cells.begin());
    view.arity = static_cast<std::uint8_t>(slots.size());
    view.num_scalars = placement.num_scalars;
    view.root = placement.root;
    view.first = placement.first;
    const std::uint64_t bit = std::uint64_t{1} << placement.lane;
    Add(view, WithoutLane(gate, places_->MembershipOf(lane)), Convert(pattern, slots, placement),
        bit, bit);
  }
  return true;
}

bool LaneStore::FindGround(std::span<const Slot> slots,
                           std::vector<std::pair<std::uint32_t, std::uint32_t>>* found) {
  if (slots.size() > kMaxTableArity || !has_arity(static_cast<int>(slots.size())) ||
      !Accepts(slots)) {
    return false;
  }
  const RowPlaces::Lanes lanes_of = places_->LanesOf(slots);
  for (const RootObject lane : lanes_of.all()) {
    if (slots.size() == 3 && !IsShared(slots, lane)) continue;
    // Any view of it has all of it.
    const Placement placement = Place(slots, lane);
    const LaneView* const view =
        Find({placement.cells.data(), slots.size()}, placement.num_scalars);
    if (view == nullptr) return false;
    std::array<Slot, kMaxTableArity> seen{};
    Placement back;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const std::uint8_t at = placement.position[i];
      seen[at] = slots[i];
      back.position[at] = static_cast<std::uint8_t>(i);
      back.inverse[at] = placement.inverse[i];
    }
    std::vector<std::uint32_t> patterns;
    for (std::uint32_t c = view->classes; c != 0; c = classes_[c - 1].next) {
      const LaneClass& lanes = classes_[c - 1];
      if ((lanes.lanes >> placement.lane & 1) == 0) continue;
      patterns.clear();
      pattern_sets_.Append(lanes.patterns, &patterns);
      for (const std::uint32_t pattern : patterns) {
        found->emplace_back(WithLane(lanes.gate, places_->MembershipOf(lane)),
                            Convert(pattern, {seen.data(), slots.size()}, back));
      }
    }
    return !found->empty();
  }
  return false;
}

bool LaneStore::AddGroundClause(std::span<const Literal> literals, std::uint32_t gate,
                                std::uint32_t origin) {
  if (!is_on() || literals.size() < 2 || literals.size() > LaneClause::kMaxLiterals) return false;
  std::array<Slot, LaneClause::kMaxLiterals> all;
  for (std::size_t i = 0; i < literals.size(); ++i) {
    if (literals[i].kind != Literal::Kind::kIn || !places_->IsDecision(literals[i].a)) {
      return false;
    }
    all[i] = literals[i].a;
  }
  const std::span<const Slot> slots(all.data(), literals.size());
  const RowPlaces::Lanes lanes = places_->LanesOf(slots);
  for (const RootObject lane : lanes.all()) {
    const Placement placement = Place(slots, lane);
    LaneClause clause;
    clause.num_scalars = placement.num_scalars;
    clause.num_rows = static_cast<std::uint8_t>(slots.size() - placement.num_scalars);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const auto values = static_cast<std::uint8_t>(literals[i].x);
      clause.literals[placement.position[i]] = PackLiteral(
          placement.cells[placement.position[i]], network_.inverses[placement.inverse[i]][values]);
    }
    clause.lanes = std::uint64_t{1} << placement.lane;
    const LaneGate lane_gate = WithoutLane(gate, places_->MembershipOf(lane));
    clause.gate = lane_gate.rest;
    clause.always = lane_gate.always;
    clause.origin = origin;
    clause.root = placement.root;
    clause.first = placement.first;
    AddClause(clause);
  }
  return lanes.size != 0;
}

void LaneStore::Clear() {
  views_ = {};
  table_.assign(1, 0);
  classes_ = {};
  free_classes_ = 0;
  clauses_ = {};
  clause_table_ = {};
}

}  // namespace exh::runtime::internal

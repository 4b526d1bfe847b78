// SPDX-License-Identifier: MIT
//
// A decision with objects (x, …, z) stands in the row of (x, …) at lane z; a pair (x, z) of a
// symmetric choice also stands, mirrored, in the row of z at lane x. So an object can be the lane
// of a set of slots when each of them that reads it has it in one of these places, and nowhere
// else.
//
// order is a choice of pairs of the objects 0 to 3, size one of single objects. An `x` is a slot,
// an `m` a mirror:
//
//   lane              0    1    2    3
//   row order(0,.)    .    x    x    x      order(0,2) stands in the row of 0 at lane 2,
//   row order(1,.)    m    .    x    x
//   row order(2,.)    m    m    .    x      and mirrored in the row of 2 at lane 0
//   row order(3,.)    m    m    m    .
//   row size(.)       x    x    x    x
//
// Of order(0,2) and size(2) object 2 can be the lane: rows order(0,.) and size(.), lane 2.
#include "runtime/internal/network/row_places.h"

#include <algorithm>

#include "base/check.h"
#include "runtime/instance.h"
#include "runtime/internal/network/objects.h"

namespace exh::runtime::internal {

RowPlaces::RowPlaces(const Instance& instance, const Network& network) : network_(network) {
  const std::uint32_t num_narrow = instance.layout().num_narrow;
  decision_of_.assign(num_narrow, kNoDecision);
  objects_begin_.assign(num_narrow + 1, 0);
  in_rows_.assign(num_narrow, false);
  for (DecisionId d = 0; d < instance.num_decisions(); ++d) {
    if (instance.slot(d) < num_narrow) decision_of_[instance.slot(d)] = d;
  }
  for (Slot slot = 0; slot < num_narrow; ++slot) {
    if (const DecisionId d = decision_of_[slot]; d != kNoDecision) {
      const Choice& choice = instance.space().choices[instance.choice(d)];
      const std::span<const Object> objects = instance.objects(d);
      for (std::size_t i = 0; i < objects.size(); ++i) {
        objects_.push_back({instance.space().sets[choice.arguments[i].set.set].root, objects[i]});
      }
      in_rows_[slot] = network.rows_by_choice[instance.choice(d)].in_rows;
    }
    objects_begin_[slot + 1] = static_cast<std::uint32_t>(objects_.size());
  }
  const std::vector<Set>& sets = instance.space().sets;
  memberships_.resize(sets.size());
  needed_.resize(sets.size());
  for (std::size_t s = 0; s < sets.size(); ++s) {
    if (sets[s].root != static_cast<int>(s)) continue;
    const SetTable& table = instance.object_tables().sets[s];
    needed_[s].resize(table.num_objects / kLanes + 1);
    for (std::size_t object = 0; object < table.num_objects; ++object) {
      const int membership = sets[s].parameter_set >= 0
                                 ? kPermanent
                                 : table.at(kNoObject, static_cast<Object>(object));
      const Slot slot = membership >= 0 ? static_cast<Slot>(membership) : kAlwaysThere;
      memberships_[s].push_back(slot);
      std::vector<Needed>& needed = needed_[s][object / kLanes];
      auto known = std::ranges::find(needed, slot, &Needed::membership);
      if (known == needed.end()) known = needed.insert(needed.end(), {0, slot});
      known->lanes |= std::uint64_t{1} << object % kLanes;
    }
  }
}

std::optional<RowPlace> RowPlaces::InRow(Slot slot, RootObject lane) const {
  if (slot >= in_rows_.size() || !in_rows_[slot]) return std::nullopt;
  const std::span<const RootObject> objects = ObjectsOf(slot);
  const std::uint32_t number = lane.object % kLanes;
  if (objects.back() == lane) {
    for (std::size_t i = 0; i + 1 < objects.size(); ++i) {
      if (objects[i] == lane) return std::nullopt;
    }
    return RowPlace{slot - number, false};
  }
  const Cell& cell = network_.cells[slot];
  if (cell.mirror == slot || objects.front() != lane) return std::nullopt;
  return RowPlace{cell.mirror - number, true};
}

RowPlaces::Lanes RowPlaces::LanesOf(std::span<const Slot> slots) const {
  Lanes lanes;
  for (const Slot slot : slots) {
    if (slot >= in_rows_.size() || !in_rows_[slot]) continue;
    for (const RootObject object : ObjectsOf(slot)) {
      if (std::ranges::count(lanes.all(), object) != 0) continue;
      const bool placeable = std::ranges::all_of(slots, [&](Slot other) {
        return !Reads(other, object) || InRow(other, object).has_value();
      });
      if (!placeable) continue;
      EXH_CHECK(lanes.size < 2 * kMaxSlots);  // A slot has two objects in a row at most.
      lanes.objects[lanes.size++] = object;
    }
  }
  return lanes;
}

std::optional<RootObject> RowPlaces::PickLane(std::span<const Slot> slots, std::size_t from,
                                              const Lanes& lanes, Lanes* also) const {
  std::optional<RootObject> best;
  std::size_t least = slots.size() + 1;
  for (const RootObject object : lanes.all()) {
    if (Reads(slots[from], object)) continue;
    std::size_t readers = 0;
    for (const Slot slot : slots) readers += Reads(slot, object);
    if (readers < least) {
      best = object;
      least = readers;
      if (also != nullptr) also->size = 0;
    } else if (readers == least) {
      if (also != nullptr) also->objects[also->size++] = std::min(*best, object);
      best = std::max(*best, object);
    }
  }
  return best;
}

}  // namespace exh::runtime::internal

// SPDX-License-Identifier: MIT
//
// Joints: decisions that have many values each, but few combinations of them.
//
// The levels of a tiled axis multiply to its extent, and other requirements say which of them may
// be 1. Each of these, taken alone, holds for many values that no implementation has. Where a
// counter that must have one value multiplies (or adds) two to four decisions and nothing else,
// this file lists all combinations that reach the value and that every table and clause over some
// of these decisions allows. Of a table with one more decision it is enough that some value of that
// one fits. A list of up to kMostKept combinations becomes a constraint of its own, propagated to
// generalised arc consistency with one bit per combination (Demeulenaere et al., "Compact-Table",
// CP 2016, without the part that remembers).
//
// An axis of 12 has three levels, each of {1, 2, 3, 4, 6, 12}, and the middle one may not be 1:
//
//   combinations of values                       216
//   the product is 12                             18   (1,1,12) (1,2,6) (1,3,4) (1,4,3) …
//   and the middle one is not 1                   12   (1,2,6) (1,3,4) … (6,2,1): the joint
//
// The first level decided as 2 leaves (2,2,3), (2,3,2) and (2,6,1). So the middle one may be 2, 3
// or 6, and the last one 1, 2 or 3.
//
// Invariant: a joint follows from the constraints that it is made of, all of which hold whenever
// its gate is open. So it takes no implementation away, and the counter needs no look any more
// while the gate is open.
#include <algorithm>
#include <bit>
#include <map>
#include <utility>
#include <vector>

#include "runtime/internal/freeze/freezer.h"
#include "runtime/internal/network/literal.h"

namespace exh::runtime::internal {
namespace {

/// More combinations of values are not gone through, more that are left are not kept.
constexpr std::size_t kMostTried = std::size_t{1} << 18, kMostKept = 64 * Joint::kMaxWords;

using Combination = std::array<std::uint8_t, kMaxTableArity>;  ///< A value for each slot.

/// A counter that must be `value` while the gate is open.
struct Group {
  std::uint32_t counter = 0;
  std::uint64_t value = 0;
  std::uint32_t gate = 0;
  std::vector<Slot> slots;                          ///< Ascending.
  std::vector<std::vector<std::uint64_t>> numbers;  ///< By slot and value: what the counter reads.
  std::vector<Combination> left;
  std::vector<std::uint32_t> origins;

  int Find(Slot slot) const {
    const auto found = std::ranges::lower_bound(slots, slot);
    return found != slots.end() && *found == slot ? static_cast<int>(found - slots.begin()) : -1;
  }
};

class Joints {
 public:
  Joints(const RootDomains& root, const Gates& gates, Network* network)
      : root_(root), gates_(gates), network_(*network) {}

  void Find() {
    FindGroups();
    if (groups_.empty()) return;
    for (Group& group : groups_) List(&group);
    std::erase_if(groups_, [](const Group& group) { return group.left.empty(); });
    is_tied_.assign(root_.slots.size(), false);
    for (std::uint32_t g = 0; g < groups_.size(); ++g) {
      for (const Slot slot : groups_[g].slots) {
        by_slot_.emplace(slot, g);
        is_tied_[slot] = true;
      }
    }
    for (const Constraint& constraint : network_.constraints) {
      if (constraint.kind == Constraint::Kind::kClause) {
        UseClause(constraint);
      } else if (constraint.kind != Constraint::Kind::kJoint) {
        Use(network_.relations[constraint.relation], {constraint.slots.data(), constraint.arity},
            gates_.slots(constraint.gate));
      }
    }
    for (const LaneTable& table : network_.lane_tables) UseLanes(table);
    for (const Group& group : groups_) Add(group);
  }

 private:
  void FindGroups() {
    for (std::uint32_t id = 0; id < network_.counters.size(); ++id) {
      if (root_.counters[id].IsConstrained()) Consider(id, root_.counters[id].min, 0);
    }
    for (const Constraint& constraint : network_.constraints) {
      if (constraint.kind == Constraint::Kind::kClause) ConsiderClause(constraint);
    }
  }

  /// One value of a counter, or that some object is absent: GroundClauses keeps what waits for
  /// objects and reads counters awake.
  void ConsiderClause(const Constraint& clause) {
    std::vector<Slot> needed = gates_.slots(clause.gate);
    const Literal* exact = nullptr;
    for (std::uint32_t l = clause.literal_begin; l < clause.literal_end; ++l) {
      const Literal& literal = network_.literals[l];
      if (literal.kind == Literal::Kind::kCounterIn && literal.x == literal.y && exact == nullptr) {
        exact = &literal;
      } else if (literal.kind == Literal::Kind::kIn && literal.a < root_.num_hidden &&
                 literal.x == kFalseBit) {
        needed.push_back(literal.a);
      } else {
        return;
      }
    }
    if (exact == nullptr) return;
    std::ranges::sort(needed);
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    if (const auto gate = gates_.Find(needed)) Consider(exact->a, exact->x, *gate);
  }

  void Consider(std::uint32_t id, std::uint64_t value, std::uint32_t gate) {
    const Counter& counter = network_.counters[id];
    const std::uint32_t size = counter.increment_end - counter.increment_begin;
    if (size < 2 || size > kMaxTableArity || value == kSaturated) return;
    std::map<Slot, std::uint32_t> universes;
    std::size_t combinations = 1;
    for (std::uint32_t i = counter.increment_begin; i < counter.increment_end; ++i) {
      const Increment& increment = network_.increments[i];
      if (increment.weight != Increment::Weight::kSlot ||
          network_.universes[increment.universe].size() > 64 ||
          increment.literal_begin != increment.literal_end ||
          !universes.emplace(increment.source, increment.universe).second) {
        return;
      }
      combinations *= static_cast<std::size_t>(std::popcount(root_.slots[increment.source]));
    }
    if (combinations > kMostTried) return;
    Group group{id, value, gate, {}, {}, {}, {counter.origin}};
    for (const auto& [slot, universe] : universes) {
      group.slots.push_back(slot);
      group.numbers.emplace_back(network_.universes[universe].begin(),
                                 network_.universes[universe].end());
    }
    groups_.push_back(std::move(group));
  }

  /// The combinations that reach the value of the counter.
  void List(Group* group) const {
    const Counter& counter = network_.counters[group->counter];
    Combination combination{};
    const auto extend = [&](const auto& self, std::size_t position, std::uint64_t reached) -> void {
      // What is above it stays above it, unless it is multiplied by 0.
      if (reached > group->value && group->value != 0) return;
      if (position == group->slots.size()) {
        if (reached == group->value) group->left.push_back(combination);
        return;
      }
      for (Bits rest = root_.slots[group->slots[position]]; rest != 0; rest &= rest - 1) {
        const int value = std::countr_zero(rest);
        const std::uint64_t number = group->numbers[position][static_cast<std::size_t>(value)];
        combination[position] = static_cast<std::uint8_t>(value);
        self(self, position + 1,
             counter.product ? SaturatingMul(reached, number) : SaturatingAdd(reached, number));
      }
    };
    extend(extend, 0, counter.base);
  }

  bool IsTied(Slot slot) const { return slot < is_tied_.size() && is_tied_[slot]; }

  /// The groups that hold at least two of the slots.
  std::vector<std::uint32_t> GroupsOf(std::span<const Slot> slots) const {
    if (std::ranges::count_if(slots, [&](Slot slot) { return IsTied(slot); }) < 2) return {};
    std::vector<std::uint32_t> once, twice;
    for (const Slot slot : slots) {
      const auto [begin, end] = by_slot_.equal_range(slot);
      for (auto it = begin; it != end; ++it) {
        auto& list = std::ranges::count(once, it->second) != 0 ? twice : once;
        if (std::ranges::count(list, it->second) == 0) list.push_back(it->second);
      }
    }
    return twice;
  }

  /// Keeps the combinations that the table allows, whatever slots it has beside the group's.
  /// `domains`, by position: of cells that show the inverse of a slot, as the table reads them.
  void Use(const Relation& relation, std::span<const Slot> slots, std::span<const Slot> gate,
           std::span<const Bits> domains = {}) {
    for (const std::uint32_t g : GroupsOf(slots)) {
      Group& group = groups_[g];
      if (!std::ranges::includes(gates_.slots(group.gate), gate)) continue;
      std::array<int, kMaxTableArity>
          positions{};  // Of each slot of the table in the group, or -1.
      std::array<Bits, kMaxTableArity> of_root{};
      for (std::size_t i = 0; i < slots.size(); ++i) {
        positions[i] = group.Find(slots[i]);
        of_root[i] = domains.empty() ? root_.slots[slots[i]] : domains[i];
      }
      std::erase_if(group.left, [&](const Combination& combination) {
        std::array<Bits, kMaxTableArity> values = of_root;
        for (std::size_t i = 0; i < slots.size(); ++i) {
          if (positions[i] >= 0) values[i] = Bits{1} << combination[positions[i]];
        }
        if (Allows(relation, values)) return false;
        BlameTable(relation, values, &group);
        return true;
      });
    }
  }

  bool Allows(const Relation& relation, const std::array<Bits, kMaxTableArity>& values) const {
    return AnyMask(network_, relation, values,
                   [&](Bits mask) { return (mask & values[relation.mask_position]) != 0; });
  }

  /// Who excludes these values: the first clause of the table that does so by itself, or else all
  /// that some of the open values contradict.
  void BlameTable(const Relation& relation, const std::array<Bits, kMaxTableArity>& values,
                  Group* group) const {
    std::vector<std::uint32_t> several;
    for (auto p = relation.patterns_begin; p < relation.patterns_end; ++p) {
      const Pattern& pattern = network_.patterns[network_.pattern_lists[p]];
      bool is_violated = true, may_be_violated = true;
      const auto add = [&](Truth truth) {
        is_violated &= truth == Truth::kFalse;
        may_be_violated &= truth != Truth::kTrue;
      };
      for (int i = 0; i < relation.arity; ++i) {
        if ((values[i] & ~pattern.masks[i]) == 0) add(Truth::kTrue);
        if ((values[i] & pattern.masks[i]) != 0) add(Truth::kMaybe);
      }
      for (int i = 0; i < pattern.num_pairs; ++i) {
        const auto [left, right] = pattern.pair_positions[i];
        add(PairStatus(network_.pair_relations[pattern.pair_relations[i]].rows, values[left],
                       values[right]));
      }
      if (is_violated) return Blame(pattern.origin, group);
      if (may_be_violated) several.push_back(pattern.origin);
    }
    for (const std::uint32_t origin : several) Blame(origin, group);
  }

  /// The table in each of its lanes.
  void UseLanes(const LaneTable& table) {
    std::array<Slot, 3> slots{};
    std::array<Bits, 3> domains{};
    const auto read = [&](int i, std::uint32_t cell) {
      slots[i] = network_.cells[cell].slot;
      const Cell& at = network_.cells[slots[i]];
      domains[i] = root_.slots[slots[i]];
      if (slots[i] != cell) {
        domains[i] = network_.inverses[at.inverse][domains[i]];
        slots[i] = kNoRow;  // No slot of a group: it would have to be turned round.
      }
    };
    bool is_near = false;
    for (int i = 0; i < table.num_scalars; ++i) {
      read(i, table.cells[i]);
      is_near |= IsTied(slots[i]);
    }
    if (!is_near && table.arity - table.num_scalars < 2) return;
    const std::size_t arity = table.arity;
    for (std::uint64_t rest = table.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      for (int i = table.num_scalars; i < table.arity; ++i) read(i, table.cells[i] + lane);
      if (GroupsOf({slots.data(), arity}).empty()) continue;
      std::vector<Slot> gate = gates_.slots(table.gate);
      for (int i = table.num_scalars; i < table.arity; ++i) {
        const Slot slot = network_.cells[table.cells[i] + lane].slot;
        gate.insert(gate.end(), root_.memberships[slot].begin(), root_.memberships[slot].end());
      }
      std::ranges::sort(gate);
      gate.erase(std::unique(gate.begin(), gate.end()), gate.end());
      Use(network_.relations[table.relation], {slots.data(), arity}, gate, {domains.data(), arity});
    }
  }

  void UseClause(const Constraint& constraint) {
    std::vector<Slot> slots;
    for (std::uint32_t l = constraint.literal_begin; l < constraint.literal_end; ++l) {
      if (network_.literals[l].kind != Literal::Kind::kIn) return;
      slots.push_back(network_.literals[l].a);
    }
    for (const std::uint32_t g : GroupsOf(slots)) {
      Group& group = groups_[g];
      if (!gates_.IsPartOf(constraint.gate, group.gate) ||
          std::ranges::any_of(slots, [&](Slot slot) { return group.Find(slot) < 0; })) {
        continue;
      }
      const auto removed = std::erase_if(group.left, [&](const Combination& combination) {
        for (std::uint32_t l = constraint.literal_begin; l < constraint.literal_end; ++l) {
          const Literal& literal = network_.literals[l];
          if ((literal.x >> combination[group.Find(literal.a)] & 1) != 0) return false;
        }
        return true;
      });
      if (removed != 0) Blame(constraint.origin, &group);
    }
  }

  static void Blame(std::uint32_t origin, Group* group) {
    if (std::ranges::count(group->origins, origin) == 0) group->origins.push_back(origin);
  }

  void Add(const Group& group) {
    if (group.left.size() > kMostKept) return;
    Constraint constraint;
    constraint.kind = Constraint::Kind::kJoint;
    constraint.arity = static_cast<std::uint8_t>(group.slots.size());
    constraint.gate = group.gate;
    constraint.relation = static_cast<std::uint32_t>(network_.joints.all.size());
    constraint.origin = group.origins.front();
    Joint joint;
    joint.num_words = static_cast<std::uint32_t>((group.left.size() + 63) / 64);
    joint.num_combinations = static_cast<std::uint32_t>(group.left.size());
    joint.origin_begin = static_cast<std::uint32_t>(network_.joints.origins.size());
    network_.joints.origins.insert(network_.joints.origins.end(), group.origins.begin(),
                                   group.origins.end());
    joint.origin_end = static_cast<std::uint32_t>(network_.joints.origins.size());
    for (std::size_t i = 0; i < group.slots.size(); ++i) {
      constraint.slots[i] = group.slots[i];
      joint.supports[i] = static_cast<std::uint32_t>(network_.joints.supports.size());
      network_.joints.supports.resize(network_.joints.supports.size() +
                                      std::size_t{root_.sizes[group.slots[i]]} * joint.num_words);
      for (std::size_t c = 0; c < group.left.size(); ++c) {
        network_.joints.supports[joint.supports[i] +
                                 std::size_t{group.left[c][i]} * joint.num_words + c / 64] |=
            std::uint64_t{1} << c % 64;
      }
    }
    network_.counters[group.counter].joint_gate = group.gate;
    network_.joints.all.push_back(joint);
    network_.constraints.push_back(constraint);
  }

  const RootDomains& root_;
  const Gates& gates_;
  Network& network_;
  std::vector<Group> groups_;
  std::multimap<Slot, std::uint32_t> by_slot_;
  std::vector<bool> is_tied_;  ///< By slot: is it in a group?
};

}  // namespace

void FindJoints(const RootDomains& root, const Gates& gates, Network* network) {
  Joints(root, gates, network).Find();
}

}  // namespace exh::runtime::internal

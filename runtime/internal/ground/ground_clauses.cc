// SPDX-License-Identifier: MIT
//
// The way of one ground clause: Add() simplifies it by the known domains. With one literal left it
// acts on the root where it can (RestrictSlot); over 2 to 4 slots it becomes a pattern of a table,
// in rows (LaneStore) or in the group of these slots (AddToTable); the rest stays a clause
// (AddClause). Finish() makes a table of each group. The clauses of a smaller group, over some of
// the same slots, hold in the larger table too and are added to it (RelationOf), so that what they
// imply together is propagated; a pair whose clauses a triple behind the same gate holds needs no
// table of its own (MarkSubsumed).
//
// At the root mode(a) and mode(b) may be NOW or LATER, and mode(c) is LATER:
//
//   mode(a) is NOW || mode(b) is LATER || mode(c) is NOW   the last literal fails: a pattern of the
//                                                          group of mode(a) and mode(b)
//   mode(a) is LATER || mode(b) is NOW                     another pattern of that group
//   Finish()                                               one table: both are equal
//
// A clause mode(c) is NOW || mode(a) is NOW would have one literal left: mode(a) is NOW, at once.
//
// Invariants: after FixKnown(), what is left of a clause depends on the domains of that moment and
// on nothing else, so the order of clauses does not show. A clause is never lost: it acts on the
// root, or is in a group, a pending clause, or the LaneStore, or the root satisfies it.
#include "runtime/internal/ground/ground_clauses.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "runtime/int_domain.h"

namespace exh::runtime::internal {
namespace {

constexpr std::uint32_t kNoGroup = 0xFFFFFFFF;

std::size_t HashKey(const std::array<Slot, kMaxTableArity>& slots, int arity, std::uint32_t gate) {
  std::uint64_t hash = gate * 8u + static_cast<unsigned>(arity);
  for (int i = 0; i < arity; ++i) {
    hash = (hash ^ slots[i]) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

void SortUnique(std::vector<std::uint32_t>* numbers) {
  std::ranges::sort(*numbers);
  numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
}

CompareOp Negated(CompareOp op) {
  switch (op) {
    case CompareOp::kLt:
      return CompareOp::kGe;
    case CompareOp::kGt:
      return CompareOp::kLe;
    case CompareOp::kLe:
      return CompareOp::kGt;
    case CompareOp::kGe:
      return CompareOp::kLt;
    case CompareOp::kEq:
      return CompareOp::kNe;
    case CompareOp::kNe:
      return CompareOp::kEq;
  }
  EXH_UNREACHABLE();
}

}  // namespace

GroundClauses::GroundClauses(Network& network, RelationStore& relations, RootDomains& domains,
                             Gates& gates, LaneStore& lanes)
    : network_(network),
      relations_(relations),
      domains_(domains),
      gates_(gates),
      lanes_(lanes),
      table_(1u << 12, 0) {}

Literal GroundClauses::MemberLiteral(Slot slot, bool is_member) {
  return {Literal::Kind::kIn, {}, slot, 0, is_member ? kTrueBit : kFalseBit, 0};
}

std::uint32_t GroundClauses::OwnGate(std::span<const Slot> slots) {
  std::vector<Slot> needed;
  for (const Slot slot : slots) {
    const std::vector<Slot>& memberships = domains_.memberships[slot];
    needed.insert(needed.end(), memberships.begin(), memberships.end());
  }
  std::erase_if(needed, [&](Slot slot) { return known(slot) == kTrueBit; });
  return gates_.Intern(std::move(needed));
}

Truth GroundClauses::Status(const Literal& literal) const {
  return LiteralStatus(network_, domains_, literal);
}

/// By the domains that clauses are simplified by.
Truth GroundClauses::Known(const Literal& literal) const {
  if (!is_fixed_) return Status(literal);
  struct View {
    const std::vector<Bits>& slots;
    const std::vector<Interval>& counters;
    Bits domain(Slot slot) const { return slots[slot]; }
    Interval counter(std::uint32_t number) const { return counters[number]; }
  };
  return LiteralStatus(network_, View{known_slots_, known_counters_}, literal);
}

void GroundClauses::AppendNegation(const Literal& literal, std::vector<Literal>* out) const {
  Literal negation = literal;
  switch (literal.kind) {
    case Literal::Kind::kIn: {
      const int size = domains_.sizes[literal.a];
      negation.x = ~literal.x & (size >= 64 ? ~Bits{0} : (Bits{1} << size) - 1);
      out->push_back(negation);
      return;
    }
    case Literal::Kind::kPair:
      std::swap(negation.x, negation.y);
      out->push_back(negation);
      return;
    case Literal::Kind::kCounterIn:
      if (literal.x > 0) {
        out->push_back({Literal::Kind::kCounterIn, {}, literal.a, 0, 0, literal.x - 1});
      }
      if (literal.y < kSaturated) {
        out->push_back({Literal::Kind::kCounterIn, {}, literal.a, 0, literal.y + 1, kSaturated});
      }
      return;
    case Literal::Kind::kCounterNot:
      out->push_back({Literal::Kind::kCounterIn, {}, literal.a, 0, literal.x, literal.x});
      return;
    case Literal::Kind::kCounterPair:
      negation.op = Negated(literal.op);
      out->push_back(negation);
      return;
    case Literal::Kind::kLong:
      negation.x = network_.long_masks.size();
      for (std::uint32_t word = 0; word < literal.b; ++word) {
        network_.long_masks.push_back(~network_.long_masks[literal.x + word]);
      }
      out->push_back(negation);
      return;
    case Literal::Kind::kTerm:
      negation.y = 1 - literal.y;
      out->push_back(negation);
      return;
  }
}

void GroundClauses::Add(std::span<const Literal> given, std::span<const Slot> gate,
                        std::uint32_t origin) {
  // Simplify: memberships that are certain leave the gate, literals false at the root leave the
  // clause, and two literals on one slot are one.
  std::vector<Literal> literals;  // Small; the allocator's cache makes it cheap enough.
  literals.reserve(given.size());
  std::vector<Slot> open_gate;
  for (const Slot slot : gate) {
    if (known(slot) == kFalseBit) return;
    if (known(slot) != kTrueBit) open_gate.push_back(slot);
  }
  std::vector<Literal> all;  // With those that are false at the root.
  all.reserve(given.size());
  for (const Literal& literal : given) {
    Literal* same = nullptr;
    if (literal.kind == Literal::Kind::kIn) {
      for (Literal& other : all) {
        if (other.kind == Literal::Kind::kIn && other.a == literal.a) same = &other;
      }
    }
    if (same != nullptr) {
      same->x |= literal.x;
    } else {
      all.push_back(literal);
    }
  }
  for (const Literal& literal : all) {
    const Truth status = Known(literal);
    if (status == Truth::kTrue) return;
    if (status == Truth::kMaybe) literals.push_back(literal);
  }
  ++num_added_;
  if (literals.empty()) {
    if (open_gate.empty()) {
      if (!failure_) failure_ = origin;
      return;
    }
    for (const Slot slot : open_gate) literals.push_back(MemberLiteral(slot, false));
    open_gate.clear();
  }
  std::ranges::sort(open_gate);
  open_gate.erase(std::unique(open_gate.begin(), open_gate.end()), open_gate.end());

  if (literals.size() == 1) {
    const Literal& only = literals.front();
    if (only.kind == Literal::Kind::kIn &&
        std::ranges::includes(domains_.memberships[only.a], open_gate)) {
      RestrictSlot(only.a, only.x, origin);
      return;
    }
    if (only.kind == Literal::Kind::kLong &&
        std::ranges::includes(domains_.memberships[only.a], open_gate)) {
      RestrictLong(only, origin);
      return;
    }
    if (only.kind == Literal::Kind::kCounterIn && open_gate.empty()) {
      Interval& bounds = domains_.counters[only.a];
      bounds = bounds & Interval{only.x, only.y};
      if (bounds.IsEmpty() && !failure_) failure_ = origin;
      return;
    }
    if (only.kind == Literal::Kind::kIn) {
      for (const Slot slot : open_gate) literals.push_back(MemberLiteral(slot, false));
      open_gate.clear();
    }
  }
  // Ground clauses of one requirement that look alike propagate together (LaneStore), and a literal
  // that is false at the root of this tuple may be open for the next: it stays where it does no
  // harm, in a table of the same size, or in a clause that is too wide for one anyway.
  const std::uint32_t gate_id = open_gate.empty() ? 0 : gates_.Intern(open_gate);
  int num_all = 0, num_open = 0;
  bool on_decisions = true;
  const auto count = [&](std::span<const Literal> counted, int* slots) {
    for (const Literal& literal : counted) {
      const bool pair = literal.kind == Literal::Kind::kPair;
      on_decisions &= (pair || literal.kind == Literal::Kind::kIn) && !IsHidden(literal.a) &&
                      !(pair && IsHidden(literal.b));
      *slots += pair ? 2 : 1;
    }
  };
  count(all, &num_all);
  count(literals, &num_open);
  const bool keep_all = on_decisions && (num_all <= 3 || num_open > 3);
  if (AddToTable(keep_all ? all : literals, gate_id, origin)) return;
  if (AddToJoint(literals, gate_id, origin)) return;
  AddClause(keep_all ? all : literals, open_gate, origin);
}

/// A unary clause acts on the root domain itself. That holds for a decision of planned objects too:
/// while it is not live nothing reads it, and as soon as it is live the clause applies.
void GroundClauses::RestrictSlot(Slot slot, Bits mask, std::uint32_t origin) {
  const Bits allowed = domains_.slots[slot] & mask;
  if (allowed != 0) {
    domains_.slots[slot] = allowed;
    return;
  }
  RuleOut(slot, origin);
}

void GroundClauses::RestrictLong(const Literal& literal, std::uint32_t origin) {
  const auto allowed = [&](std::uint32_t word) {
    return domains_.slots[literal.a + word] & network_.long_masks[literal.x + word];
  };
  bool any = false;
  for (std::uint32_t word = 0; word < literal.b; ++word) any |= allowed(word) != 0;
  if (!any) return RuleOut(literal.a, origin);
  for (std::uint32_t word = 0; word < literal.b; ++word) {
    domains_.slots[literal.a + word] = allowed(word);
  }
}

void GroundClauses::RuleOut(Slot slot, std::uint32_t origin) {
  if (domains_.memberships[slot].empty()) {
    if (!failure_) failure_ = origin;
    return;
  }
  std::vector<Literal> never;
  for (const Slot membership : domains_.memberships[slot]) {
    never.push_back(MemberLiteral(membership, false));
  }
  Add(never, {}, origin);
}

bool GroundClauses::AddToTable(std::span<const Literal> literals, std::uint32_t gate,
                               std::uint32_t origin) {
  std::array<Slot, kMaxTableArity> slots{};
  int arity = 0;
  const auto insert = [&](Slot slot) {
    for (int i = 0; i < arity; ++i) {
      if (slots[i] == slot) return true;
    }
    if (arity == kMaxTableArity) return false;
    int at = arity++;
    for (; at > 0 && slots[at - 1] > slot; --at) slots[at] = slots[at - 1];
    slots[at] = slot;
    return true;
  };
  int num_pairs = 0;
  for (const Literal& literal : literals) {
    if (literal.kind == Literal::Kind::kPair) {
      if (++num_pairs > 2 || !insert(literal.a) || !insert(literal.b)) return false;
    } else if (literal.kind != Literal::Kind::kIn || !insert(literal.a)) {
      return false;
    }
  }
  std::array<std::uint8_t, kMaxTableArity> sizes{};
  for (int i = 0; i < arity; ++i) sizes[i] = domains_.sizes[slots[i]];
  if (arity < 2 || !RelationStore::Fits(arity, sizes)) return false;

  const auto position = [&](Slot slot) {
    int i = 0;
    while (slots[i] != slot) ++i;
    return static_cast<std::uint8_t>(i);
  };
  Pattern pattern;
  pattern.origin = origin;
  for (const Literal& literal : literals) {
    if (literal.kind == Literal::Kind::kIn) {
      pattern.masks[position(literal.a)] |= literal.x;
    } else {
      pattern.pair_positions[pattern.num_pairs] = {position(literal.a), position(literal.b)};
      pattern.pair_relations[pattern.num_pairs++] = static_cast<std::uint32_t>(literal.x);
    }
  }
  const std::uint32_t id = relations_.InternPattern(pattern);
  if (lanes_.is_on() &&
      lanes_.AddGround({slots.data(), static_cast<std::size_t>(arity)}, id, gate)) {
    return true;
  }
  AddToGroup(slots, arity, gate, id);
  return true;
}

/// What a table cannot say, for it knows tests and pairs alone, a list of the combinations that
/// satisfy the clause can. It is propagated as the joints of counters are.
bool GroundClauses::AddToJoint(std::span<const Literal> literals, std::uint32_t gate,
                               std::uint32_t origin) {
  std::vector<Slot> slots;
  bool has_terms = false;
  for (const Literal& literal : literals) {
    switch (literal.kind) {
      case Literal::Kind::kIn:
        slots.push_back(literal.a);
        break;
      case Literal::Kind::kPair:
        slots.push_back(literal.a);
        slots.push_back(literal.b);
        break;
      case Literal::Kind::kTerm: {
        const TermTest& test = network_.terms.tests[literal.x];
        if (test.counters) return false;
        has_terms = true;
        for (std::uint32_t leaf = test.leaf_begin; leaf < test.leaf_end; ++leaf) {
          if (network_.terms.leaves[leaf].words > 1) return false;
          slots.push_back(network_.terms.leaves[leaf].slot);
        }
        break;
      }
      case Literal::Kind::kCounterIn:
      case Literal::Kind::kCounterNot:
      case Literal::Kind::kCounterPair:
      case Literal::Kind::kLong:
        return false;
    }
  }
  std::ranges::sort(slots);
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  // Memberships among them would be asked for while they are open: a clause does that better.
  if (!has_terms || slots.size() > kMaxTableArity ||
      std::ranges::any_of(slots, [&](Slot slot) { return IsHidden(slot); })) {
    return false;
  }
  std::size_t combinations = 1;
  for (const Slot slot : slots) {
    combinations *= static_cast<std::size_t>(std::popcount(known(slot)));
  }
  if (combinations > 64 * Joint::kMaxWords) return false;

  struct View {
    std::span<const Slot> slots;
    std::array<Bits, kMaxTableArity> values{};
    Bits domain(Slot slot) const {
      return values[static_cast<std::size_t>(std::ranges::find(slots, slot) - slots.begin())];
    }
    static Interval counter(std::uint32_t) { return {}; }
  } view{slots};
  std::vector<std::array<std::uint8_t, kMaxTableArity>> allowed;
  const auto extend = [&](const auto& self, std::size_t position) -> void {
    if (position == slots.size()) {
      // Where a term was rounded that is not known, and the freeze refuses it later.
      const bool may_hold = std::ranges::any_of(literals, [&](const Literal& literal) {
        return LiteralStatus(network_, view, literal) != Truth::kFalse;
      });
      if (!may_hold) return;
      auto& combination = allowed.emplace_back();
      for (std::size_t i = 0; i < slots.size(); ++i) {
        combination[i] = static_cast<std::uint8_t>(std::countr_zero(view.values[i]));
      }
      return;
    }
    for (Bits rest = known(slots[position]); rest != 0; rest &= rest - 1) {
      view.values[position] = rest & (~rest + 1);
      self(self, position + 1);
    }
  };
  extend(extend, 0);

  Constraint constraint;
  constraint.kind = Constraint::Kind::kJoint;
  constraint.arity = static_cast<std::uint8_t>(slots.size());
  constraint.gate = gate;
  constraint.origin = origin;
  std::ranges::copy(slots, constraint.slots.begin());
  Joint joint;
  joint.num_combinations = static_cast<std::uint32_t>(allowed.size());
  joint.num_words = std::max(1u, static_cast<std::uint32_t>((allowed.size() + 63) / 64));
  joint.origin_begin = static_cast<std::uint32_t>(network_.joints.origins.size());
  network_.joints.origins.push_back(origin);
  joint.origin_end = joint.origin_begin + 1;
  joint.literal_begin = static_cast<std::uint32_t>(network_.literals.size());
  network_.literals.insert(network_.literals.end(), literals.begin(), literals.end());
  joint.literal_end = static_cast<std::uint32_t>(network_.literals.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    joint.supports[i] = static_cast<std::uint32_t>(network_.joints.supports.size());
    network_.joints.supports.resize(network_.joints.supports.size() +
                                    std::size_t{domains_.sizes[slots[i]]} * joint.num_words);
    for (std::size_t c = 0; c < allowed.size(); ++c) {
      network_.joints
          .supports[joint.supports[i] + std::size_t{allowed[c][i]} * joint.num_words + c / 64] |=
          std::uint64_t{1} << c % 64;
    }
  }
  constraint.relation = static_cast<std::uint32_t>(network_.joints.all.size());
  network_.joints.all.push_back(joint);
  joints_.push_back(constraint);
  return true;
}

void GroundClauses::AddToGroup(const std::array<Slot, kMaxTableArity>& slots, int arity,
                               std::uint32_t gate, std::uint32_t pattern) {
  Group& group = groups_[FindGroup(slots, arity, gate, true)];
  group.patterns = pattern_sets_.With(group.patterns, pattern);
}

/// A comparison of two slots and a test of one of them are one relation between both: apart,
/// neither could act while the other one may still hold. False when there is no such couple.
bool GroundClauses::MergeTest(std::vector<Literal>* literals) {
  for (Literal& pair : *literals) {
    if (pair.kind != Literal::Kind::kPair) continue;
    const auto test = std::ranges::find_if(*literals, [&](const Literal& literal) {
      return literal.kind == Literal::Kind::kIn && (literal.a == pair.a || literal.a == pair.b);
    });
    if (test == literals->end()) continue;
    const PairRelation& relation = network_.pair_relations[pair.x];
    const int num_right = relation.num_right;
    const Bits all = num_right == 64 ? ~Bits{0} : (Bits{1} << num_right) - 1;
    std::vector<Bits> rows = relation.rows;
    for (std::size_t value = 0; value < rows.size(); ++value) {
      if (test->a == pair.b) rows[value] |= test->x & all;
      if (test->a == pair.a && (test->x >> value & 1) != 0) rows[value] = all;
    }
    const auto [holds, fails] = relations_.InternPairs(std::move(rows), num_right);
    pair.x = holds;
    pair.y = fails;
    literals->erase(test);
    return true;
  }
  return false;
}

void GroundClauses::AddClause(std::span<const Literal> given, std::span<const Slot> gate,
                              std::uint32_t origin) {
  std::vector<Literal> literals(given.begin(), given.end());
  while (MergeTest(&literals)) {
  }
  PendingClause clause{literals, origin, 0};
  // Over decisions alone it sleeps like a table until its objects are there. A clause that reads
  // counters stays awake: what they say may rule the objects out.
  if (std::ranges::all_of(literals, [&](const Literal& literal) {
        return literal.kind == Literal::Kind::kIn && !IsHidden(literal.a);
      })) {
    clause.gate = gate.empty() ? 0 : gates_.Intern({gate.begin(), gate.end()});
    if (lanes_.AddGroundClause(literals, clause.gate, origin)) return;
  } else {
    for (const Slot slot : gate) clause.literals.push_back(MemberLiteral(slot, false));
  }
  clauses_.push_back(std::move(clause));
}

std::uint32_t GroundClauses::FindGroup(const std::array<Slot, kMaxTableArity>& slots, int arity,
                                       std::uint32_t gate, bool create) {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = HashKey(slots, arity, gate) & mask;
  for (; table_[at] != 0; at = (at + 1) & mask) {
    const Group& group = groups_[table_[at] - 1];
    if (group.arity == arity && group.gate == gate && group.slots == slots) return table_[at] - 1;
  }
  if (!create) return kNoGroup;
  Group group;
  group.slots = slots;
  group.arity = static_cast<std::uint8_t>(arity);
  group.gate = gate;
  groups_.push_back(group);
  ++groups_of_arity_[arity];
  table_[at] = static_cast<std::uint32_t>(groups_.size());
  if (groups_.size() * 2 > table_.size()) Rehash(table_.size() * 2);
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

void GroundClauses::Rehash(std::size_t size) {
  table_.assign(size, 0);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const Group& g = groups_[group];
    std::size_t at = HashKey(g.slots, g.arity, g.gate) & (size - 1);
    while (table_[at] != 0) at = (at + 1) & (size - 1);
    table_[at] = static_cast<std::uint32_t>(group + 1);
  }
}

/// The clauses of a smaller group hold in a larger one too: with them the table propagates what the
/// two together imply. Appends those groups.
void GroundClauses::FindSubsets(const Group& group, std::vector<std::uint32_t>* subsets) {
  const auto append = [&](std::uint32_t subset) {
    if (subset != kNoGroup) subsets->push_back(subset);
  };
  for (unsigned subset = 1; subset + 1 < 1u << group.arity; ++subset) {
    if (std::has_single_bit(subset)) continue;
    const bool any = groups_of_arity_[static_cast<std::size_t>(std::popcount(subset))] != 0;
    if (!any && group.gate == 0) continue;
    std::array<Slot, kMaxTableArity> slots{};
    int arity = 0;
    for (int i = 0; i < group.arity; ++i) {
      if ((subset >> i & 1) != 0) slots[arity++] = group.slots[i];
    }
    if (any) append(FindGroup(slots, arity, 0, false));
    if (group.gate == 0) continue;
    if (any) append(FindGroup(slots, arity, group.gate, false));
    const std::uint32_t gate = OwnGate({slots.data(), static_cast<std::size_t>(arity)});
    if (any && gate != 0 && gate != group.gate && gates_.IsPartOf(gate, group.gate)) {
      append(FindGroup(slots, arity, gate, false));
    }
  }
}

std::uint32_t GroundClauses::Widen(std::uint32_t id, std::uint32_t positions) {
  std::array<std::uint8_t, kMaxTableArity> position{};
  int size = 0;
  for (; positions != 0; positions &= positions - 1) {
    position[size++] = static_cast<std::uint8_t>(std::countr_zero(positions));
  }
  const Pattern pattern = network_.patterns[id];
  Pattern wider;
  wider.origin = pattern.origin;
  for (int i = 0; i < size; ++i) wider.masks[position[i]] = pattern.masks[i];
  wider.num_pairs = pattern.num_pairs;
  for (int i = 0; i < pattern.num_pairs; ++i) {
    wider.pair_positions[i] = {position[pattern.pair_positions[i][0]],
                               position[pattern.pair_positions[i][1]]};
    wider.pair_relations[i] = pattern.pair_relations[i];
  }
  return relations_.InternPattern(wider);
}

void GroundClauses::AppendPatternsOf(std::uint32_t other, const Group& group,
                                     std::vector<std::uint32_t>* patterns) {
  const Group smaller = groups_[other];
  std::uint32_t positions = 0;
  for (int i = 0, j = 0; i < smaller.arity; ++i, ++j) {
    while (group.slots[j] != smaller.slots[i]) ++j;
    positions |= 1u << j;
  }
  std::vector<std::uint32_t> ids;
  pattern_sets_.Append(smaller.patterns, &ids);
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) patterns->push_back(Widen(*id, positions));
}

/// The same for what the lane store has over some of the slots.
void GroundClauses::AppendLanePatterns(const Group& group, unsigned positions,
                                       std::vector<std::uint32_t>* patterns) {
  std::array<Slot, kMaxTableArity> all{};
  std::size_t arity = 0;
  for (int i = 0; i < group.arity; ++i) {
    if ((positions >> i & 1) != 0) all[arity++] = group.slots[i];
  }
  const std::span<const Slot> slots(all.data(), arity);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;  // Gate, pattern over the slots.
  if (!lanes_.FindGround(slots, &found)) return;
  std::uint32_t own = 0;
  if (group.gate != 0) own = OwnGate(slots);
  for (const auto& [gate, pattern] : found) {
    const bool holds =
        gate == 0 || gate == group.gate || (gate == own && gates_.IsPartOf(gate, group.gate));
    if (holds) patterns->push_back(Widen(pattern, positions));
  }
}

bool GroundClauses::IsEntailed(const Constraint& constraint) {
  for (const Slot slot : gates_.slots(constraint.gate)) {
    if (domains_.slots[slot] == kFalseBit) return true;
  }
  if (constraint.kind == Constraint::Kind::kClause) {
    for (std::uint32_t l = constraint.literal_begin; l < constraint.literal_end; ++l) {
      if (Status(network_.literals[l]) == Truth::kTrue) return true;
    }
    return false;
  }
  std::array<Bits, kMaxTableArity> domains{};
  for (int i = 0; i < constraint.arity; ++i) domains[i] = domains_.slots[constraint.slots[i]];
  if (constraint.kind == Constraint::Kind::kJoint) {
    const Joint& joint = network_.joints.all[constraint.relation];
    for (std::uint32_t l = joint.literal_begin; l < joint.literal_end; ++l) {
      if (Status(network_.literals[l]) == Truth::kTrue) return true;
    }
    if (joint.literal_begin != joint.literal_end) return false;
    std::size_t all = 1;
    for (int i = 0; i < constraint.arity; ++i) {
      all *= static_cast<std::size_t>(std::popcount(domains[i]));
    }
    return all == 1;
  }
  if (last_entailed_.relation != constraint.relation || last_entailed_.domains != domains) {
    last_entailed_ = {constraint.relation, domains,
                      IsTableEntailed(network_.relations[constraint.relation], domains)};
  }
  return last_entailed_.result;
}

bool GroundClauses::IsTableEntailed(const Relation& relation,
                                    const std::array<Bits, kMaxTableArity>& domains) const {
  const Bits target = domains[relation.mask_position];
  return !AnyMask(network_, relation, domains, [&](Bits mask) { return (target & ~mask) != 0; });
}

void GroundClauses::DropEntailed() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < network_.constraints.size(); ++i) {
    if (IsEntailed(network_.constraints[i])) continue;
    network_.constraints[kept] = network_.constraints[i];
    if (!network_.covered.empty()) network_.covered[kept] = network_.covered[i];
    ++kept;
  }
  num_entailed_ += network_.constraints.size() - kept;
  network_.constraints.resize(kept);
  if (!network_.covered.empty()) network_.covered.resize(kept);
}

/// A table of many slots for a single clause would say no more than the clause itself.
bool GroundClauses::FinishAsClause(const Group& group) {
  const std::optional<std::uint32_t> only = pattern_sets_.Only(group.patterns);
  if (!only) return false;
  const Pattern& pattern = network_.patterns[*only];
  if (pattern.num_pairs != 0) return false;
  PendingClause clause{{}, pattern.origin, group.gate};
  for (int i = 0; i < group.arity; ++i) {
    clause.literals.push_back({Literal::Kind::kIn, {}, group.slots[i], 0, pattern.masks[i], 0});
  }
  clauses_.push_back(std::move(clause));
  return true;
}

/// Marks the pairs whose clauses a table of three slots holds too, whenever they hold.
void GroundClauses::MarkSubsumed() {
  subsumed_.assign(groups_.size(), false);
  if (groups_of_arity_[2] == 0) return;
  for (const Group& group : groups_) {
    if (group.arity != 3) continue;
    for (int left_out = 0; left_out < 3; ++left_out) {
      std::array<Slot, kMaxTableArity> slots{};
      int arity = 0;
      for (int i = 0; i < 3; ++i) {
        if (i != left_out) slots[arity++] = group.slots[i];
      }
      const std::uint32_t pair = FindGroup(slots, arity, group.gate, false);
      if (pair != kNoGroup) subsumed_[pair] = true;
    }
  }
}

std::size_t GroundClauses::KeyHash::operator()(const std::vector<std::uint32_t>& key) const {
  std::uint64_t hash = key.size();
  for (const std::uint32_t word : key) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

std::uint32_t GroundClauses::RelationOf(const Group& group) {
  std::array<std::uint8_t, kMaxTableArity> sizes{};
  for (int p = 0; p < group.arity; ++p) sizes[p] = domains_.sizes[group.slots[p]];
  subsets_.clear();
  if (group.arity > 2) FindSubsets(group, &subsets_);
  key_.assign({group.patterns, static_cast<std::uint32_t>(sizes[0] | sizes[1] << 8 |
                                                          sizes[2] << 16 | sizes[3] << 24)});
  for (const std::uint32_t subset : subsets_) {
    const Group& smaller = groups_[subset];
    std::uint32_t positions = 0;  // Which of the slots the smaller group is over.
    for (int i = 0, j = 0; i < smaller.arity; ++i, ++j) {
      while (group.slots[j] != smaller.slots[i]) ++j;
      positions |= 1u << j;
    }
    key_.push_back(positions);
    key_.push_back(smaller.patterns);
  }
  std::vector<std::uint32_t> of_lanes;
  for (unsigned subset = 1; lanes_.is_on() && subset + 1 < 1u << group.arity; ++subset) {
    if (!std::has_single_bit(subset)) AppendLanePatterns(group, subset, &of_lanes);
  }
  key_.push_back(0);
  key_.insert(key_.end(), of_lanes.begin(), of_lanes.end());
  const auto [known, is_new] = made_.try_emplace(key_, 0);
  if (!is_new) return known->second;
  patterns_ = of_lanes;
  pattern_sets_.Append(group.patterns, &patterns_);
  SortUnique(&patterns_);
  for (const std::uint32_t subset : subsets_) AppendPatternsOf(subset, group, &patterns_);
  SortUnique(&patterns_);
  return known->second = relations_.InternRelation(group.arity, sizes, patterns_);
}

void GroundClauses::Finish(FreezeTicker* ticker) {
  MarkSubsumed();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    ticker->Tick();
    if (subsumed_[i]) continue;
    const Group& group = groups_[i];
    if (group.arity == kMaxTableArity && FinishAsClause(group)) continue;
    Constraint constraint;
    constraint.relation = RelationOf(group);
    const Relation& relation = network_.relations[constraint.relation];
    const bool has_luts = relation.luts[0] != kNoLut && group.gate < 0x10000;
    constraint.kind = !has_luts          ? Constraint::Kind::kWideTable
                      : group.arity == 2 ? Constraint::Kind::kPairTable
                                         : Constraint::Kind::kTripleTable;
    constraint.arity = group.arity;
    constraint.gate = group.gate;
    constraint.slots = group.slots;
    network_.constraints.push_back(constraint);
  }
  for (const PendingClause& pending : clauses_) {
    Constraint constraint;
    constraint.gate = pending.gate;
    constraint.literal_begin = static_cast<std::uint32_t>(network_.literals.size());
    network_.literals.insert(network_.literals.end(), pending.literals.begin(),
                             pending.literals.end());
    constraint.literal_end = static_cast<std::uint32_t>(network_.literals.size());
    constraint.origin = pending.origin;
    network_.constraints.push_back(constraint);
  }
  network_.constraints.insert(network_.constraints.end(), joints_.begin(), joints_.end());
  for (std::uint32_t number = 0; number < gates_.size(); ++number) {
    const std::vector<Slot>& gate = gates_.slots(number);
    network_.gates.slots.begin.push_back(
        static_cast<std::uint32_t>(network_.gates.slots.items.size()));
    network_.gates.slots.items.insert(network_.gates.slots.items.end(), gate.begin(), gate.end());
  }
  network_.gates.slots.begin.push_back(
      static_cast<std::uint32_t>(network_.gates.slots.items.size()));
  DropEntailed();
}

}  // namespace exh::runtime::internal

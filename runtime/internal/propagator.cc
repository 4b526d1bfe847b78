// SPDX-License-Identifier: MIT
#include "runtime/internal/propagator.h"

#include <algorithm>

#include "runtime/check.h"

namespace exh::runtime::internal {
namespace {

constexpr std::uint64_t kMaxCreep = std::uint64_t{1} << 20;

Workspace& ThreadWorkspace() {
  thread_local Workspace workspace;
  return workspace;
}

}  // namespace

std::uint64_t EventsOfThread() {
  return ThreadWorkspace().events;
}

std::size_t ScratchBytesOfThread() {
  const Workspace& work = ThreadWorkspace();
  return work.seen.size() + work.slots.num_bytes() + work.constraints.num_bytes() +
         work.counters.num_bytes();
}

Propagator::Propagator(const Instance& instance, State* state, Conflict* conflict)
    : instance_(instance),
      network_(instance.network()),
      layout_(instance.layout()),
      rows_(ActiveRowKernels()),
      state_(*state),
      conflict_(*conflict),
      work_(ThreadWorkspace()) {
  work_.slots.Reserve(layout_.num_slots());
  work_.constraints.Reserve(network_.num_loose);
  work_.counters.Reserve(network_.counters.size());
  if (work_.seen.size() < layout_.num_narrow) work_.seen.resize(layout_.num_narrow);
  if (work_.fresh.size() < layout_.num_presences) work_.fresh.resize(layout_.num_presences);
  if (work_.light.size() < layout_.num_narrow / kLanes) {
    work_.light.resize(layout_.num_narrow / kLanes);
    work_.fresh_live.resize(layout_.num_narrow / kLanes);
  }
  work_.opened.reserve(layout_.num_gates);
  work_.ReserveIncrements(network_.most_increments);
}

void Propagator::Clear() {
  work_.slots.Clear();
  work_.constraints.Clear();
  work_.counters.Clear();
}

bool Propagator::Fail(Origin origin) {
  conflict_.origin = origin;
  return false;
}

/// Which of the clauses merged in the table is to blame: the first that the others' domains make
/// act on the target; by themselves the rest may be innocent.
bool Propagator::FailTable(const Constraint& constraint, Slot target) {
  const Relation& relation = network_.relations[constraint.relation];
  std::uint32_t blamed = network_.pattern_lists[relation.patterns_begin];
  for (std::uint32_t i = relation.patterns_begin; i < relation.patterns_end; ++i) {
    const Pattern& pattern = network_.patterns[network_.pattern_lists[i]];
    bool acts = true;
    for (int position = 0; position < constraint.arity; ++position) {
      const Bits values = domain(constraint.slots[position]);
      const Bits allowed = values & pattern.masks[position];
      acts &= constraint.slots[position] == target ? allowed != values : allowed == 0;
    }
    for (int pair = 0; pair < pattern.num_pairs; ++pair) {
      const auto [left, right] = pattern.pair_positions[pair];
      acts &= PairStatus(network_.pair_relations[pattern.pair_relations[pair]],
                         domain(constraint.slots[left]),
                         domain(constraint.slots[right])) != Truth::kTrue;
    }
    if (acts) {
      blamed = network_.pattern_lists[i];
      break;
    }
  }
  return Fail(network_.origins[network_.patterns[blamed].origin]);
}

bool Propagator::Keep(Slot slot, Bits allowed, Origin origin) {
  const Bits before = domain(slot), after = before & allowed;
  if (after == before) return true;
  if (after == 0) return Fail(origin);
  state_.set_domain(layout_, slot, after);
  if (slot < layout_.num_narrow) {
    const Cell& cell = network_.cells[slot];
    state_.bytes()[cell.mirror] = network_.inverses[cell.inverse][after];
    if (work_.slots.Insert(slot)) work_.seen[slot] = static_cast<std::uint8_t>(before);
  } else {
    work_.slots.Insert(slot);
  }
  return true;
}

void Propagator::WakeCounter(std::uint32_t counter) {
  for (const std::uint32_t id : network_.clauses_by_counter.row(counter)) {
    work_.constraints.Push(id);
  }
  for (const std::uint32_t parent : network_.parents_by_counter.row(counter)) {
    work_.counters.Push(parent);
  }
}

bool Propagator::KeepCounter(std::uint32_t counter, Interval allowed, Origin origin) {
  const Interval before = state_.counter(layout_, counter), after = before & allowed;
  if (after == before) return true;
  if (after.IsEmpty()) return Fail(origin);
  state_.set_counter(layout_, counter, after);
  work_.counters.Push(counter);
  WakeCounter(counter);
  return true;
}

// The loop maintains: whatever constraint could restrict a domain reads a slot or counter that is
// queued, or is queued itself. Slots first (their tables run at once), then wide tables and
// clauses, then counters: dear ones see settled domains. All filters are monotone, so the fixpoint
// does not depend on this order.
Propagation Propagator::Propagate() {
  while (true) {
    bool alive = true;
    if (!work_.slots.IsEmpty()) {
      ++work_.events;
      alive = RunSlot(work_.slots.Pop());
    } else if (!work_.constraints.IsEmpty()) {
      alive = RunConstraint(work_.constraints.Pop());
    } else if (!work_.counters.IsEmpty()) {
      alive = RunCounter(work_.counters.Pop());
    } else {
      return Propagation::kFixpoint;
    }
    if (!alive) {
      Clear();
      return Propagation::kDeadEnd;
    }
  }
}

Propagation Propagator::PropagateAll() {
  for (std::uint32_t presence = 0; presence < network_.presences.size(); ++presence) {
    if (std::ranges::all_of(network_.presence_slots.row(presence),
                            [&](Slot slot) { return domain(slot) == kTrueBit; })) {
      const Presence& p = network_.presences[presence];
      state_.presence(layout_, p.word) |= std::uint64_t{1} << p.bit;
    }
  }
  for (std::uint32_t gate = 0; gate < layout_.num_gates; ++gate) {
    if (std::ranges::all_of(network_.gate_slots.row(gate),
                            [&](Slot slot) { return domain(slot) == kTrueBit; })) {
      OpenGate(gate);
    }
  }
  // Counters first: from [0, saturated] two of them that are compared would creep up one by one.
  for (std::uint32_t id = 0; id < network_.counters.size(); ++id) work_.counters.Push(id);
  if (Propagate() == Propagation::kDeadEnd) return Propagation::kDeadEnd;
  for (std::uint32_t id = 0; id < network_.constraints.size(); ++id) work_.constraints.Push(id);
  return Propagate();
}

bool Propagator::RunSlot(Slot slot) {
  const SlotWork &work = network_.work[slot], &next = network_.work[slot + 1];
  const Bits now = domain(slot);
  if (now == kTrueBit && !OpenGates(slot)) return false;
  if (slot >= layout_.num_narrow) {
    WakeScalars(slot, ~Bits{0}, now, work, next);
    return true;
  }
  const std::uint8_t before = work_.seen[slot];
  unsigned wake = kAllWork;
  if (work.wake != kNoLut && before < 1u << kMaxWakeValues) {
    wake = network_.wake_tables[work.wake + (std::size_t{before} << kMaxWakeValues | now)];
  }
  if ((wake & kPairWork) != 0 && !RunPairs(slot, work, next)) return false;
  if ((wake & kTripleWork) != 0 && !RunTriples(slot, before, work, next)) return false;
  if ((wake & (kRunWork | kClauseRunWork)) != 0 &&
      state_.gate(layout_, network_.slot_gates[slot])) {
    const auto values = static_cast<std::uint8_t>(now);
    if ((wake & kRunWork) != 0 && !RunRuns(before, values, work, next)) return false;
    if ((wake & kClauseRunWork) != 0 && !RunClauseLists(before, values, work, next)) return false;
  }
  if ((wake & kScalarWork) != 0) WakeScalars(slot, before, now, work, next);
  return true;
}

void Propagator::WakeScalars(Slot slot, Bits before, Bits now, const SlotWork& work,
                             const SlotWork& next) {
  for (std::uint32_t i = work.wides; i < next.wides; ++i) {
    const WideEntry& entry = network_.wides[i];
    if (entry.classes != kNoLut) {
      const std::uint8_t* const classes = network_.run_tables.data() + entry.classes;
      if (classes[before] == classes[now] || classes[now] == kUniversalClass) continue;
    }
    const Constraint& constraint = network_.constraints[entry.constraint];
    if (!state_.gate(layout_, constraint.gate)) continue;
    // With one value left of each other slot, known to the table, all of this one agrees with them.
    bool settled = true;
    for (int p = 0; settled && p < constraint.arity; ++p) {
      const Bits values = domain(constraint.slots[p]);
      settled = constraint.slots[p] == slot ||
                ((values & (values - 1)) == 0 && !work_.slots.Contains(constraint.slots[p]));
    }
    if (!settled) work_.constraints.Push(entry.constraint);
  }
  const std::uint8_t* const domains = state_.bytes();
  const ClauseWatch* const clauses_end = network_.clause_watches.data() + next.clauses;
  for (const ClauseWatch* watch = network_.clause_watches.data() + work.clauses;
       watch != clauses_end; ++watch) {
    if ((now & watch->mask) != 0) continue;
    if ((domains[watch->guard_a] & watch->guard_mask_a) != 0 &&
        (domains[watch->guard_b] & watch->guard_mask_b) != 0) {
      continue;
    }
    work_.constraints.Push(watch->constraint);
  }
  const CounterWatch* const counters_end = network_.counter_watches.data() + next.counters;
  for (const CounterWatch* watch = network_.counter_watches.data() + work.counters;
       watch != counters_end; ++watch) {
    if (watch->values != 0) {  // Only a literal that becomes true or false changes what counts.
      const bool became_false = (now & watch->values) == 0 && (before & watch->values) != 0;
      const Bits others = ~Bits{watch->values};
      const bool became_true = (now & others) == 0 && (before & others) != 0;
      if (!became_false && !became_true) continue;
    }
    work_.counters.Push(watch->counter);
  }
}

namespace {

/// One value, and every constraint of the slot knows it.
bool IsSettled(const std::uint64_t* dirty, std::uint32_t slot, unsigned values) {
  return (values & (values - 1)) == 0 && (dirty[slot / 64] >> slot % 64 & 1) == 0;
}

}  // namespace

bool Propagator::RunPairs(Slot slot, const SlotWork& work, const SlotWork& next) {
  const std::uint8_t* const domains = state_.bytes();
  const std::uint8_t* const gates = domains + layout_.gate_byte;
  const std::uint8_t* const luts = network_.luts.data();
  const std::uint64_t* const dirty = work_.slots.words();
  const std::uint8_t values = domains[slot];
  const PairEntry* const entries = network_.pairs.data();
  for (std::uint32_t i = work.pairs; i < next.pairs; ++i) {
    const PairEntry& entry = entries[i];
    const unsigned before = domains[entry.other];
    if (IsSettled(dirty, entry.other, before)) continue;  // All that is left agrees with it.
    const unsigned after = before & luts[entry.lut + values];
    if (after == before || gates[entry.gate] == 0) continue;
    if (after == 0) {
      return FailTable(network_.constraints[network_.pair_constraints[i]], entry.other);
    }
    Keep(entry.other, after, {});
  }
  return true;
}

bool Propagator::RunTriples(Slot slot, std::uint8_t before, const SlotWork& work,
                            const SlotWork& next) {
  const std::uint8_t* const domains = state_.bytes();
  const std::uint8_t* const gates = domains + layout_.gate_byte;
  const std::uint8_t* const luts = network_.luts.data();
  const std::uint64_t* const dirty = work_.slots.words();
  const unsigned values = domains[slot];
  const TripleEntry* const entries = network_.triples.data();
  const std::uint8_t* const tables = network_.run_tables.data();
  for (std::uint32_t i = work.triples; i < next.triples; ++i) {
    const TripleEntry& entry = entries[i];
    const std::uint8_t* const classes = tables + entry.classes;
    if (classes[before] == classes[values] || classes[values] == kUniversalClass) continue;
    const unsigned b = domains[entry.b], c = domains[entry.c];
    if (IsSettled(dirty, entry.b, b) && IsSettled(dirty, entry.c, c)) continue;
    const unsigned new_b =
        b & luts[entry.lut_b + (values << entry.s_shift_b | c << entry.c_shift_b)];
    const unsigned new_c =
        c & luts[entry.lut_c + (values << entry.s_shift_c | new_b << entry.b_shift_c)];
    if ((new_b == b && new_c == c) || gates[entry.gate] == 0) continue;
    if (new_b == 0 || new_c == 0) {
      return FailTable(network_.constraints[network_.triple_constraints[i]],
                       new_b == 0 ? entry.b : entry.c);
    }
    Keep(entry.b, new_b, {});
    Keep(entry.c, new_c, {});
  }
  return true;
}

bool Propagator::RunConstraint(std::uint32_t id) {
  const Constraint& constraint = network_.constraints[id];
  if (!state_.gate(layout_, constraint.gate)) return true;
  return constraint.kind == Constraint::Kind::kClause ? RunClause(constraint)
                                                      : RunWideTable(constraint);
}

/// Generalised arc consistency on any table: every combination of the other slots' values votes for
/// the target values that it allows, and they for it.
bool Propagator::RunWideTable(const Constraint& constraint) {
  const Relation& relation = network_.relations[constraint.relation];
  const Bits target = domain(constraint.slots[relation.mask_position]);
  std::array<Bits, 3> values{1, 1, 1}, supported{};
  for (int i = 0; i + 1 < relation.arity; ++i) {
    values[i] = domain(constraint.slots[relation.others[i]]);
  }
  Bits target_supported = 0;
  const Bits* const masks = network_.masks.data() + relation.masks;
  // The combinations with one value a; stops when all that could still be learnt is known.
  const auto vote = [&](Bits a) {
    const std::size_t at_a = relation.strides[0] * static_cast<std::size_t>(std::countr_zero(a));
    for (Bits b = values[1]; b != 0; b &= b - 1) {
      const std::size_t at_b =
          at_a + relation.strides[1] * static_cast<std::size_t>(std::countr_zero(b));
      for (Bits c = values[2]; c != 0; c &= c - 1) {
        const std::size_t at =
            at_b + relation.strides[2] * static_cast<std::size_t>(std::countr_zero(c));
        const Bits allowed = target & masks[at];
        if (allowed == 0) continue;
        target_supported |= allowed;
        supported[0] |= a;
        supported[1] |= b & (~b + 1);
        supported[2] |= c & (~c + 1);
        if (target_supported == target && supported[1] == values[1] && supported[2] == values[2]) {
          return;
        }
      }
    }
  };
  for (Bits rest = values[0]; rest != 0; rest &= rest - 1) vote(rest & (~rest + 1));
  const Slot target_slot = constraint.slots[relation.mask_position];
  if (target_supported == 0) return FailTable(constraint, target_slot);
  bool alive = Keep(target_slot, target_supported, {});
  for (int i = 0; i + 1 < relation.arity; ++i) {
    alive &= Keep(constraint.slots[relation.others[i]], supported[i], {});
  }
  return alive;
}

bool Propagator::RunClause(const Constraint& constraint) {
  const Literal* last = nullptr;
  for (std::uint32_t l = constraint.literal_begin; l < constraint.literal_end; ++l) {
    const Literal& literal = network_.literals[l];
    if (literal.kind == Literal::Kind::kSlot) {  // Nearly all are; worth a path of their own.
      const Bits values = domain(literal.a);
      if ((values & literal.x) == 0) continue;
      if ((values & ~literal.x) == 0) return true;
    } else {
      const Truth status = LiteralStatus(network_, *this, literal);
      if (status == Truth::kTrue) return true;
      if (status == Truth::kFalse) continue;
    }
    if (last != nullptr) return true;  // Two may still hold.
    last = &literal;
  }
  const Origin origin = network_.origins[constraint.origin];
  return last != nullptr ? MakeTrue(*last, origin) : Fail(origin);
}

bool Propagator::MakeTrue(const Literal& literal, Origin origin) {
  switch (literal.kind) {
    case Literal::Kind::kSlot:
      return Keep(literal.a, literal.x, origin);
    case Literal::Kind::kPair:
      return KeepPairs(network_.pair_relations[literal.x], literal, origin);
    case Literal::Kind::kCounter:
      return KeepCounter(literal.a, {literal.x, literal.y}, origin);
    case Literal::Kind::kCounterNot:
      return KeepDifferent(literal.a, literal.x, origin);
    case Literal::Kind::kCounterPair:
      return KeepCompared(literal.op, literal.a, literal.b, origin);
  }
  EXH_UNREACHABLE();
}

bool Propagator::MakeFalse(const Literal& literal, Origin origin) {
  switch (literal.kind) {
    case Literal::Kind::kSlot:
      return Keep(literal.a, ~literal.x, origin);
    case Literal::Kind::kPair:
      return KeepPairs(network_.pair_relations[literal.y], literal, origin);
    case Literal::Kind::kCounter: {
      Interval outside = counter(literal.a);
      if (outside.min >= literal.x && outside.min <= literal.y) {
        if (literal.y == kSaturated) return Fail(origin);
        outside.min = literal.y + 1;
      }
      if (outside.max <= literal.y && outside.max >= literal.x) {
        if (literal.x == 0) return Fail(origin);
        outside.max = literal.x - 1;
      }
      return KeepCounter(literal.a, outside, origin);
    }
    case Literal::Kind::kCounterNot:
      return KeepCounter(literal.a, {literal.x, literal.x}, origin);
    case Literal::Kind::kCounterPair: {
      constexpr CompareOp kNegated[] = {CompareOp::kGe, CompareOp::kLe, CompareOp::kGt,
                                        CompareOp::kLt, CompareOp::kNe, CompareOp::kEq};
      return KeepCompared(kNegated[static_cast<int>(literal.op)], literal.a, literal.b, origin);
    }
  }
  EXH_UNREACHABLE();
}

bool Propagator::KeepPairs(const PairRelation& pairs, const Literal& literal, Origin origin) {
  const Bits right = domain(literal.b);
  Bits kept_left = 0, kept_right = 0;
  for (Bits rest = domain(literal.a); rest != 0; rest &= rest - 1) {
    const Bits partners = pairs.rows[std::countr_zero(rest)] & right;
    if (partners != 0) kept_left |= rest & (~rest + 1);
    kept_right |= partners;
  }
  return Keep(literal.a, kept_left, origin) && Keep(literal.b, kept_right, origin);
}

/// Bounds know no holes: a value is removed only at an end.
bool Propagator::KeepDifferent(std::uint32_t id, std::uint64_t value, Origin origin) {
  Interval kept = counter(id);
  if (kept.IsConstrained()) return kept.min != value || Fail(origin);
  if (kept.min == value) ++kept.min;
  if (kept.max == value) --kept.max;
  return KeepCounter(id, kept, origin);
}

bool Propagator::KeepCompared(CompareOp op, std::uint32_t a, std::uint32_t b, Origin origin) {
  const Interval left = counter(a), right = counter(b);
  switch (op) {
    case CompareOp::kLt: {
      if (left.min >= right.max) return Fail(origin);
      // Two strict comparisons round a cycle creep by one a step: over wide intervals the strict
      // one acts as `<=`, and the last step is left to the check of constrained counters.
      const std::uint64_t step = std::max(left.max, right.max) <= kMaxCreep ? 1 : 0;
      return KeepCounter(a, {0, right.max - step}, origin) &&
             KeepCounter(b, {left.min + step, kSaturated}, origin);
    }
    case CompareOp::kLe:
      return KeepCounter(a, {0, right.max}, origin) &&
             KeepCounter(b, {left.min, kSaturated}, origin);
    case CompareOp::kGt:
      return KeepCompared(CompareOp::kLt, b, a, origin);
    case CompareOp::kGe:
      return KeepCompared(CompareOp::kLe, b, a, origin);
    case CompareOp::kEq:
      return KeepCounter(a, right, origin) && KeepCounter(b, left, origin);
    case CompareOp::kNe:
      return (!left.IsConstrained() || KeepDifferent(b, left.min, origin)) &&
             (!right.IsConstrained() || KeepDifferent(a, right.min, origin));
  }
  EXH_UNREACHABLE();
}

}  // namespace exh::runtime::internal

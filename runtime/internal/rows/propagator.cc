// SPDX-License-Identifier: MIT
//
// The queues of the loop, how a domain or an interval is restricted, who is to blame when nothing
// is left, and the filters of records: tables, joints and clauses that run one at a time. All of
// them are filters to generalised arc consistency or unit propagation, and all are monotone: on
// smaller domains they leave no value that they remove on larger ones.
#include "runtime/internal/rows/propagator.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"

namespace exh::runtime::internal {
namespace {

constexpr std::uint64_t kMaxCreep = std::uint64_t{1} << 20;

Workspace& ThreadWorkspace(Propagator::Purpose purpose = Propagator::Purpose::kDescent) {
  thread_local std::array<Workspace, 2> workspaces;
  return workspaces[static_cast<std::size_t>(purpose)];
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

Propagator::Propagator(const Instance& instance, State* state, Conflict* conflict, Purpose purpose)
    : instance_(instance),
      network_(instance.network()),
      layout_(instance.layout()),
      rows_(ActiveRowKernels()),
      state_(*state),
      conflict_(*conflict),
      work_(ThreadWorkspace(purpose)),
      openings_(purpose == Purpose::kDescent ? network_.gates.openings.get() : nullptr) {
  work_.slots.Reserve(layout_.num_slots());
  work_.constraints.Reserve(network_.num_loose);
  work_.counters.Reserve(network_.counters.size());
  if (work_.seen.size() < layout_.num_narrow) work_.seen.resize(layout_.num_narrow);
  if (work_.fresh.size() < layout_.num_narrow / kLanes) {
    work_.fresh.resize(layout_.num_narrow / kLanes);
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
bool Propagator::FailTable(const Relation& relation,
                           const std::array<Bits, kMaxTableArity>& domains, int target) {
  std::uint32_t blamed = network_.pattern_lists[relation.patterns_begin];
  for (std::uint32_t i = relation.patterns_begin; i < relation.patterns_end; ++i) {
    const Pattern& pattern = network_.patterns[network_.pattern_lists[i]];
    bool acts = true;
    for (int position = 0; position < relation.arity; ++position) {
      const Bits values = domains[position], allowed = values & pattern.masks[position];
      acts &= position == target ? allowed != values : allowed == 0;
    }
    for (int pair = 0; pair < pattern.num_pairs; ++pair) {
      const auto [left, right] = pattern.pair_positions[pair];
      acts &= PairStatus(network_.pair_relations[pattern.pair_relations[pair]].rows, domains[left],
                         domains[right]) != Truth::kTrue;
    }
    if (acts) {
      blamed = network_.pattern_lists[i];
      break;
    }
  }
  return Fail(network_.origins[network_.patterns[blamed].origin]);
}

bool Propagator::FailTable(const Constraint& constraint, Slot target) {
  std::array<Bits, kMaxTableArity> domains{};
  int position = 0;
  for (int i = 0; i < constraint.arity; ++i) {
    domains[i] = domain(constraint.slots[i]);
    if (constraint.slots[i] == target) position = i;
  }
  return FailTable(network_.relations[constraint.relation], domains, position);
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
  for (const std::uint32_t id : network_.clauses_by_counter.list(counter)) {
    work_.constraints.Push(id);
  }
  for (const std::uint32_t parent : network_.parents_by_counter.list(counter)) {
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

bool Propagator::FailLane(const Run& run, std::uint32_t lane, Slot target) {
  if ((run.blame & kBlamesOrigin) != 0) {
    return Fail(network_.origins[run.blame & ~kBlamesOrigin]);
  }
  const Relation& relation = network_.relations[run.blame];
  std::array<std::uint32_t, kMaxTableArity> cells{run.slot};
  if (relation.arity == 2) {
    cells[1] = static_cast<const PairRun&>(run).row + lane;
  } else {
    cells[1] = static_cast<const TripleRun&>(run).row_b + lane;
    cells[2] = static_cast<const TripleRun&>(run).row_c + lane;
  }
  std::array<Bits, kMaxTableArity> domains{};
  int position = 0;
  for (int i = 0; i < relation.arity; ++i) {
    domains[i] = state_.bytes()[cells[i]];
    if (network_.cells[cells[i]].slot == target) position = i;
  }
  return FailTable(relation, domains, position);
}

bool Propagator::KeepCell(std::uint32_t at, std::uint8_t allowed, const Run& run) {
  const Cell& cell = network_.cells[at];
  if (cell.slot != at) allowed = network_.inverses[cell.inverse][allowed];
  return Keep(cell.slot, allowed, network_.origins[run.blame & ~kBlamesOrigin]);
}

Propagation Propagator::Propagate() {
  return rows_.propagate(*this);
}

Propagation Propagator::PropagateAll(FreezeTicker* ticker) {
  ticker_ = ticker;
  for (std::uint32_t presence = 0; presence < network_.presences.bits.size(); ++presence) {
    if (std::ranges::all_of(network_.presences.slots.list(presence),
                            [&](Slot slot) { return domain(slot) == kTrueBit; })) {
      const Presence& p = network_.presences.bits[presence];
      state_.presence(layout_, p.word) |= std::uint64_t{1} << p.bit;
    }
  }
  for (std::uint32_t gate = 0; gate < layout_.num_gates; ++gate) {
    if (std::ranges::all_of(network_.gates.slots.list(gate),
                            [&](Slot slot) { return domain(slot) == kTrueBit; })) {
      OpenGate(gate);
    }
  }
  // Counters first: from [0, saturated] two of them that are compared would creep up one by one.
  for (std::uint32_t id = 0; id < network_.counters.size(); ++id) work_.counters.Push(id);
  if (Propagate() == Propagation::kDeadEnd) return Propagation::kDeadEnd;
  // Nothing was seen of any slot: all that hangs on it runs.
  for (Slot slot = 0; slot < layout_.num_slots(); ++slot) {
    if (domain(slot) == 0 || (slot < layout_.num_narrow && network_.cells[slot].slot != slot)) {
      continue;
    }
    work_.slots.Insert(slot);
    if (slot < layout_.num_narrow) work_.seen[slot] = 0xFF;
  }
  for (std::uint32_t id = 0; id < network_.num_loose; ++id) work_.constraints.Push(id);
  return Propagate();
}

bool Propagator::RunConstraint(std::uint32_t id) {
  if (ticker_ != nullptr) ticker_->Tick();
  const Constraint& constraint = network_.constraints[id];
  if (!state_.gate(layout_, constraint.gate)) return true;
  if (constraint.kind == Constraint::Kind::kClause) return RunClause(constraint);
  return constraint.kind == Constraint::Kind::kJoint ? RunJoint(constraint)
                                                     : RunWideTable(constraint);
}

/// Generalised arc consistency: a combination is possible while each of its values is, and a value
/// while a possible combination has it.
bool Propagator::RunJoint(const Constraint& constraint) {
  const Joint& joint = network_.joints.all[constraint.relation];
  const std::uint64_t* const supports = network_.joints.supports.data();
  std::array<std::uint64_t, Joint::kMaxWords> possible;
  std::fill_n(possible.begin(), joint.num_words, ~std::uint64_t{0});
  for (int i = 0; i < constraint.arity; ++i) {
    const Bits values = domain(constraint.slots[i]);
    const std::uint64_t* const by_value = supports + joint.supports[i];
    for (std::uint32_t word = 0; word < joint.num_words; ++word) {
      std::uint64_t any = 0;
      for (Bits rest = values; rest != 0; rest &= rest - 1) {
        any |= by_value[static_cast<unsigned>(std::countr_zero(rest)) * joint.num_words + word];
      }
      possible[word] &= any;
    }
  }
  const Origin origin = network_.origins[constraint.origin];
  for (int i = 0; i < constraint.arity; ++i) {
    const std::uint64_t* const by_value = supports + joint.supports[i];
    Bits kept = 0;
    for (Bits rest = domain(constraint.slots[i]); rest != 0; rest &= rest - 1) {
      const std::uint64_t* const words =
          by_value + static_cast<unsigned>(std::countr_zero(rest)) * joint.num_words;
      for (std::uint32_t word = 0; word < joint.num_words; ++word) {
        if ((words[word] & possible[word]) == 0) continue;
        kept |= rest & (~rest + 1);
        break;
      }
    }
    if (!Keep(constraint.slots[i], kept, origin)) return false;
  }
  return true;
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
    if (literal.kind == Literal::Kind::kIn) {  // Nearly all are; worth a path of their own.
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
    case Literal::Kind::kIn:
      return Keep(literal.a, literal.x, origin);
    case Literal::Kind::kPair:
      return KeepPairs(network_.pair_relations[literal.x], literal, origin);
    case Literal::Kind::kCounterIn:
      return KeepCounter(literal.a, {literal.x, literal.y}, origin);
    case Literal::Kind::kCounterNot:
      return KeepDifferent(literal.a, literal.x, origin);
    case Literal::Kind::kCounterPair:
      return KeepCompared(literal.op, literal.a, literal.b, origin);
    case Literal::Kind::kLong:
      return KeepLong(literal.a, literal.b, network_.long_masks.data() + literal.x, origin);
    case Literal::Kind::kTerm:
      return RunTerm(literal.x, literal.y != 0, origin);
  }
  EXH_UNREACHABLE();
}

bool Propagator::MakeFalse(const Literal& literal, Origin origin) {
  switch (literal.kind) {
    case Literal::Kind::kIn:
      return Keep(literal.a, ~literal.x, origin);
    case Literal::Kind::kPair:
      return KeepPairs(network_.pair_relations[literal.y], literal, origin);
    case Literal::Kind::kCounterIn: {
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
    case Literal::Kind::kLong: {
      std::array<Bits, kMaxValues / 64> outside;
      for (std::uint32_t word = 0; word < literal.b; ++word) {
        outside[word] = ~network_.long_masks[literal.x + word];
      }
      return KeepLong(literal.a, literal.b, outside.data(), origin);
    }
    case Literal::Kind::kTerm:
      return RunTerm(literal.x, literal.y == 0, origin);
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
      if (left.min >= right.max && right.max != kSaturated) return Fail(origin);
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
      // What is saturated is no number.
      return (!left.IsConstrained() || left.min == kSaturated ||
              KeepDifferent(b, left.min, origin)) &&
             (!right.IsConstrained() || right.min == kSaturated ||
              KeepDifferent(a, right.min, origin));
  }
  EXH_UNREACHABLE();
}

}  // namespace exh::runtime::internal

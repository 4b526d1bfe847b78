// SPDX-License-Identifier: MIT
//
// RowLoop: the fixpoint loop, and what a changed domain sets going. RunSlot() walks the lists of a
// slot (network.h has the drawing): pairs, triples and runs restrict other domains at once; wide
// tables, clauses and counters are queued, for they cost more and often many changes lead to one of
// them.
//
// Slot 5 has lost a value, from {A, B} to {A}:
//
//   slots: 5            RunSlot(5)   pairs     restrict slot 9 at once, which is queued
//                                    clauses   record 3 is queued, for its literal "5 is B" fails
//                                    counters  counter 2 is queued
//   slots: 9            RunSlot(9)   nothing can tell its domains apart
//   records: 3          one literal is left: slot 7 is restricted and queued
//   slots: 7            RunSlot(7) …
//   counters: 2         computed once, whatever happened to its increments meanwhile
//
// Invariant, whenever the loop comes round: whatever constraint could restrict a domain reads a
// slot or counter that is queued, or is queued itself. An entry may therefore be skipped when it
// cannot tell the domain from the one that was seen (`before`), or when all that it could restrict
// has one value that is not queued: the entry of that other slot has already restricted this one.
//
// Included once by each file with kernels, after it has defined EXH_ROW_TARGET: the loop is
// compiled for each instruction set, so that the kernels are inlined into it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "runtime/internal/rows/row_counts.h"

namespace exh::runtime::internal {

template <typename Rows>
class RowLoop : public RowCounts<Rows> {
 public:
  using RowCounts<Rows>::RowCounts;

  // The loop maintains: whatever constraint could restrict a domain reads a slot or counter that is
  // queued, or is queued itself. Slots first (their tables run at once), then wide tables and
  // clauses, then counters: dear ones see settled domains. All filters are monotone, so the
  // fixpoint does not depend on this order.
  EXH_ROW_TARGET Propagation Run() {
    while (true) {
      bool alive = true;
      if (!work_.slots.IsEmpty()) {
        ++work_.events;
        alive = RunSlot(work_.slots.Pop());
      } else if (!work_.constraints.IsEmpty()) {
        alive = p_.RunConstraint(work_.constraints.Pop());
      } else if (!work_.counters.IsEmpty()) {
        alive = this->RunCounter(work_.counters.Pop());
      } else {
        return Propagation::kFixpoint;
      }
      if (!alive) {
        p_.Clear();
        return Propagation::kDeadEnd;
      }
    }
  }

 private:
  /// One value, and every constraint of the slot knows it.
  EXH_ROW_TARGET static bool IsSettled(const std::uint64_t* dirty, std::uint32_t slot,
                                       unsigned values) {
    return (values & (values - 1)) == 0 && (dirty[slot / 64] >> slot % 64 & 1) == 0;
  }

  EXH_ROW_TARGET bool RunSlot(Slot slot) {
    const SlotWork &work = network_.work[slot], &next = network_.work[slot + 1];
    const Bits now = p_.domain(slot);
    if (now == kTrueBit) p_.OpenGates(slot);
    if (slot >= layout_.num_narrow) {
      WakeScalars(slot, ~Bits{0}, now, work, next);
      return true;
    }
    std::uint8_t before = work_.seen[slot];
    unsigned wake = kAllWork;
    if (work.wake != kNoLut && before < 1u << kMaxWakeValues) {
      wake = network_.wake_tables[work.wake + (std::size_t{before} << kMaxWakeValues | now)];
    } else if (before == now) {
      // The full domain of eight values is the byte for "nothing was seen" (0xFF), which is meant:
      // a slot whose domain has not shrunk is queued for no other reason. 0 is no domain at all.
      before = 0;
    }
    if ((wake & kPairWork) != 0 && !RunPairs(slot, work, next)) return false;
    if ((wake & kTripleWork) != 0 && !RunTriples(slot, before, work, next)) return false;
    if ((wake & (kRunWork | kClauseRunWork)) != 0 &&
        state_.gate(layout_, network_.slot_gates[slot])) {
      const auto values = static_cast<std::uint8_t>(now);
      if ((wake & kRunWork) != 0 && !this->RunRuns(before, values, work, next)) return false;
      const UniformBlock* const uniform =
          network_.uniform.is_empty() ? nullptr : &network_.uniform.blocks[slot / kLanes];
      if ((wake & kRunWork) != 0 && uniform != nullptr && uniform->tables != UniformBlock::kNone &&
          !this->RunUniformTables(slot, *uniform, before, values)) {
        return false;
      }
      if ((wake & kClauseRunWork) != 0) {
        if (!this->RunClauseLists(before, values, work, next)) return false;
        if (uniform != nullptr && uniform->clause_begin != uniform->clause_end &&
            !this->RunUniformClauses(slot, *uniform, before, values)) {
          return false;
        }
      }
    }
    if ((wake & kScalarWork) != 0) WakeScalars(slot, before, now, work, next);
    return true;
  }

  /// Has each strict value that is left of the guard a partner for some value of the slot?
  EXH_ROW_TARGET bool HavePartners(const WideEntry& entry, unsigned strict, Bits now) const {
    const Bits others = p_.domain(entry.other);
    for (; strict != 0; strict &= strict - 1) {
      const Bits* const partners =
          network_.partners.data() + entry.partners +
          static_cast<unsigned>(std::countr_zero(strict)) * entry.num_values;
      Bits rest = now;
      while (rest != 0 && (partners[std::countr_zero(rest)] & others) == 0) rest &= rest - 1;
      if (rest == 0) return false;
    }
    return true;
  }

  EXH_ROW_TARGET void WakeScalars(Slot slot, Bits before, Bits now, const SlotWork& work,
                                  const SlotWork& next) {
    for (std::uint32_t i = work.wides; i < next.wides; ++i) {
      const WideEntry& entry = network_.wides[i];
      if (entry.classes != kNoLut) {
        const std::uint8_t* const classes = network_.run_tables.data() + entry.classes;
        if (classes[before] == classes[now] || classes[now] == kUniversalClass) continue;
      }
      if (entry.partners != kNoLut) {
        const unsigned guard = domains_[entry.guard], strict = guard & entry.strict;
        if (strict == 0 || (strict != guard && HavePartners(entry, strict, now))) continue;
      }
      const Constraint& constraint = network_.constraints[entry.constraint];
      if (!state_.gate(layout_, constraint.gate)) continue;
      // With one value left of each other slot, known to the table, all of this one agrees with
      // them.
      bool settled = true;
      for (int p = 0; settled && p < constraint.arity; ++p) {
        const Bits values = p_.domain(constraint.slots[p]);
        settled = constraint.slots[p] == slot ||
                  ((values & (values - 1)) == 0 && !work_.slots.Contains(constraint.slots[p]));
      }
      if (!settled) work_.constraints.Push(entry.constraint);
    }
    const std::uint8_t* const domains = domains_;
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

  EXH_ROW_TARGET bool RunPairs(Slot slot, const SlotWork& work, const SlotWork& next) {
    const std::uint8_t* const domains = domains_;
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
        return p_.FailTable(network_.constraints[network_.pair_constraints[i]], entry.other);
      }
      p_.Keep(entry.other, after, {});
    }
    return true;
  }

  EXH_ROW_TARGET bool RunTriples(Slot slot, std::uint8_t before, const SlotWork& work,
                                 const SlotWork& next) {
    const std::uint8_t* const domains = domains_;
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
        return p_.FailTable(network_.constraints[network_.triple_constraints[i]],
                            new_b == 0 ? entry.b : entry.c);
      }
      p_.Keep(entry.b, new_b, {});
      p_.Keep(entry.c, new_c, {});
    }
    return true;
  }

  using RowRuns<Rows>::p_;
  using RowRuns<Rows>::network_;
  using RowRuns<Rows>::layout_;
  using RowRuns<Rows>::state_;
  using RowRuns<Rows>::work_;
  using RowRuns<Rows>::domains_;
};

}  // namespace exh::runtime::internal

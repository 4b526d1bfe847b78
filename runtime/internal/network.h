// SPDX-License-Identifier: MIT
//
// The constraint network of an Instance: flat arrays that the propagation loop walks. Nothing in
// here changes after the freeze.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/propagation.h"
#include "runtime/space.h"
#include "runtime/state.h"

namespace exh::runtime::internal {

/// Boolean domains: memberships, fired triggers, quotient flags.
inline constexpr Bits kFalseBit = 1;
inline constexpr Bits kTrueBit = 2;

inline constexpr int kMaxTableArity = 4;

/// An atom over domains; three-valued on partial ones.
struct Literal {
  enum class Kind : std::uint8_t {
    kSlot,         ///< Slot a takes a value of the mask x.
    kPair,         ///< Slots a and b are in the value relation x; y is its complement.
    kCounter,      ///< Counter a lies in [x, y].
    kCounterNot,   ///< Counter a is not x.
    kCounterPair,  ///< Counters a and b: a op b.
  };
  Kind kind = Kind::kSlot;
  CompareOp op = CompareOp::kEq;
  std::uint32_t a = 0, b = 0;
  std::uint64_t x = 0, y = 0;
  friend bool operator==(const Literal&, const Literal&) = default;
};

/// Which pairs of values of two decisions are allowed: row v is the mask of partners of value v.
struct PairRelation {
  std::uint8_t num_left = 0, num_right = 0;
  std::vector<Bits> rows, columns;
};

/// One ground clause in a table, by position of its slots; kept to say which clause is to blame.
struct Pattern {
  std::array<Bits, kMaxTableArity> masks{};
  std::uint32_t origin = 0;
  std::uint8_t num_pairs = 0;
  std::array<std::array<std::uint8_t, 2>, 2> pair_positions{};
  std::array<std::uint32_t, 2> pair_relations{};
  friend bool operator==(const Pattern&, const Pattern&) = default;
};

/// A table over 2 to 4 slots: for every combination of the others, the allowed values of the slot
/// at `mask_position` (the one with the most values).
struct Relation {
  std::uint8_t arity = 0;
  std::uint8_t mask_position = 0;
  std::array<std::uint8_t, kMaxTableArity> sizes{};
  /// The other positions and the strides of their values in the table, padded with stride 0.
  std::array<std::uint8_t, 3> others{};
  std::array<std::uint32_t, 3> strides{};
  std::uint32_t masks = 0;  ///< First of its masks in Network::masks.
  /// Look-up tables over domain bit sets, per target position; kNoLut when they would be too large.
  std::array<std::uint32_t, 3> luts{};
  std::uint32_t patterns_begin = 0, patterns_end = 0;  ///< In Network::pattern_lists.
};
inline constexpr std::uint32_t kNoLut = 0xFFFFFFFF;

struct Constraint {
  enum class Kind : std::uint8_t { kPairTable, kTripleTable, kWideTable, kClause };
  Kind kind = Kind::kClause;
  std::uint8_t arity = 0;
  std::uint32_t gate = 0;
  std::array<Slot, kMaxTableArity> slots{};
  std::uint32_t relation = 0;                        ///< Tables.
  std::uint32_t literal_begin = 0, literal_end = 0;  ///< Clauses.
  std::uint32_t origin = 0;                          ///< Clauses.
};

/// The slot it hangs on changed: restrict `other` by luts[lut + domain].
struct PairEntry {
  std::uint32_t lut;
  std::uint16_t other;
  std::uint16_t gate;
};

/// The slot s it hangs on changed: restrict b by luts[lut_b + (s << s_b | c << c_b)], and c alike.
struct TripleEntry {
  std::uint32_t lut_b, lut_c;
  std::uint16_t b, c, gate;
  std::uint8_t s_shift_b, c_shift_b, s_shift_c, b_shift_c;
};

/// Run the clause when the slot has no value of the mask left, unless both guards, two other
/// literals of the clause, may still hold: it could not restrict anything then.
struct ClauseWatch {
  Bits mask;
  std::uint32_t constraint;
  Slot guard_a = 0, guard_b = 0;                    ///< Narrow slots.
  std::uint8_t guard_mask_a = 0, guard_mask_b = 0;  ///< 0: no guard.
};

struct Increment {
  enum class Weight : std::uint8_t { kConstant, kSlot, kCounter };
  Weight weight = Weight::kConstant;
  std::uint32_t literal_begin = 0, literal_end = 0;  ///< It counts when all of them hold.
  std::uint64_t value = 0;                           ///< kConstant.
  std::uint32_t source = 0;                          ///< kSlot, kCounter.
  std::uint32_t universe = 0;                        ///< kSlot: in Objects::universes.
};

struct Counter {
  bool product = false;
  std::uint64_t base = 0;
  std::uint32_t increment_begin = 0, increment_end = 0;
  std::uint32_t origin = 0;
};

/// Rows of lists by slot, counter or gate: row i is begin[i] … begin[i + 1].
struct Rows {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> items;
  std::span<const std::uint32_t> row(std::uint32_t i) const {
    return {items.data() + begin[i], items.data() + begin[i + 1]};
  }
};

struct Network {
  std::vector<Origin> origins;
  std::vector<PairRelation> pair_relations;
  std::vector<std::vector<std::uint32_t>> universes;

  std::vector<Pattern> patterns;
  std::vector<std::uint32_t> pattern_lists;
  std::vector<Relation> relations;
  std::vector<Bits> masks;
  std::vector<std::uint8_t> luts;

  std::vector<Constraint> constraints;
  std::vector<Literal> literals;
  std::vector<Counter> counters;
  std::vector<Increment> increments;
  std::vector<Literal> increment_literals;

  // What a change of a slot wakes.
  std::vector<std::uint32_t> pair_begin, triple_begin, clause_begin;  ///< By slot, and one more.
  std::vector<PairEntry> pairs;
  std::vector<std::uint32_t> pair_constraints;  ///< Beside `pairs`.
  std::vector<TripleEntry> triples;
  std::vector<std::uint32_t> triple_constraints;
  std::vector<ClauseWatch> clause_watches;
  Rows wide_tables_by_slot;
  Rows counters_by_slot;
  Rows gates_by_slot;

  // What a change of a counter wakes.
  Rows clauses_by_counter;
  Rows parents_by_counter;

  Rows gate_slots;           ///< By gate: open when all are TRUE. Gate 0 has none.
  Rows constraints_by_gate;  ///< To run when it opens.
};

}  // namespace exh::runtime::internal

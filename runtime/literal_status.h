// SPDX-License-Identifier: MIT
//
// Three-valued evaluation of literals: on partial domains a literal holds, fails, or may do either.
// This is the only place that says which. Each kind compares what is left of one or two decisions
// or counters with what the literal allows:
//
//   literal             what is left           status
//   a in {1, 2}         {2}                    kTrue     nothing but allowed values is left
//                       {0, 2}                 kMaybe
//                       {0}                    kFalse    none of them is left
//   a == b              {1}, {1}               kTrue     all partners of all values are allowed
//                       {1, 2}, {1}            kMaybe
//                       {1}, {0, 2}            kFalse
//   counter < 4         [0, 3]                 kTrue
//                       [2, 5]                 kMaybe
//                       [4, 7]                 kFalse
//
// Invariant: smaller domains never lead from kTrue or kFalse to something else.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "runtime/action.h"
#include "runtime/interval.h"
#include "runtime/space.h"

namespace exh::runtime {

enum class Truth : std::uint8_t { kFalse, kMaybe, kTrue };

/// What a literal is about. Network and ground form have literals of their own, with the same
/// kinds.
enum class LiteralKind : std::uint8_t {
  kIn,           ///< Decision a takes one of some values.
  kPair,         ///< Decisions a and b are in a relation of values.
  kCounterIn,    ///< Counter a lies in an interval.
  kCounterNot,   ///< Counter a is not the minimum of an interval.
  kCounterPair,  ///< Counters a and b: a op b.
  kLong,         ///< The b words of a decision from a on are within masks.
  kTerm,         ///< A comparison of terms holds, or does not.
};

inline Truth ValuesStatus(Bits domain, Bits allowed) {
  if ((domain & allowed) == 0) return Truth::kFalse;
  return (domain & ~allowed) == 0 ? Truth::kTrue : Truth::kMaybe;
}

/// `rows`: by value of the left decision, the allowed values of the right one.
inline Truth PairStatus(std::span<const Bits> rows, Bits left, Bits right) {
  bool some = false, all = true;
  for (Bits rest = left; rest != 0; rest &= rest - 1) {
    const Bits partners = rows[static_cast<std::size_t>(std::countr_zero(rest))] & right;
    some |= partners != 0;
    all &= partners == right;
  }
  return all ? Truth::kTrue : some ? Truth::kMaybe : Truth::kFalse;
}

inline Truth CounterStatus(Interval counter, Interval allowed) {
  if (allowed.IsEmpty() || !counter.Intersects(allowed)) return Truth::kFalse;
  return counter.IsSubsetOf(allowed) ? Truth::kTrue : Truth::kMaybe;
}

inline Truth CounterNotStatus(Interval counter, std::uint64_t number) {
  if (!counter.Contains(number)) return Truth::kTrue;
  return counter.IsConstrained() ? Truth::kFalse : Truth::kMaybe;
}

/// A counter sticks at kSaturated, "this much or more": two that do are not known to be equal, nor
/// which is larger. A freeze refuses to compare such counters.
inline Truth CounterPairStatus(CompareOp op, Interval a, Interval b) {
  const bool same = a.IsConstrained() && a == b && a.min != kSaturated;
  switch (op) {
    case CompareOp::kLt:
      if (a.max < b.min) return Truth::kTrue;
      return a.min >= b.max && b.max != kSaturated ? Truth::kFalse : Truth::kMaybe;
    case CompareOp::kLe:
      if (a.max <= b.min && a.max != kSaturated) return Truth::kTrue;
      return a.min > b.max ? Truth::kFalse : Truth::kMaybe;
    case CompareOp::kGt:
      return CounterPairStatus(CompareOp::kLt, b, a);
    case CompareOp::kGe:
      return CounterPairStatus(CompareOp::kLe, b, a);
    case CompareOp::kEq:
      if (!a.Intersects(b)) return Truth::kFalse;
      return same ? Truth::kTrue : Truth::kMaybe;
    case CompareOp::kNe:
      if (!a.Intersects(b)) return Truth::kTrue;
      return same ? Truth::kFalse : Truth::kMaybe;
  }
  EXH_UNREACHABLE();
}

/// What a literal is on the domains that `facts` knows:
///
///   Bits domain(number), Interval counter(number)           what is left
///   Bits values(literal), Interval interval(literal)        what the literal allows, by its kind
///   std::span<const Bits> pairs(literal)                    kPair: rows
///   const Bits* masks(literal)                              kLong: literal.b of them
///   Truth term(literal)                                     kTerm
template <typename Literal, typename Facts>
Truth LiteralStatus(const Literal& literal, Facts&& facts) {
  switch (literal.kind) {
    case LiteralKind::kIn:
      return ValuesStatus(facts.domain(literal.a), facts.values(literal));
    case LiteralKind::kPair:
      return PairStatus(facts.pairs(literal), facts.domain(literal.a), facts.domain(literal.b));
    case LiteralKind::kCounterIn:
      return CounterStatus(facts.counter(literal.a), facts.interval(literal));
    case LiteralKind::kCounterNot:
      return CounterNotStatus(facts.counter(literal.a), facts.interval(literal).min);
    case LiteralKind::kCounterPair:
      return CounterPairStatus(literal.op, facts.counter(literal.a), facts.counter(literal.b));
    case LiteralKind::kLong: {
      const Bits* const masks = facts.masks(literal);
      bool some = false, all = true;
      for (std::uint32_t word = 0; word < literal.b; ++word) {
        const Bits domain = facts.domain(literal.a + word);
        some |= (domain & masks[word]) != 0;
        all &= (domain & ~masks[word]) == 0;
      }
      return all ? Truth::kTrue : some ? Truth::kMaybe : Truth::kFalse;
    }
    case LiteralKind::kTerm:
      return facts.term(literal);
  }
  EXH_UNREACHABLE();
}

}  // namespace exh::runtime

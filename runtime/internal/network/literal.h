// SPDX-License-Identifier: MIT
//
// Three-valued evaluation of literals: on partial domains one may be true, false or open. `View` is
// anything with domain(Slot) -> Bits and counter(number) -> Interval: the root domains or a state.
#pragma once

#include <bit>

#include "base/check.h"
#include "runtime/internal/network/network.h"
#include "runtime/internal/network/term_ranges.h"
#include "runtime/interval.h"

namespace exh::runtime::internal {

inline Truth PairStatus(const PairRelation& pairs, Bits left, Bits right) {
  bool some = false, all = true;
  for (Bits rest = left; rest != 0; rest &= rest - 1) {
    const Bits partners = pairs.rows[std::countr_zero(rest)] & right;
    some |= partners != 0;
    all &= partners == right;
  }
  return all ? Truth::kTrue : some ? Truth::kMaybe : Truth::kFalse;
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

/// The comparison that a kTerm literal, or a weight, is about.
inline TermView TermOf(const Network& network, std::uint64_t number) {
  return {network.terms, network.universes, network.terms.tests[number]};
}

template <typename View>
Truth LiteralStatus(const Network& network, const View& view, const Literal& literal) {
  switch (literal.kind) {
    case Literal::Kind::kSlot: {
      const Bits domain = view.domain(literal.a);
      if ((domain & literal.x) == 0) return Truth::kFalse;
      return (domain & ~literal.x) == 0 ? Truth::kTrue : Truth::kMaybe;
    }
    case Literal::Kind::kPair:
      return PairStatus(network.pair_relations[literal.x], view.domain(literal.a),
                        view.domain(literal.b));
    case Literal::Kind::kCounter: {
      const Interval interval = view.counter(literal.a);
      const Interval allowed{literal.x, literal.y};
      if (allowed.IsEmpty() || !interval.Intersects(allowed)) return Truth::kFalse;
      return interval.IsSubsetOf(allowed) ? Truth::kTrue : Truth::kMaybe;
    }
    case Literal::Kind::kCounterNot: {
      const Interval interval = view.counter(literal.a);
      if (!interval.Contains(literal.x)) return Truth::kTrue;
      return interval.IsConstrained() ? Truth::kFalse : Truth::kMaybe;
    }
    case Literal::Kind::kCounterPair:
      return CounterPairStatus(literal.op, view.counter(literal.a), view.counter(literal.b));
    case Literal::Kind::kLong: {
      bool some = false, all = true;
      for (std::uint32_t word = 0; word < literal.b; ++word) {
        const Bits domain = view.domain(literal.a + word);
        const Bits allowed = network.long_masks[literal.x + word];
        some |= (domain & allowed) != 0;
        all &= (domain & ~allowed) == 0;
      }
      return all ? Truth::kTrue : some ? Truth::kMaybe : Truth::kFalse;
    }
    case Literal::Kind::kTerm:
      return TermStatus(TermOf(network, literal.x), view, literal.y != 0);
  }
  EXH_UNREACHABLE();
}

}  // namespace exh::runtime::internal

// SPDX-License-Identifier: MIT
//
// Evaluates comparisons of ground terms on partial domains, and narrows what they read.
//
// Forwards, each node gets the range of what it may be, from the ranges of its operands. The
// comparison is true when it holds for all of the two ranges at its top, false when for none.
// Backwards, what must hold at the top narrows the ranges of operands, down to decisions and
// counters (Benhamou et al., "Revising hull and box consistency", ICLP 1999). A decision that
// stands in a term twice is narrowed at each place by itself. So ranges are not exact as long as
// several decisions are open. What is left when few combinations are (one open decision, or
// kMostCombinations of several) is tried value by value.
//
// size(a) * size(b) <= 8, with size(a) in [2, 4] and size(b) in [1, 8]:
//
//   forwards      the product is in [2, 32]: the comparison may hold and may fail
//   backwards     it must hold: the product is in [2, 8]
//                 size(b) is at most 8 / 2: [1, 4]
//                 size(a) is at most 8 / 1: nothing new
//
// Invariants: every function here is monotone: on smaller domains it never leaves more. With all
// decisions and counters constrained the status is exact, unless numbers were rounded
// (term_numbers.h): then it is not known. Only the root of a freeze meets that. What divides by 0
// has no value, and then the comparison does not hold: `may_fail` says that this may be, an empty
// range that it is.
//
// `View` is anything with domain(Slot) -> Bits and counter(number) -> Interval.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "runtime/ground.h"
#include "runtime/int_domain.h"
#include "runtime/internal/network/term_numbers.h"
#include "runtime/interval.h"
#include "runtime/literal_status.h"

namespace exh::runtime::internal {

/// What a node may be; empty when min > max: it has no value.
template <typename N>
struct TermRange {
  N min, max;
  bool may_fail;

  bool IsEmpty() const { return max < min; }
  bool IsOne() const { return min == max && !min.IsInfinite(); }
};

using Universes = std::vector<std::vector<std::uint32_t>>;

/// A comparison with the tables that it lies in.
struct TermView {
  const TermTables& tables;
  const Universes& universes;
  const TermTest& test;

  const GroundTermNode& node(std::uint32_t position) const {
    return tables.nodes[test.node_begin + position];
  }
  std::uint32_t num_nodes() const { return test.node_end - test.node_begin; }
  const TermLeaf& leaf(std::uint32_t position) const {
    return tables.leaves[test.leaf_begin + position];
  }
  std::uint32_t num_leaves() const { return test.leaf_end - test.leaf_begin; }
  std::uint32_t number(const TermLeaf& leaf, std::uint32_t value) const {
    return universes[leaf.universe][value];
  }
};

/// Smallest and largest value that is left of a leaf; none is left when first > last.
template <typename View>
std::pair<std::uint32_t, std::uint32_t> EndsOf(const View& view, const TermLeaf& leaf) {
  std::uint32_t first = 1, last = 0;
  for (std::uint32_t word = 0; word < leaf.words; ++word) {
    const Bits values = view.domain(leaf.slot + word);
    if (values == 0) continue;
    first = 64 * word + static_cast<std::uint32_t>(std::countr_zero(values));
    break;
  }
  for (std::uint32_t word = leaf.words; word-- > 0;) {
    const Bits values = view.domain(leaf.slot + word);
    if (values == 0) continue;
    last = 64 * word + 63 - static_cast<std::uint32_t>(std::countl_zero(values));
    break;
  }
  return {first, last};
}

template <typename View>
std::uint32_t CountLeft(const View& view, const TermLeaf& leaf) {
  int count = 0;
  for (std::uint32_t word = 0; word < leaf.words; ++word) {
    count += std::popcount(view.domain(leaf.slot + word));
  }
  return static_cast<std::uint32_t>(count);
}

/// A counter sticks at kSaturated, "this much or more".
inline TermRange<Whole> RangeOfCounter(Interval interval, std::int64_t offset) {
  const auto at = [&](std::uint64_t value, bool is_minimum) {
    if (value == kSaturated && !is_minimum) return Whole::Infinite(false);
    return Whole::Bound(static_cast<__int128>(value) + offset, is_minimum);
  };
  return {at(interval.min, true), at(interval.max, false)};
}

inline TermRange<Whole> Widened(TermRange<Whole> range, Whole*) {
  return range;
}
inline TermRange<Fraction> Widened(TermRange<Whole> range, Fraction*) {
  const auto as = [](Whole number) {
    return number.IsInfinite() ? Fraction::Infinite(number.sign() < 0) : Fraction{number.value, 1};
  };
  return {as(range.min), as(range.max), range.may_fail};
}
/// The whole numbers within a range; `div`, `%` and divisors have no fractions.
inline TermRange<Whole> Wholes(const TermRange<Whole>& range) {
  return range;
}
inline TermRange<Whole> Wholes(const TermRange<Fraction>& range) {
  const auto as = [](Fraction number) {
    return number.IsInfinite() ? Whole::Infinite(number.sign() < 0) : Whole{number.over};
  };
  return {as(range.min), as(range.max), range.may_fail};
}

template <typename N>
TermRange<N> Hull(std::initializer_list<N> corners) {
  return {std::min(corners), std::max(corners)};
}
template <typename N>
TermRange<N> Hull(std::initializer_list<Rounded<N>> corners) {
  N min = corners.begin()->down, max = corners.begin()->up;
  for (const Rounded<N>& corner : corners) {
    min = std::min(min, corner.down);
    max = std::max(max, corner.up);
  }
  return {min, max};
}

/// Joins two ranges, either of which may be empty.
template <typename N>
TermRange<N> Joined(const TermRange<N>& a, const TermRange<N>& b) {
  if (a.IsEmpty()) return b;
  if (b.IsEmpty()) return a;
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

/// The part of a range of divisors below, or above, 0.
template <typename N>
TermRange<N> PartOf(TermRange<N> range, bool negative) {
  if (negative) {
    range.max = std::min(range.max, From<N>(-1));
  } else {
    range.min = std::max(range.min, From<N>(1));
  }
  return range;
}

template <typename N>
TermRange<N> Multiplied(const TermRange<N>& a, const TermRange<N>& b) {
  return Hull(
      {Product(a.min, b.min), Product(a.min, b.max), Product(a.max, b.min), Product(a.max, b.max)});
}

inline TermRange<Whole> FloorDivided(const TermRange<Whole>& a, const TermRange<Whole>& b) {
  TermRange<Whole> result{{1}, {0}};
  for (const bool negative : {true, false}) {
    const TermRange<Whole> part = PartOf(b, negative);
    if (part.IsEmpty()) continue;
    result = Joined(result, Hull({FloorQuotient(a.min, part.min), FloorQuotient(a.min, part.max),
                                  FloorQuotient(a.max, part.min), FloorQuotient(a.max, part.max)}));
  }
  return result;
}

inline TermRange<Whole> Remainder(const TermRange<Whole>& a, const TermRange<Whole>& b) {
  if (b.IsOne() && b.min.sign() != 0 && !a.min.IsInfinite() && !a.max.IsInfinite()) {
    const Whole low = FloorQuotient(a.min, b.min), high = FloorQuotient(a.max, b.min);
    if (low == high) {  // No multiple of b lies between: what is left moves as a does.
      const auto rest = [&](Whole number) {
        return Whole{static_cast<std::int64_t>(number.value -
                                               static_cast<__int128>(low.value) * b.min.value)};
      };
      return {rest(a.min), rest(a.max)};
    }
  }
  TermRange<Whole> result{{1}, {0}};
  const TermRange<Whole> below = PartOf(b, true), above = PartOf(b, false);
  if (!above.IsEmpty()) {
    result = {{0}, above.max.IsInfinite() ? above.max : Whole{above.max.value - 1}};
    if (a.min.sign() >= 0) result.max = std::min(result.max, a.max);
  }
  if (!below.IsEmpty()) {
    TermRange<Whole> part{below.min.IsInfinite() ? below.min : Whole{below.min.value + 1}, {0}};
    if (a.max.sign() <= 0) part.min = std::max(part.min, a.min);
    result = Joined(result, part);
  }
  return result;
}

/// By a whole divisor; only asked for where N has fractions.
template <typename N>
TermRange<N> Divided(const TermRange<N>& a, const TermRange<N>& b) {
  TermRange<N> result{From<N>(1), From<N>(0)};
  for (const bool negative : {true, false}) {
    const TermRange<N> part = PartOf(b, negative);
    if (part.IsEmpty()) continue;
    result = Joined(result, Hull({QuotientOf(a.min, part.min), QuotientOf(a.min, part.max),
                                  QuotientOf(a.max, part.min), QuotientOf(a.max, part.max)}));
  }
  return result;
}

template <typename N>
TermRange<N> Combined(GroundTermNode::Op op, const TermRange<N>& a, const TermRange<N>& b) {
  using Op = GroundTermNode::Op;
  TermRange<N> result{From<N>(1), From<N>(0), false};
  bool may_fail = a.may_fail || b.may_fail;
  if (op == Op::kDivide || op == Op::kDiv || op == Op::kMod) {
    may_fail |= b.min.sign() <= 0 && b.max.sign() >= 0;
  }
  if (a.IsEmpty() || b.IsEmpty()) {
    return {From<N>(1), From<N>(0), true};
  }
  switch (op) {
    case Op::kAdd:
      result = {Sum(a.min, b.min, true), Sum(a.max, b.max, false)};
      break;
    case Op::kSubtract:
      result = {Sum(a.min, -b.max, true), Sum(a.max, -b.min, false)};
      break;
    case Op::kMultiply:
      result = Multiplied(a, b);
      break;
    case Op::kDivide:
      result = Divided(a, b);
      break;
    case Op::kDiv:
      result = Widened(FloorDivided(Wholes(a), Wholes(b)), static_cast<N*>(nullptr));
      break;
    case Op::kMod:
      result = Widened(Remainder(Wholes(a), Wholes(b)), static_cast<N*>(nullptr));
      break;
    case Op::kMin:
      result = {std::min(a.min, b.min), std::min(a.max, b.max)};
      break;
    case Op::kMax:
      result = {std::max(a.min, b.min), std::max(a.max, b.max)};
      break;
    default:
      break;
  }
  result.may_fail = may_fail;
  return result;
}

template <typename N>
using TermRanges = std::array<TermRange<N>, kMostTermNodes>;

/// Fills the ranges of all nodes. `leaf_range(position)` is that of a leaf, `counter(number)` an
/// Interval.
template <typename N, typename LeafRange, typename View>
void Forwards(const TermView& term, const LeafRange& leaf_range, const View& view,
              TermRanges<N>* ranges) {
  using Op = GroundTermNode::Op;
  N* const kind = nullptr;
  for (std::uint32_t i = 0; i < term.num_nodes(); ++i) {
    const GroundTermNode& node = term.node(i);
    TermRange<N>& range = (*ranges)[i];
    switch (node.op) {
      case Op::kNumber:
        range = {From<N>(node.number, true), From<N>(node.number, false)};
        break;
      case Op::kDecision:
        range = Widened(leaf_range(node.left), kind);
        break;
      case Op::kCounter:
        range = Widened(RangeOfCounter(view.counter(node.left), node.number), kind);
        break;
      case Op::kNegate: {
        const TermRange<N>& of = (*ranges)[node.left];
        range = {-of.max, -of.min, of.may_fail};
        break;
      }
      default:
        range = Combined(node.op, (*ranges)[node.left], (*ranges)[node.right]);
    }
  }
}

/// Does `a op b` hold for all, for some, or for none of the numbers of two ranges?
template <typename N>
Truth Compared(CompareOp op, const TermRange<N>& a, const TermRange<N>& b) {
  if (a.IsEmpty() || b.IsEmpty()) return Truth::kFalse;
  const auto less = [](const TermRange<N>& x, const TermRange<N>& y, bool or_equal) {
    // Infinities are not known to be equal, nor to be ordered among themselves.
    const bool always = or_equal ? x.max <= y.min : x.max < y.min;
    const bool never = or_equal ? y.max < x.min : y.max <= x.min;
    if (always && !x.max.IsInfinite() && !y.min.IsInfinite()) return Truth::kTrue;
    if (never && !y.max.IsInfinite() && !x.min.IsInfinite()) return Truth::kFalse;
    return Truth::kMaybe;
  };
  const bool apart = a.max < b.min || b.max < a.min;
  const bool same = a.IsOne() && b.IsOne() && a.min == b.min;
  switch (op) {
    case CompareOp::kLt:
      return less(a, b, false);
    case CompareOp::kLe:
      return less(a, b, true);
    case CompareOp::kGt:
      return less(b, a, false);
    case CompareOp::kGe:
      return less(b, a, true);
    case CompareOp::kEq:
      return apart ? Truth::kFalse : same ? Truth::kTrue : Truth::kMaybe;
    case CompareOp::kNe:
      return apart ? Truth::kTrue : same ? Truth::kFalse : Truth::kMaybe;
  }
  return Truth::kMaybe;
}

/// Of a comparison whose nodes have their ranges, `negated` or not.
template <typename N>
Truth StatusOf(const TermView& term, const TermRanges<N>& ranges, bool negated) {
  const TermRange<N>&a = ranges[term.test.left], &b = ranges[term.test.right];
  Truth truth = Compared(term.test.op, a, b);
  if (truth == Truth::kTrue && (a.may_fail || b.may_fail)) truth = Truth::kMaybe;
  if (!negated || truth == Truth::kMaybe) return truth;
  return truth == Truth::kTrue ? Truth::kFalse : Truth::kTrue;
}

template <typename N, typename View>
void ForwardsFrom(const TermView& term, const View& view, TermRanges<N>* ranges) {
  Forwards<N>(
      term,
      [&](std::uint32_t position) -> TermRange<Whole> {
        const TermLeaf& leaf = term.leaf(position);
        const auto [first, last] = EndsOf(view, leaf);
        if (first > last) return {{1}, {0}};
        return {{term.number(leaf, first)}, {term.number(leaf, last)}};
      },
      view, ranges);
}

/// Three-valued: exact when nothing is open.
template <typename View>
Truth TermStatus(const TermView& term, const View& view, bool negated) {
  if (term.test.fractions) {
    TermRanges<Fraction> ranges;
    ForwardsFrom(term, view, &ranges);
    return StatusOf(term, ranges, negated);
  }
  TermRanges<Whole> ranges;
  ForwardsFrom(term, view, &ranges);
  return StatusOf(term, ranges, negated);
}

/// The range of a term that stands alone; of a weight, which has no fractions.
template <typename View>
TermRange<Whole> TermRangeOf(const TermView& term, const View& view) {
  TermRanges<Whole> ranges;
  ForwardsFrom(term, view, &ranges);
  return ranges[term.test.left];
}

/// What a weight adds to a counter, of its range: it is never negative.
inline Interval WeightOf(const TermRange<Whole>& range) {
  const auto bound = [](Whole number) {
    if (number.sign() <= 0) return std::uint64_t{0};
    return number.IsInfinite() ? kSaturated : static_cast<std::uint64_t>(number.value);
  };
  return {bound(range.min), bound(range.max)};
}

}  // namespace exh::runtime::internal

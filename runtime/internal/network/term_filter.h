// SPDX-License-Identifier: MIT
//
// The filter of a comparison of terms that must hold, or must not: what is left of its decisions
// and counters. term_ranges.h has the ranges that it begins with, and says how strong it is.
//
// `Sink` takes what is found, and returns false when that leaves nothing:
//   bool KeepNumbers(const TermLeaf&, Whole min, Whole max)
//   bool KeepValues(const TermLeaf&, const Bits* words)
//   bool KeepCounter(std::uint32_t counter, Whole min, Whole max, std::int64_t offset)
//   bool Fail()
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "runtime/internal/network/term_ranges.h"

namespace exh::runtime::internal {

/// Combinations of several open decisions that are tried one by one.
inline constexpr std::uint32_t kMostCombinations = 64;

inline Whole CeilOf(Whole number) {
  return number;
}
inline Whole FloorOf(Whole number) {
  return number;
}
inline Whole FloorOf(Fraction number) {
  if (number.IsInfinite()) return Whole::Infinite(number.sign() < 0);
  return FloorQuotient({number.over}, {number.under});
}
inline Whole CeilOf(Fraction number) {
  return -FloorOf(-number);
}

/// From the top of a comparison down to what it reads.
template <typename N, typename Sink>
class Backwards {
 public:
  Backwards(const TermView& term, TermRanges<N>* ranges, Sink* sink)
      : term_(term), ranges_(*ranges), sink_(*sink) {}

  /// `a op b` must hold of the two at the top.
  void Compare(CompareOp op) {
    TermRange<N>&a = ranges_[term_.test.left], &b = ranges_[term_.test.right];
    // Between whole numbers, less is less by 1 at least.
    const N step = From<N>(N::kIsWhole ? 1 : 0);
    const auto less = [](TermRange<N>& x, TermRange<N>& y, N by) {
      x.max = std::min(x.max, Sum(y.max, -by, false));
      y.min = std::max(y.min, Sum(x.min, by, true));
    };
    switch (op) {
      case CompareOp::kLt:
        return less(a, b, step);
      case CompareOp::kLe:
        return less(a, b, From<N>(0));
      case CompareOp::kGt:
        return less(b, a, step);
      case CompareOp::kGe:
        return less(b, a, From<N>(0));
      case CompareOp::kEq:
        Narrow(&a, b.min, b.max);
        return Narrow(&b, a.min, a.max);
      case CompareOp::kNe:
        Differ(&a, b);
        return Differ(&b, a);
    }
  }

  /// What the nodes may still be narrows their operands, and at last what the term reads.
  bool Run() {
    using Op = GroundTermNode::Op;
    for (std::uint32_t i = term_.num_nodes(); i-- > 0;) {
      const TermRange<N> range = ranges_[i];
      if (range.IsEmpty()) return sink_.Fail();
      const GroundTermNode& node = term_.node(i);
      switch (node.op) {
        case Op::kNumber:
          break;
        case Op::kDecision:
          if (!sink_.KeepNumbers(term_.leaf(node.left), CeilOf(range.min), FloorOf(range.max))) {
            return false;
          }
          break;
        case Op::kCounter:
          if (!sink_.KeepCounter(node.left, CeilOf(range.min), FloorOf(range.max), node.number)) {
            return false;
          }
          break;
        case Op::kNegate:
          Narrow(&ranges_[node.left], -range.max, -range.min);
          break;
        default:
          NarrowOperands(node.op, range, &ranges_[node.left], &ranges_[node.right]);
      }
    }
    return true;
  }

 private:
  using Range = TermRange<N>;

  static void Narrow(Range* range, N min, N max) {
    range->min = std::max(range->min, min);
    range->max = std::min(range->max, max);
  }

  static void Differ(Range* range, const Range& other) {
    if constexpr (N::kIsWhole) {
      if (!other.IsOne()) return;
      if (range->min == other.min) range->min = Sum(range->min, Whole{1}, true);
      if (range->max == other.min) range->max = Sum(range->max, Whole{-1}, false);
    } else if (other.IsOne() && range->IsOne() && range->min == other.min) {
      range->max = Sum(range->min, From<N>(-1), false);
    }
  }

  static void NarrowOperands(GroundTermNode::Op op, const Range& range, Range* a, Range* b) {
    using Op = GroundTermNode::Op;
    const Range left = *a, right = *b;
    switch (op) {
      case Op::kAdd:
        Narrow(a, Sum(range.min, -right.max, true), Sum(range.max, -right.min, false));
        Narrow(b, Sum(range.min, -left.max, true), Sum(range.max, -left.min, false));
        break;
      case Op::kSubtract:
        Narrow(a, Sum(range.min, right.min, true), Sum(range.max, right.max, false));
        Narrow(b, Sum(left.min, -range.max, true), Sum(left.max, -range.min, false));
        break;
      case Op::kMultiply:
        NarrowFactor(range, right, a);
        NarrowFactor(range, left, b);
        break;
      case Op::kMin:
        Narrow(a, range.min, a->max);
        Narrow(b, range.min, b->max);
        if (left.min > range.max) Narrow(b, b->min, range.max);
        if (right.min > range.max) Narrow(a, a->min, range.max);
        break;
      case Op::kMax:
        Narrow(a, a->min, range.max);
        Narrow(b, b->min, range.max);
        if (left.max < range.min) Narrow(b, range.min, b->max);
        if (right.max < range.min) Narrow(a, range.min, a->max);
        break;
      case Op::kDivide:
        WithoutZero(b);
        if (!b->IsEmpty()) {
          const Range product = Multiplied(range, *b);
          Narrow(a, product.min, product.max);
        }
        break;
      case Op::kDiv:
        WithoutZero(b);
        if (b->min.sign() > 0) {  // q b <= a < (q + 1) b.
          const Range low = Multiplied({range.min, range.min, false}, *b);
          const N next = Sum(range.max, From<N>(1), false);
          const Range high = Multiplied({next, next, false}, *b);
          Narrow(a, low.min, Sum(high.max, From<N>(-1), false));
        }
        break;
      case Op::kMod:
        WithoutZero(b);
        break;
      default:
        break;
    }
  }

  /// A divisor is not 0.
  static void WithoutZero(Range* range) {
    if (range->min.sign() == 0) range->min = From<N>(1);
    if (range->max.sign() == 0) range->max = From<N>(-1);
  }

  /// `factor` times `other` is within `product`.
  static void NarrowFactor(const Range& product, const Range& other, Range* factor) {
    if (other.min.sign() <= 0 && other.max.sign() >= 0) {
      if (other.min.sign() != 0 || other.max.sign() != 0) return;
      // 0 times anything.
      if (product.min.sign() > 0 || product.max.sign() < 0)
        factor->max = Sum(factor->min, From<N>(-1), false);
      return;
    }
    const Range quotients =
        Hull({QuotientOf(product.min, other.min), QuotientOf(product.min, other.max),
              QuotientOf(product.max, other.min), QuotientOf(product.max, other.max)});
    Narrow(factor, quotients.min, quotients.max);
  }

  const TermView& term_;
  TermRanges<N>& ranges_;
  Sink& sink_;
};

constexpr CompareOp OppositeOf(CompareOp op) {
  constexpr CompareOp kOpposites[] = {CompareOp::kGe, CompareOp::kLe, CompareOp::kGt,
                                      CompareOp::kLt, CompareOp::kNe, CompareOp::kEq};
  return kOpposites[static_cast<int>(op)];
}

/// Tries all that a few open decisions can be together.
template <typename N, typename View, typename Sink>
class ValueByValue {
 public:
  ValueByValue(const TermView& term, const View& view, TermRanges<N>* ranges, Sink* sink)
      : term_(term), view_(view), ranges_(*ranges), sink_(*sink) {}

  /// Few enough are open, and no counter is.
  bool IsPossible() {
    for (std::uint32_t i = 0; term_.test.counters && i < term_.num_nodes(); ++i) {
      const GroundTermNode& node = term_.node(i);
      if (node.op == GroundTermNode::Op::kCounter && !view_.counter(node.left).IsConstrained()) {
        return false;
      }
    }
    std::uint32_t combinations = 1;
    for (std::uint32_t i = 0; i < term_.num_leaves(); ++i) {
      const std::uint32_t count = CountLeft(view_, term_.leaf(i));
      if (count == 1) continue;
      if (num_open_ == kMostOpen || (num_open_ > 0 && combinations * count > kMostCombinations)) {
        return false;
      }
      combinations *= count;
      open_[num_open_++] = i;
    }
    return num_open_ > 0;
  }

  bool Run(bool negated) {
    for (std::uint32_t i = 0; i < num_open_; ++i) kept_[i].fill(0);
    Try(0, negated);
    for (std::uint32_t i = 0; i < num_open_; ++i) {
      if (!sink_.KeepValues(term_.leaf(open_[i]), kept_[i].data())) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kMostOpen = 6;  // Of two values each there are 64 combinations.

  void Try(std::uint32_t position, bool negated) {
    if (position == num_open_) {
      Forwards<N>(
          term_,
          [&](std::uint32_t leaf) -> TermRange<Whole> {
            std::uint32_t value = EndsOf(view_, term_.leaf(leaf)).first;
            for (std::uint32_t i = 0; i < num_open_; ++i) {
              if (open_[i] == leaf) value = values_[i];
            }
            const Whole number{term_.number(term_.leaf(leaf), value)};
            return {number, number, false};
          },
          view_, &ranges_);
      // What was rounded is not known: it stays.
      if (StatusOf(term_, ranges_, negated) == Truth::kFalse) return;
      for (std::uint32_t i = 0; i < num_open_; ++i) {
        kept_[i][values_[i] / 64] |= Bits{1} << values_[i] % 64;
      }
      return;
    }
    const TermLeaf& leaf = term_.leaf(open_[position]);
    for (std::uint32_t word = 0; word < leaf.words; ++word) {
      for (Bits rest = view_.domain(leaf.slot + word); rest != 0; rest &= rest - 1) {
        values_[position] = 64 * word + static_cast<std::uint32_t>(std::countr_zero(rest));
        Try(position + 1, negated);
      }
    }
  }

  const TermView& term_;
  const View& view_;
  TermRanges<N>& ranges_;
  Sink& sink_;
  std::uint32_t num_open_ = 0;
  std::array<std::uint32_t, kMostOpen> open_;
  std::array<std::uint32_t, kMostOpen> values_;
  std::array<std::array<Bits, runtime::kMaxValues / 64>, kMostOpen> kept_;
};

template <typename N, typename View, typename Sink>
bool FilterTermAs(const TermView& term, const View& view, bool negated, Sink* sink) {
  TermRanges<N> ranges;
  ForwardsFrom(term, view, &ranges);
  const TermRange<N>&a = ranges[term.test.left], &b = ranges[term.test.right];
  const bool may_fail = a.may_fail || b.may_fail;
  if (!negated || !may_fail) {
    if (a.IsEmpty() || b.IsEmpty()) return negated || sink->Fail();
    Backwards<N, Sink> backwards(term, &ranges, sink);
    backwards.Compare(negated ? OppositeOf(term.test.op) : term.test.op);
    if (!backwards.Run()) return false;
  }
  ValueByValue<N, View, Sink> tried(term, view, &ranges, sink);
  return !tried.IsPossible() || tried.Run(negated);
}

/// The comparison holds, or does not. False: nothing is left.
template <typename View, typename Sink>
bool FilterTerm(const TermView& term, const View& view, bool negated, Sink* sink) {
  return term.test.fractions ? FilterTermAs<Fraction>(term, view, negated, sink)
                             : FilterTermAs<Whole>(term, view, negated, sink);
}

/// A term that stands alone is within [min, max].
template <typename View, typename Sink>
bool KeepTermWithin(const TermView& term, const View& view, Whole min, Whole max, Sink* sink) {
  TermRanges<Whole> ranges;
  ForwardsFrom(term, view, &ranges);
  TermRange<Whole>& top = ranges[term.test.left];
  top.min = std::max(top.min, min);
  top.max = std::min(top.max, max);
  return Backwards<Whole, Sink>(term, &ranges, sink).Run();
}

}  // namespace exh::runtime::internal

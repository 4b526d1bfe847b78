// SPDX-License-Identifier: MIT
//
// What the specification filters of generated code say about counters, and about two decisions of
// one enum choice. Their tests have three values: docs/dsl.md, "The model".
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "runtime/enum_domain.h"
#include "runtime/int_domain.h"
#include "runtime/interval.h"
#include "runtime/space.h"

namespace exh::runtime {

/// Values equal to some value of `other`.
template <typename E>
constexpr EnumDomain<E> EqualTo(EnumDomain<E> other) {
  return other;
}

/// Values that differ from some value of `other`.
template <typename E>
constexpr EnumDomain<E> OtherThan(EnumDomain<E> other) {
  if (other.IsEmpty()) return EnumDomain<E>::None();
  return other.IsConstrained() ? EnumDomain<E>::AllBut(other) : EnumDomain<E>::All();
}

template <typename E>
constexpr bool MayBeEqual(EnumDomain<E> left, EnumDomain<E> right) {
  return left.MayBe(right);
}

template <typename E>
constexpr bool MayDiffer(EnumDomain<E> left, EnumDomain<E> right) {
  return !left.IsEmpty() && !right.IsEmpty() && !(left.IsConstrained() && left == right);
}

/// The smallest interval that holds both.
constexpr Interval Hull(Interval a, Interval b) {
  if (a.IsEmpty()) return b;
  return b.IsEmpty() ? a : Interval{std::min(a.min, b.min), std::max(a.max, b.max)};
}

/// Values v with `v op k` for some k of `other`.
constexpr Interval CounterThat(CompareOp op, Interval other) {
  constexpr Interval kNothing{1, 0};
  if (other.IsEmpty()) return kNothing;
  switch (op) {
    case CompareOp::kLt:
      return other.max == 0 ? kNothing : Interval{0, other.max - 1};
    case CompareOp::kLe:
      return {0, other.max};
    case CompareOp::kGt:
      return other.min == kSaturated ? kNothing : Interval{other.min + 1, kSaturated};
    case CompareOp::kGe:
      return {other.min, kSaturated};
    case CompareOp::kEq:
      return other;
    case CompareOp::kNe:
      // An interval has no holes: only a number at an end of all of them can be left out.
      if (!other.IsConstrained()) return {};
      if (other.min == 0) return {1, kSaturated};
      return other.min == kSaturated ? Interval{0, kSaturated - 1} : Interval{};
  }
  return {};
}

/// A list of numbers stands for its hull.
constexpr Interval HullOf(std::span<const std::uint32_t> numbers) {
  return numbers.empty() ? Interval{1, 0} : Interval{numbers.front(), numbers.back()};
}

constexpr Interval CounterThat(CompareOp op, std::span<const std::uint32_t> numbers) {
  return CounterThat(op, HullOf(numbers));
}

/// `v op k` for some v of `left` and some k of `right`.
constexpr bool CounterMay(Interval left, CompareOp op, Interval right) {
  if (left.IsEmpty() || right.IsEmpty()) return false;
  if (op == CompareOp::kNe) return !(left.IsConstrained() && left == right);
  return left.Intersects(CounterThat(op, right));
}

constexpr bool CounterMay(Interval left, CompareOp op, std::span<const std::uint32_t> numbers) {
  return CounterMay(left, op, HullOf(numbers));
}

}  // namespace exh::runtime

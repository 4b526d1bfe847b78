// SPDX-License-Identifier: MIT
//
// Bounds of integer terms: whole numbers, and fractions for terms with `/`. A minimum is finite or
// minus infinity, a maximum finite or plus infinity: "there is no bound". What exceeds the largest
// number is rounded outwards, a minimum down to that number and a maximum up to infinity, and so is
// a fraction whose denominator is too large. So no value is lost, whatever the numbers of a space
// are. A freeze refuses the terms that could still be rounded when the root is propagated.
#pragma once

#include <cstdint>

#include "runtime/ground.h"

namespace exh::runtime::internal {

/// A whole number, or an infinity.
struct Whole {
  static constexpr std::int64_t kInfinity = std::int64_t{1} << 62;
  static constexpr bool kIsWhole = true;
  std::int64_t value;

  static constexpr Whole Infinite(bool negative) { return {negative ? -kInfinity : kInfinity}; }
  /// The tightest minimum, or maximum, of what the value bounds.
  static constexpr Whole Bound(__int128 value, bool is_minimum) {
    if (value >= kInfinity) return {is_minimum ? kInfinity - 1 : kInfinity};
    if (value <= -kInfinity) return {is_minimum ? -kInfinity : 1 - kInfinity};
    return {static_cast<std::int64_t>(value)};
  }
  constexpr bool IsInfinite() const { return value >= kInfinity || value <= -kInfinity; }
  constexpr int sign() const { return value > 0 ? 1 : value < 0 ? -1 : 0; }
  friend constexpr auto operator<=>(Whole, Whole) = default;
  friend constexpr Whole operator-(Whole a) { return {-a.value}; }
};

/// What an operation yields, as a minimum and as a maximum: the same number unless it was rounded.
template <typename N>
struct Rounded {
  N down, up;

  constexpr N at(bool is_minimum) const { return is_minimum ? down : up; }
};

constexpr Rounded<Whole> RoundedWhole(__int128 value) {
  return {Whole::Bound(value, true), Whole::Bound(value, false)};
}

/// A fraction in lowest terms with a positive denominator, or an infinity.
struct Fraction {
  static constexpr bool kIsWhole = false;
  std::int64_t over, under;

  static constexpr Fraction Infinite(bool negative) {
    return {negative ? -Whole::kInfinity : Whole::kInfinity, 1};
  }
  constexpr bool IsInfinite() const {
    return over >= Whole::kInfinity || over <= -Whole::kInfinity;
  }
  constexpr int sign() const { return over > 0 ? 1 : over < 0 ? -1 : 0; }
  friend constexpr bool operator==(Fraction, Fraction) = default;
  friend constexpr auto operator<=>(Fraction a, Fraction b) {
    return static_cast<__int128>(a.over) * b.under <=> static_cast<__int128>(b.over) * a.under;
  }
  friend constexpr Fraction operator-(Fraction a) { return {-a.over, a.under}; }
};

/// over / under, which is not 0.
constexpr Rounded<Fraction> RoundedFraction(__int128 over, __int128 under) {
  if (under < 0) {
    over = -over;
    under = -under;
  }
  __int128 a = over < 0 ? -over : over, b = under;
  while (b != 0) {
    const __int128 rest = a % b;
    a = b;
    b = rest;
  }
  if (a > 1) {
    over /= a;
    under /= a;
  }
  if (over < Whole::kInfinity && over > -Whole::kInfinity && under < Whole::kInfinity) {
    const Fraction exact{static_cast<std::int64_t>(over), static_cast<std::int64_t>(under)};
    return {exact, exact};
  }
  const __int128 floor = over / under - (over % under < 0 ? 1 : 0);
  const __int128 ceil = floor + (over % under != 0 ? 1 : 0);
  return {{Whole::Bound(floor, true).value, 1}, {Whole::Bound(ceil, false).value, 1}};
}

constexpr Whole FromInteger(std::int64_t value, bool is_minimum, Whole*) {
  return Whole::Bound(value, is_minimum);
}
constexpr Fraction FromInteger(std::int64_t value, bool is_minimum, Fraction*) {
  return {Whole::Bound(value, is_minimum).value, 1};
}
template <typename N>
constexpr N From(std::int64_t value, bool is_minimum = true) {
  return FromInteger(value, is_minimum, static_cast<N*>(nullptr));
}

/// Of two minimums, or of two maximums.
template <typename N>
constexpr N Sum(N a, N b, bool is_minimum) {
  if (a.IsInfinite()) return a;
  if (b.IsInfinite()) return b;
  if constexpr (N::kIsWhole) {
    return N::Bound(static_cast<__int128>(a.value) + b.value, is_minimum);
  } else {
    return RoundedFraction(
               static_cast<__int128>(a.over) * b.under + static_cast<__int128>(b.over) * a.under,
               static_cast<__int128>(a.under) * b.under)
        .at(is_minimum);
  }
}

/// Of one bound of each factor; 0 times an infinity is 0. What stands for "no bound" is larger than
/// all others, so the smallest and the largest of a range's products are right.
template <typename N>
constexpr Rounded<N> Product(N a, N b) {
  if constexpr (N::kIsWhole) {
    return RoundedWhole(static_cast<__int128>(a.value) * b.value);
  } else {
    if (a.sign() == 0 || b.sign() == 0) return {From<N>(0), From<N>(0)};
    if (a.IsInfinite() || b.IsInfinite()) {
      const N infinity = N::Infinite((a.sign() < 0) != (b.sign() < 0));
      return {infinity, infinity};
    }
    return RoundedFraction(static_cast<__int128>(a.over) * b.over,
                           static_cast<__int128>(a.under) * b.under);
  }
}

/// floor(a / b) and ceil(a / b); b is not 0. Of two infinities, 0.
constexpr Whole FloorQuotient(Whole a, Whole b) {
  if (b.IsInfinite()) {
    return a.IsInfinite() || a.sign() == 0 || (a.sign() < 0) == (b.sign() < 0) ? Whole{0}
                                                                               : Whole{-1};
  }
  if (a.IsInfinite()) return Whole::Infinite((a.sign() < 0) != (b.sign() < 0));
  const std::int64_t quotient = a.value / b.value;
  const bool inexact = quotient * b.value != a.value;
  return {quotient - static_cast<std::int64_t>(inexact && (a.value < 0) != (b.value < 0))};
}
constexpr Whole CeilQuotient(Whole a, Whole b) {
  return -FloorQuotient(-a, b);
}

/// a / b as the bounds of a factor, a whole number where N has no fractions: then it is rounded
/// inwards.
template <typename N>
constexpr Rounded<N> QuotientOf(N a, N b) {
  if constexpr (N::kIsWhole) {
    return {CeilQuotient(a, b), FloorQuotient(a, b)};
  } else {
    if (b.IsInfinite()) return {From<N>(0), From<N>(0)};
    if (a.IsInfinite()) {
      const N infinity = N::Infinite((a.sign() < 0) != (b.sign() < 0));
      return {infinity, infinity};
    }
    return RoundedFraction(static_cast<__int128>(a.over) * b.under,
                           static_cast<__int128>(a.under) * b.over);
  }
}

}  // namespace exh::runtime::internal

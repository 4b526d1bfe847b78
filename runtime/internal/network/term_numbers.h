// SPDX-License-Identifier: MIT
//
// Numbers of integer terms: whole ones, and fractions for terms with `/`. Both stick at plus and
// minus infinity, "this much or more": what a freeze has let pass gets there only while a counter
// is not known yet. Rounding in operations that narrow is outwards, so that no value is lost.
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
  static constexpr Whole Clamped(__int128 value) {
    if (value >= kInfinity) return {kInfinity};
    if (value <= -kInfinity) return {-kInfinity};
    return {static_cast<std::int64_t>(value)};
  }
  constexpr bool IsInfinite() const { return value >= kInfinity || value <= -kInfinity; }
  constexpr int sign() const { return value > 0 ? 1 : value < 0 ? -1 : 0; }
  friend constexpr auto operator<=>(Whole, Whole) = default;
  friend constexpr Whole operator-(Whole a) { return {-a.value}; }
};

/// A fraction in lowest terms with a positive denominator, or an infinity.
struct Fraction {
  static constexpr bool kIsWhole = false;
  std::int64_t over, under;

  static constexpr Fraction Infinite(bool negative) {
    return {negative ? -Whole::kInfinity : Whole::kInfinity, 1};
  }
  static constexpr Fraction Of(__int128 over, __int128 under) {
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
    if (over >= Whole::kInfinity || over <= -Whole::kInfinity || under >= Whole::kInfinity) {
      return Infinite(over < 0);
    }
    return {static_cast<std::int64_t>(over), static_cast<std::int64_t>(under)};
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

constexpr Whole FromInteger(std::int64_t value, Whole*) {
  return Whole::Clamped(value);
}
constexpr Fraction FromInteger(std::int64_t value, Fraction*) {
  return Fraction::Of(value, 1);
}
template <typename N>
constexpr N From(std::int64_t value) {
  return FromInteger(value, static_cast<N*>(nullptr));
}

/// `is_minimum` decides what the sum of two opposite infinities is: of a minimum, the smaller one.
template <typename N>
constexpr N Sum(N a, N b, bool is_minimum) {
  if (a.IsInfinite() || b.IsInfinite()) {
    if (!a.IsInfinite()) return b;
    if (!b.IsInfinite() || a.sign() == b.sign()) return a;
    return N::Infinite(is_minimum);
  }
  if constexpr (N::kIsWhole) {
    return N::Clamped(static_cast<__int128>(a.value) + b.value);
  } else {
    return N::Of(static_cast<__int128>(a.over) * b.under + static_cast<__int128>(b.over) * a.under,
                 static_cast<__int128>(a.under) * b.under);
  }
}

/// 0 times an infinity is 0: infinities stand for numbers that are not known yet.
template <typename N>
constexpr N Product(N a, N b) {
  if (a.sign() == 0 || b.sign() == 0) return From<N>(0);
  if (a.IsInfinite() || b.IsInfinite()) return N::Infinite((a.sign() < 0) != (b.sign() < 0));
  if constexpr (N::kIsWhole) {
    return N::Clamped(static_cast<__int128>(a.value) * b.value);
  } else {
    return N::Of(static_cast<__int128>(a.over) * b.over, static_cast<__int128>(a.under) * b.under);
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

/// a / b rounded outwards: exact where N has fractions.
template <typename N>
constexpr N QuotientOf(N a, N b, bool is_minimum) {
  if constexpr (N::kIsWhole) {
    return is_minimum ? CeilQuotient(a, b) : FloorQuotient(a, b);
  } else {
    if (b.IsInfinite()) return From<N>(0);
    if (a.IsInfinite()) return N::Infinite((a.sign() < 0) != (b.sign() < 0));
    return N::Of(static_cast<__int128>(a.over) * b.under, static_cast<__int128>(a.under) * b.over);
  }
}

}  // namespace exh::runtime::internal

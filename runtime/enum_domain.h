// SPDX-License-Identifier: MIT
//
// EnumDomain<E>: the set of values that an enum decision may still take. E is a flag enum: each
// value is one bit. Named functions (AllBut, MayBeOtherThan) read better than bit operators and are
// what generated filters use.
#pragma once

#include <bit>
#include <concepts>
#include <iterator>
#include <type_traits>

#include "runtime/space.h"

namespace exh::runtime {

/// Specialised by generated code: `static constexpr Bits kAll`, the union of the values of E.
template <typename E>
struct EnumTraits;

template <typename E>
requires std::is_enum_v<E>
class EnumDomain {
 public:
  using Value = E;
  using Storage = std::make_unsigned_t<std::underlying_type_t<E>>;

  /// The empty domain.
  constexpr EnumDomain() = default;
  /// The domain of one value.
  constexpr EnumDomain(E value) : values_(value) {}  // NOLINT: a value is a domain
  static constexpr EnumDomain FromBits(Bits bits) {
    EnumDomain domain;
    domain.values_ = static_cast<E>(bits & EnumTraits<E>::kAll);
    return domain;
  }
  static constexpr EnumDomain All() { return FromBits(EnumTraits<E>::kAll); }
  static constexpr EnumDomain None() { return {}; }
  static constexpr EnumDomain AllBut(EnumDomain excluded) { return FromBits(~excluded.bits()); }

  constexpr Bits bits() const { return static_cast<Storage>(values_); }
  constexpr bool IsEmpty() const { return bits() == 0; }
  constexpr bool IsConstrained() const { return std::has_single_bit(bits()); }
  constexpr int size() const { return std::popcount(bits()); }
  /// The only value; needs IsConstrained().
  constexpr E value() const { return values_; }

  /// Some value of `values` is possible.
  constexpr bool MayBe(EnumDomain values) const { return (bits() & values.bits()) != 0; }
  /// Every possible value is in `values`.
  constexpr bool MustBe(EnumDomain values) const { return (bits() & ~values.bits()) == 0; }
  /// Some value outside `values` is possible.
  constexpr bool MayBeOtherThan(EnumDomain values) const { return !MustBe(values); }
  /// Every value of `values` is possible; true for the empty set.
  constexpr bool Contains(EnumDomain values) const { return values.MustBe(*this); }

  constexpr EnumDomain& operator|=(EnumDomain other) { return *this = *this | other; }
  constexpr EnumDomain& operator&=(EnumDomain other) { return *this = *this & other; }
  friend constexpr EnumDomain operator|(EnumDomain a, EnumDomain b) {
    return FromBits(a.bits() | b.bits());
  }
  friend constexpr EnumDomain operator&(EnumDomain a, EnumDomain b) {
    return FromBits(a.bits() & b.bits());
  }
  friend constexpr EnumDomain operator~(EnumDomain a) { return AllBut(a); }
  friend constexpr bool operator==(EnumDomain, EnumDomain) = default;

  /// The possible values, lowest bit first.
  class Iterator {
   public:
    using value_type = E;
    using difference_type = std::ptrdiff_t;
    constexpr Iterator() = default;
    constexpr explicit Iterator(Bits rest) : rest_(rest) {}
    constexpr E operator*() const { return static_cast<E>(rest_ & (~rest_ + 1)); }
    constexpr Iterator& operator++() {
      rest_ &= rest_ - 1;
      return *this;
    }
    constexpr Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    Bits rest_ = 0;
  };
  constexpr Iterator begin() const { return Iterator(bits()); }
  constexpr Iterator end() const { return Iterator(0); }

 private:
  E values_ = E{};
};

}  // namespace exh::runtime

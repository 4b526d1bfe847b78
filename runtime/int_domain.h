// SPDX-License-Identifier: MIT
//
// IntDomain: the set of numbers that an integer decision may still take, as bits over its universe,
// a sorted list of at most 64 distinct numbers that the Instance owns.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "runtime/space.h"

namespace exh::runtime {

using Universe = std::span<const std::uint32_t>;

/// All values of a universe. (Shifting by 64 is undefined: a full universe is a case of its own.)
constexpr Bits AllOf(Universe universe) {
  return universe.size() >= 64 ? ~Bits{0} : (Bits{1} << universe.size()) - 1;
}

/// `left op right` for two numbers.
constexpr bool Compare(CompareOp op, std::uint64_t left, std::uint64_t right) {
  switch (op) {
    case CompareOp::kLt:
      return left < right;
    case CompareOp::kGt:
      return left > right;
    case CompareOp::kLe:
      return left <= right;
    case CompareOp::kGe:
      return left >= right;
    case CompareOp::kEq:
      return left == right;
    case CompareOp::kNe:
      return left != right;
  }
  return false;
}

/// `value op k` for some k of `numbers` (sorted).
bool HoldsForSome(CompareOp op, std::uint32_t value, std::span<const std::uint32_t> numbers);

/// The values v of `universe` with `v op k` for some k of `numbers` (sorted): the largest number
/// decides `<` and `<=`, the smallest `>` and `>=`, `==` keeps the common values, and `!=` removes
/// a value only when it is the only number.
Bits ValuesThat(Universe universe, CompareOp op, std::span<const std::uint32_t> numbers);

class IntDomain {
 public:
  constexpr IntDomain(Universe universe, Bits bits)
      : universe_(universe), bits_(bits & AllOf(universe)) {}
  static constexpr IntDomain All(Universe universe) { return {universe, AllOf(universe)}; }
  static constexpr IntDomain None(Universe universe) { return {universe, 0}; }
  /// The numbers of a list that are in the universe; others are ignored.
  static IntDomain Of(Universe universe, std::span<const std::uint32_t> numbers) {
    return {universe, ValuesThat(universe, CompareOp::kEq, numbers)};
  }
  static IntDomain That(Universe universe, CompareOp op, std::span<const std::uint32_t> numbers) {
    return {universe, ValuesThat(universe, op, numbers)};
  }
  static IntDomain That(Universe universe, CompareOp op, std::uint32_t number) {
    return That(universe, op, std::span(&number, 1));
  }

  constexpr Universe universe() const { return universe_; }
  constexpr Bits bits() const { return bits_; }
  constexpr bool IsEmpty() const { return bits_ == 0; }
  constexpr bool IsConstrained() const { return std::has_single_bit(bits_); }
  constexpr int size() const { return std::popcount(bits_); }
  /// Smallest, largest and only number; the domain must not be empty.
  constexpr std::uint32_t min() const { return universe_[std::countr_zero(bits_)]; }
  constexpr std::uint32_t max() const { return universe_[63 - std::countl_zero(bits_)]; }
  constexpr std::uint32_t value() const { return min(); }
  /// Of all numbers of the domain; 0 and 1 for the empty domain. lcm saturates.
  std::uint64_t gcd() const;
  std::uint64_t lcm() const;
  bool Contains(std::uint32_t number) const;
  std::vector<std::uint32_t> Numbers() const;

  /// Three-valued tests against a list of numbers, another domain's for instance:
  /// the comparison holds for every pair of a value and a number …
  bool Must(CompareOp op, std::span<const std::uint32_t> numbers) const;
  /// … or for some pair.
  bool May(CompareOp op, std::span<const std::uint32_t> numbers) const;
  bool Must(CompareOp op, const IntDomain& other) const { return Must(op, other.Numbers()); }
  bool May(CompareOp op, const IntDomain& other) const { return May(op, other.Numbers()); }

  IntDomain& Insert(std::uint32_t number);
  IntDomain Complement() const { return {universe_, ~bits_}; }
  /// The values of this domain that `op` some value of `other`, of whatever universe.
  IntDomain That(CompareOp op, const IntDomain& other) const {
    return {universe_, bits_ & ValuesThat(universe_, op, other.Numbers())};
  }
  /// Same universe only.
  friend IntDomain operator&(const IntDomain& a, const IntDomain& b) {
    EXH_DCHECK(a.universe_.data() == b.universe_.data());
    return {a.universe_, a.bits_ & b.bits_};
  }
  friend IntDomain operator|(const IntDomain& a, const IntDomain& b) {
    EXH_DCHECK(a.universe_.data() == b.universe_.data());
    return {a.universe_, a.bits_ | b.bits_};
  }

 private:
  Universe universe_;
  Bits bits_;
};

}  // namespace exh::runtime

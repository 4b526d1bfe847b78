// SPDX-License-Identifier: MIT
//
// IntDomain: the set of numbers that an integer decision may still take, as bits over its universe,
// a sorted list of distinct numbers that the Instance owns.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "runtime/space.h"

namespace exh::runtime {

using Universe = std::span<const std::uint32_t>;

/// All values of a universe of up to 64 numbers; of a larger one, the first word. (Shifting by 64
/// is undefined: a full universe is a case of its own.)
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

/// The values of a domain, by words: bit i of word w is number 64 w + i of the universe. Of a
/// universe of up to 64 numbers there is one word, and nothing is allocated.
class IntDomain {
 public:
  constexpr IntDomain(Universe universe, Bits bits) : IntDomain(universe) {
    EXH_CHECK(universe.size() <= 64);
    first_ = bits & AllOf(universe);
  }
  /// Word by word; as many words as the universe has.
  IntDomain(Universe universe, std::span<const Bits> words);
  static IntDomain All(Universe universe);
  static constexpr IntDomain None(Universe universe) { return IntDomain(universe); }
  /// The numbers of a list that are in the universe; others are ignored.
  static IntDomain Of(Universe universe, std::span<const std::uint32_t> numbers) {
    return That(universe, CompareOp::kEq, numbers);
  }
  static IntDomain That(Universe universe, CompareOp op, std::span<const std::uint32_t> numbers);
  static IntDomain That(Universe universe, CompareOp op, std::uint32_t number) {
    return That(universe, op, std::span(&number, 1));
  }

  constexpr Universe universe() const { return universe_; }
  /// Of a universe of up to 64 numbers.
  constexpr Bits bits() const {
    EXH_CHECK(universe_.size() <= 64);
    return first_;
  }
  constexpr std::size_t num_words() const { return 1 + more_.size(); }
  constexpr Bits word(std::size_t number) const { return number == 0 ? first_ : more_[number - 1]; }
  constexpr bool IsEmpty() const { return size() == 0; }
  constexpr bool IsConstrained() const { return size() == 1; }
  constexpr int size() const {
    int count = std::popcount(first_);
    for (const Bits word : more_) count += std::popcount(word);
    return count;
  }
  /// Smallest, largest and only number; the domain must not be empty.
  constexpr std::uint32_t min() const {
    std::size_t number = 0;
    while (word(number) == 0) ++number;
    return universe_[64 * number + static_cast<std::size_t>(std::countr_zero(word(number)))];
  }
  constexpr std::uint32_t max() const {
    std::size_t number = more_.size();
    while (word(number) == 0) --number;
    return universe_[64 * number + 63 - static_cast<std::size_t>(std::countl_zero(word(number)))];
  }
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
  IntDomain Complement() const;
  /// The values of this domain that `op` some value of `other`, of whatever universe.
  IntDomain That(CompareOp op, const IntDomain& other) const {
    return *this & That(universe_, op, other.Numbers());
  }
  /// Same universe only.
  friend IntDomain operator&(IntDomain a, const IntDomain& b) {
    EXH_DCHECK(a.universe_.data() == b.universe_.data());
    a.first_ &= b.first_;
    for (std::size_t i = 0; i < a.more_.size(); ++i) a.more_[i] &= b.more_[i];
    return a;
  }
  friend IntDomain operator|(IntDomain a, const IntDomain& b) {
    EXH_DCHECK(a.universe_.data() == b.universe_.data());
    a.first_ |= b.first_;
    for (std::size_t i = 0; i < a.more_.size(); ++i) a.more_[i] |= b.more_[i];
    return a;
  }

 private:
  constexpr explicit IntDomain(Universe universe) : universe_(universe) {
    if (universe.size() > 64) more_.resize((universe.size() - 1) / 64);
  }
  void Add(std::size_t value) {
    (value < 64 ? first_ : more_[value / 64 - 1]) |= Bits{1} << value % 64;
  }

  Universe universe_;
  Bits first_ = 0;
  std::vector<Bits> more_;  ///< Words 1, 2, ….
};

}  // namespace exh::runtime

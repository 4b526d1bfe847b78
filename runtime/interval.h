// SPDX-License-Identifier: MIT
//
// Interval: the domain of a counter, and the saturating arithmetic that keeps it sound.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace exh::runtime {

/// Arithmetic sticks at this value: "this much or more".
inline constexpr std::uint64_t kSaturated = std::numeric_limits<std::uint64_t>::max();

constexpr std::uint64_t SaturatingAdd(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kSaturated : sum;
}

/// 0 times anything is 0, a saturated factor included.
constexpr std::uint64_t SaturatingMul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kSaturated : product;
}

/// [min, max]; empty when min > max. A max of kSaturated is "no bound known".
struct Interval {
  std::uint64_t min = 0;
  std::uint64_t max = kSaturated;

  constexpr bool IsEmpty() const { return min > max; }
  constexpr bool IsConstrained() const { return min == max; }
  constexpr bool Contains(std::uint64_t value) const { return min <= value && value <= max; }
  constexpr bool IsSubsetOf(Interval other) const { return other.min <= min && max <= other.max; }
  constexpr bool Intersects(Interval other) const {
    return std::max(min, other.min) <= std::min(max, other.max);
  }
  friend constexpr Interval operator&(Interval a, Interval b) {
    return {std::max(a.min, b.min), std::min(a.max, b.max)};
  }
  friend constexpr bool operator==(Interval, Interval) = default;
};

}  // namespace exh::runtime

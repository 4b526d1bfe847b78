// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace exh::search {

inline constexpr double kLargestByte = 255;

/// By what factor an amount is another one, and not by how much, tells: levels are an eighth of an
/// octave. 0 for nothing, 1 for a half and less.
inline std::uint8_t LevelOf(double amount) {
  constexpr double kLeast = 0.5;
  if (amount <= 0) return 0;
  const double steps = 1 + 8 * std::log2(std::max(amount, kLeast) / kLeast);
  return static_cast<std::uint8_t>(std::lround(std::min(steps, kLargestByte)));
}

/// The logarithm of a bound. Without one (0) times are learned as they are.
inline double LogOfBound(double bound_ns) {
  return bound_ns > 0 ? std::log(bound_ns) : 0;
}

}  // namespace exh::search

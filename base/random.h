// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace exh {

/// The one source of chance of a run. The same seed gives the same numbers with every compiler:
/// the engine is fixed by the standard, and the distribution is our own.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [0, bound); `bound` is above 0.
  std::size_t Below(std::size_t bound) {
    // Numbers above the last whole multiple of `bound` would favour the small results.
    const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    std::uint64_t number = engine_();
    while (number >= limit) number = engine_();
    return static_cast<std::size_t>(number % bound);
  }

  /// Uniform in [0, 1).
  double Real() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace exh

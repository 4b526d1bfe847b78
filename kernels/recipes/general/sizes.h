// SPDX-License-Identifier: MIT
//
// Which of the sizes of a level is taken.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace exh::kernels {

/// Threads of a block that share what is reduced.
inline constexpr std::uint32_t kSlices = 256;
/// Neighbours that such a thread takes at least: what it reads at once.
inline constexpr double kLeastCopies = 4;

/// That of the numbers which is nearest, as a factor, of those that `fits`; 1 where none does.
template <typename Fits>
std::uint32_t Nearest(const std::vector<std::uint32_t>& numbers, double wanted, const Fits& fits) {
  std::uint32_t nearest = 1;
  double least = HUGE_VAL;
  for (const std::uint32_t number : numbers) {
    const double off = std::abs(std::log(number / wanted));
    if (off >= least || !fits(number)) continue;
    nearest = number;
    least = off;
  }
  return nearest;
}

/// The largest power of two among the sizes that divides a number and is not above `most`.
inline std::uint32_t LargestPower(const std::vector<std::uint32_t>& sizes, std::uint32_t number,
                                  double most) {
  std::uint32_t largest = 1;
  for (const std::uint32_t size : sizes) {
    if (std::has_single_bit(size) && size <= most && number % size == 0) largest = size;
  }
  return largest;
}

}  // namespace exh::kernels

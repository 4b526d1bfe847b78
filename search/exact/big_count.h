// SPDX-License-Identifier: MIT
//
// Counts of any size: spaces have more implementations than a machine word can tell.
#pragma once

#include <gmpxx.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/random.h"

namespace exh::search {

/// 0 or more, exact.
using BigCount = mpz_class;

/// All digits.
inline std::string Digits(const BigCount& count) {
  return count.get_str();
}

/// Uniform in [0, bound); `bound` is above 0.
inline BigCount Below(const BigCount& bound, Random& random) {
  const std::size_t bits = mpz_sizeinbase(bound.get_mpz_t(), 2);
  BigCount number;
  // At least half of all numbers with so many bits are below the bound.
  do {
    number = 0;
    for (std::size_t done = 0; done < bits; done += 32) {
      number <<= 32;
      number += static_cast<unsigned long>(random.Below(std::size_t{1} << 32));
    }
    number >>= (bits + 31) / 32 * 32 - bits;
  } while (number >= bound);
  return number;
}

}  // namespace exh::search

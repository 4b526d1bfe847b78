// SPDX-License-Identifier: MIT
//
// How fast the engine of the published kind is: one side of the benchmarks' comparisons.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace exh::maps {

struct Measured {
  double descents_per_second = 0;
  double decisions_per_descent = 0;
  double dead_ends_per_descent = 0;
  double events_per_descent = 0;  ///< Changes that were propagated.
  std::uint64_t descents = 0, gave_up = 0;
};

/// Random descents of linalg.exh, lowerings included, for matmul of size x size x size in the
/// paper's tiling, on the device k4000: in `order`, the names of search::ChoiceOrder. Stops after
/// `descents` or `seconds`, whichever comes first, but after one descent at least.
Measured MeasureMatmul(std::uint32_t size, const std::vector<std::string>& order, int descents,
                       double seconds, std::uint64_t seed = 1);

/// How many of `descents` implementations of MeasureMatmul() are implementations of
/// runtime::Instance too, all their decisions taken at once.
int CountConfirmed(std::uint32_t size, const std::vector<std::string>& order, int descents,
                   std::uint64_t seed = 1);

/// Random descents of tests/bench/order.exh, in random orders of pairs: a snapshot a step; a value
/// that fails is removed, and if that fails as well the descent ends.
Measured MeasureOrder(int instructions, int dims, double seconds, std::uint64_t seed = 1);

/// The same descents with hash maps written by hand for this one choice: a map of domains, a list
/// and a map of changes, both maps copied at every step, four filters for each third object.
Measured MeasureHandWrittenOrder(int instructions, int dims, double seconds,
                                 std::uint64_t seed = 1);

}  // namespace exh::maps

// SPDX-License-Identifier: MIT
//
// What a search has proven, and what speaks against it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "search/log/log_records.h"
#include "search/log/times/best_time.h"

namespace exh::search {

struct Proof {
  bool exhausted = false;  ///< All implementations were evaluated or cut.
  double bound_ns = 0;     ///< Nothing of the space is faster; 0: nothing is known.
  /// That holds of what takes as little memory as the best: what takes more was not looked at.
  bool of_least_memory = false;
  double epsilon = 0;        ///< What was cut could be faster than the best by this share.
  std::uint64_t pruned = 0;  ///< Children cut; with none, exhausted() is all of the space.
  /// Evaluated, but without a time, by verdict: nothing is known of them.
  std::map<std::string, std::uint64_t, std::less<>> unmeasured;
  std::uint64_t violations = 0;           ///< Times below their bound: then nothing is proven.
  std::vector<ViolationRecord> examples;  ///< The first of them.
  std::string measured;                   ///< SearchBound::measured.
};

/// In words, a line each: "no implementation of this space is faster than 11.2 us; the best takes
/// 12 % more" (or, from twice as long on, "3.4x as long"; where its times are too far apart for one
/// number, "3.4x to 12x as long"). `best` has no time when nothing was correct. Empty when there is
/// nothing to say.
std::string ProofText(const Proof& proof, const TimeInterval& best);

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// What a search has proven, and what speaks against it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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
  bool is_stated = false;                 ///< The bound is what a space of a user states.
};

/// In words, a line each: "no implementation of this space is faster than 11.2 us; the best takes
/// 12 % more" (or, from twice as long on, "3.4x as long"; where its times are too far apart for one
/// number, "3.4x to 12x as long"). `best` has no time when nothing was correct. Empty when there is
/// nothing to say.
std::string ProofText(const Proof& proof, const TimeInterval& best);

/// How far a time has come from a peer's towards what is possible (the SOL score):
/// 1 / (1 + (time - bound) / (peer - bound)). 1 at the bound, 0.5 as fast as the peer. Nothing
/// where it has no meaning: without one of the three, with a peer that is no slower than the bound,
/// with a time below the bound.
std::optional<double> SolScore(double time_ns, double bound_ns, double peer_ns);

/// The same of the best of a run in a line, against the fastest library that is correct; empty
/// where there is none, where nothing is proven, and where times are too far apart for one number.
std::string SolText(const Proof& proof, const TimeInterval& best,
                    const std::vector<ReferenceRecord>& references);

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// Duel: a candidate that may be the fastest, measured in turn with the best so far. On a busy
// machine a time says as much of what else runs as of the program; of two that were measured side
// by side the faster one is the faster one.
#pragma once

#include <functional>
#include <vector>

#include "kernels/evaluation.h"
#include "search/log/log_records.h"

namespace exh::search {

/// From this factor on between two times of the same program the machine is busy.
inline constexpr double kBusyFactor = 1.5;

struct Duel {
  /// Of the candidate, all rounds together. Not kCorrect: the duel ended with that.
  kernels::Measurement measurement;
  std::vector<TimePair> rounds;  ///< Of the candidate and of the best; 0: the best failed.
  bool is_won = false;           ///< The candidate was faster in most rounds.
  /// What the candidate takes where the best takes what it was known with: its fastest round,
  /// divided by `slowdown` on a busy machine. What lost is not faster than the best.
  double ns = 0;
  /// The best was faster than was known, beyond doubt: its fastest round; otherwise 0.
  double improved_ns = 0;
  /// How many times its known time the best took, 1 or more; 1 where that is within kLeastSlowdown.
  double slowdown = 1;
};

/// Times differ by this factor without anything else running.
inline constexpr double kLeastSlowdown = 1.2;

/// Measures both in turn until it is clear who is faster, three rounds at most. `known_ns` is the
/// time of the best so far.
Duel RunDuel(const std::function<kernels::Measurement()>& candidate,
             const std::function<kernels::Measurement()>& best, double known_ns);

}  // namespace exh::search

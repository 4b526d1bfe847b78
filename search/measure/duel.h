// SPDX-License-Identifier: MIT
//
// Duel: a candidate that may beat the incumbent, measured in turn with it. On a busy machine a time
// depends on what else runs as much as on the program. Two programs measured in alternation suffer
// alike, so they can be compared.
#pragma once

#include <functional>
#include <vector>

#include "kernels/devices/evaluator.h"
#include "kernels/evaluation.h"
#include "search/log/log_records.h"
#include "search/log/times/best_time.h"

namespace exh::search {

struct Duel {
  /// Of the candidate, all rounds together. Not kCorrect: the duel ended with that.
  kernels::Measurement measurement;
  /// Of the candidate and of the best; 0: the best failed. Those that decided.
  std::vector<TimePair> rounds;
  bool has_won_rounds = false;  ///< The candidate was faster in most rounds.
  bool is_won = false;          ///< And is faster than the best was known to be.
  /// The time of the candidate, as it was measured: its fastest round. Of one that lost, the
  /// fastest of those that are not below what it lost to, or the slowest where all are.
  double ns = 0;
  /// What it would take on a machine on which the incumbent takes its known time: the fastest
  /// round, divided by `slowdown` on a busy machine; undivided where that is beyond kMostSlowdown.
  /// If the candidate lost, never less than the time of the incumbent.
  double quiet_ns = 0;
  double best_measured_ns = 0;  ///< The fastest round of the best; 0: it failed in each.
  /// The best was faster than was known, beyond doubt: its fastest round; otherwise 0.
  double improved_ns = 0;
  /// How many times its known time the best took, 1 or more; 1 where that is within kLeastSlowdown.
  double slowdown = 1;
};

/// Times differ by this factor without anything else running.
inline constexpr double kLeastSlowdown = 1.2;

/// A program that takes so many times its known time was interrupted again and again.
inline constexpr double kMostSlowdown = 10;

/// Measures one of the two as long as it is told to.
using MeasureFor = std::function<kernels::Measurement(kernels::Effort)>;

/// Measures both in turn until it is clear who is faster. Most of those that were faster once are
/// so by accident: a first round is short, and what loses it has lost. Whoever wins it, three
/// rounds at most decide, in which it does not count. `known_ns` is the time of the best so far.
Duel RunDuel(const MeasureFor& candidate, const MeasureFor& best, double known_ns);

}  // namespace exh::search

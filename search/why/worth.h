// SPDX-License-Identifier: MIT
//
// What each decision of an implementation is worth: measured, by changing it.
//
//   1. Each decision alone takes other values, one at a time (ablation.h); what follows follows.
//   The
//      fastest of these says what the decision is worth: what is lost without it.
//   2. The decisions that are worth the most change together, one after the other: each step says
//      what a decision is worth beside those that changed before it. These steps make up the whole
//      way from the implementation to one without any of them, and their product is the time of
//      that one: it is measured once more at the end, which shows how far the steps can be
//      believed.
//
// Decisions are not independent. Without vectors, the size that was chosen for them is worth
// nothing. So the product of (1) is as a rule not the time of (2), and both are said.
//
// Every time is a ratio to the implementation itself, measured in turn with it, so that a machine
// that is busy, or a clock that falls, touches both alike. The implementation measured in turn with
// itself is the noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "runtime/candidate.h"
#include "search/log/log_records.h"
#include "search/measure/evaluator.h"

namespace exh::search {

/// What an implementation with changes takes, in turn with the one that was not changed.
struct Ratio {
  kernels::Verdict verdict = kernels::Verdict::kStopped;
  std::string why;  ///< Where it is not correct.
  double ratio =
      0;  ///< Its time, where the unchanged one takes 1: median of the rounds; 0: it was not timed.
  double lo = 0, hi = 0;  ///< The least and the greatest of the rounds.
  bool is_same = false;   ///< The same program as the unchanged one: 1, and not measured.

  bool is_timed() const { return ratio > 0; }
};

/// Another value of a decision.
struct OtherValue {
  PathStep change;
  int follows = 0;  ///< So many other decisions followed.
  Ratio time;
};

/// One decision, and what became of the implementation without it.
struct Worth {
  PathStep decision;
  std::vector<OtherValue> others;  ///< Those that were measured, in the order in which they were.
  std::size_t num_left = 0;        ///< Others that there was no time for.
  std::size_t num_impossible = 0;  ///< Others that nothing was found with.

  /// The fastest without the decision; null: none was timed.
  const OtherValue* fastest() const;
  /// What is lost without it: 1 is nothing, 2 is twice the time; 0: that is not known.
  double worth() const { return fastest() == nullptr ? 0 : fastest()->time.ratio; }
};

/// A step of changing the most valuable decisions one after the other.
struct WorthStep {
  PathStep change;
  int follows = 0;
  Ratio time;  ///< With all changes up to this one.
};

struct Worths {
  /// The unchanged implementation in turn with itself: so far (as a share) from 1 at most.
  double noise = 0;
  double best_ns = 0;            ///< What it took here.
  std::vector<Worth> decisions;  ///< The most valuable first; unknown ones last.
  std::vector<WorthStep> steps;
  Ratio again;  ///< The last timed step, measured once more.
  double seconds = 0;
  bool is_beside_other = false;  ///< WorthOptions::only.
  bool is_whole = true;          ///< There was time for everything.

  /// Decisions of which another value makes a difference beyond the noise.
  std::size_t NumWorth() const;
};

struct WorthOptions {
  int jobs = 1;         ///< Compilers at once.
  double seconds = 60;  ///< No compiler or measurement begins after that.
  std::size_t most_steps = 8;
  std::uint64_t seed = 1;
  /// Not empty: only these decisions change, to these values: those in which another implementation
  /// differs.
  Path only = {};
  const StopToken* stop = nullptr;  ///< Ends everything; what is measured by then is returned.
  /// Called now and then with what was done so far: measured, and planned at most.
  std::function<void(std::size_t done, std::size_t planned)> progress = {};
};

/// Measures what the decisions of `implementation`, which lies below the root, are worth. Throws
/// Error when the implementation itself does not run here any more, with its verdict.
Worths MeasureWorths(Evaluator& evaluator, const runtime::Candidate& root,
                     const runtime::Candidate& implementation, const WorthOptions& options);

}  // namespace exh::search

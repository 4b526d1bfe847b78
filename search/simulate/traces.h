// SPDX-License-Identifier: MIT
//
// Traces: how the best of a simulated search went down, and what several seeds have in common.
#pragma once

#include <vector>

namespace exh::search {

/// The best of one seed after each evaluation, ns (infinity: nothing yet), and where it is known
/// the seconds that passed until then.
struct Trace {
  std::vector<double> seconds, best;

  /// After so many evaluations. Who has nothing left to do keeps what was found. Infinity: nothing.
  double BestAfter(double evaluations) const;
};

/// After how many evaluations the best was near enough to the best that is known; infinity: never.
struct Reached {
  double percent = 0;  ///< So much above it.
  double least = 0, median = 0, most = 0;
};

/// Of at least one trace; `best` is what is known, ns.
Reached ReachedOf(const std::vector<Trace>& traces, double best, double percent);

/// Between the two nearest of what is sorted (`share` 0: the first); infinity when one of them is.
double Quantile(const std::vector<double>& sorted, double share);

}  // namespace exh::search

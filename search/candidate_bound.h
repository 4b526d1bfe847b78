// SPDX-License-Identifier: MIT
//
// The lower bound (models/) of candidates of one problem.
#pragma once

#include "kernels/ir/domains.h"
#include "models/lower_bound.h"
#include "runtime/candidate.h"
#include "search/problem.h"

namespace exh::search {

/// Any number of threads may use one.
class CandidateBound {
 public:
  /// With the rates of kernels/devices/rates. `problem` outlives the bound. Throws UsageError when
  /// nothing is known of the device's speed.
  explicit CandidateBound(const Problem& problem,
                          models::CacheState caches = models::CacheState::kWarm);

  /// Nanoseconds that every implementation below the candidate takes at least. The candidate is a
  /// fixpoint.
  double Ns(const runtime::Candidate& candidate) const;
  /// The same with what led to it.
  models::Bound Explain(const runtime::Candidate& candidate) const;

 private:
  const kernels::Task& task_;
  models::LowerBound bound_;
};

}  // namespace exh::search

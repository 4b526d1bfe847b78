// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <string>

#include "runtime/candidate.h"
#include "search/subject/subject.h"

namespace exh::search {

/// What models say of an implementation, by the keys of counters (kernels/counters/counters.h).
struct Foretold {
  /// No run has less: what the lower bound rests on.
  std::map<std::string, double, std::less<>> least;
  /// Estimates: what lowered code counts to, which the cost model learns from.
  std::map<std::string, double, std::less<>> guessed;
};

/// Of an implementation. `is_cold`: nothing is in the caches when a run begins. Empty where nothing
/// is known of it.
Foretold ForetoldOf(const Subject& subject, const runtime::Candidate& implementation, bool is_cold);

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/subject/subject.h"

#include <fmt/format.h>

#include "base/error.h"
#include "kernels/devices/backend.h"

namespace exh::search {

double Subject::slow_factor() const {
  constexpr double kUsual = 4;
  return backend() == nullptr ? kUsual : backend()->slow_factor();
}

double Subject::most_reserve_s() const {
  constexpr double kUsual = 8;
  return backend() == nullptr ? kUsual : backend()->finals_seconds();
}

std::string Subject::source_suffix() const {
  return backend() == nullptr ? ".cc" : std::string(backend()->suffix());
}

SearchBound BoundOf(const Subject& subject, const RunRecord& run) {
  if (run.bound.empty()) return {};
  // The machine may have been busy when the run began, or have been measured since.
  SearchBound bound = subject.Bound(run.is_cold(), WhichRates::kOfThisMachine);
  if (bound.name == run.bound) return bound;
  SearchBound recorded = subject.Bound(run.is_cold(), WhichRates::kRecorded);
  if (recorded.name == run.bound) return recorded;
  throw UsageError(fmt::format("the run was cut by the bound '{}', the rates of {} now make '{}'",
                               run.bound, run.device, bound.name));
}

}  // namespace exh::search

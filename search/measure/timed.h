// SPDX-License-Identifier: MIT
#pragma once

#include "base/activity.h"
#include "search/measure/evaluator.h"

namespace exh::search {

/// Measures by `measure`, and counts what that takes: its check as one activity, the rest as
/// another.
template <typename Measure>
kernels::Measurement Timed(const Measure& measure) {
  Doing time(Activity::kTime);
  kernels::Measurement measurement = measure();
  time.Move(Activity::kCheck, measurement.check_ms / 1e3);
  return measurement;
}

}  // namespace exh::search

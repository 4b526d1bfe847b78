// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/fused/schedule/schedules.h"

namespace exh::search {

/// What scheduling many operators took.
class SchedulingTotals {
 public:
  void Add(const kernels::fused::ProgramSchedule& schedule);
  void Add(const kernels::fused::SchedulingCost& cost, bool is_influenced);

  /// Two lines: times and systems, and how often the construction went which way.
  std::string Text() const;

 private:
  std::vector<double> seconds_;
  int influenced_ = 0;
  kernels::fused::SchedulingCost all_;
};

}  // namespace exh::search

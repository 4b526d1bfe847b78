// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "poly/isl/baseline.h"

namespace exh::poly {

/// How long isl's scheduler is waited for.
struct IslPatience {
  std::uint64_t operations = 50'000'000;  ///< Of isl, most often some seconds; 0: any number.
  double seconds = 10;
  const StopToken* stop = nullptr;  ///< Outlives the call; may be null.
};

/// What isl's scheduler comes to when it is waited for no longer than that.
struct IslApart {
  std::optional<Schedule> schedule;  ///< Proven to be legal.
  std::string why;                   ///< Else: why there is none.
  bool in_time = true;               ///< False: it was given up.
  double seconds = 0;                ///< Of the processor.
};

/// As ScheduleByIsl(), with the proof and the loops of what it finds, in a process of its own that
/// is killed when its time is over: between two of its operations isl may stay for ever, and
/// nothing ends a thread. Never throws.
IslApart ScheduleByIslApart(const Scop& scop, const std::vector<Dependence>& dependences,
                            const IslOptions& options, const IslPatience& patience);

}  // namespace exh::poly

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "base/stop.h"

namespace exh::search {

/// What making a subject may take.
struct Allowance {
  std::uint64_t bytes = 0;          ///< Of memory, for a space and for references; 0: any.
  const StopToken* stop = nullptr;  ///< Ends it, which then throws exh::Interrupted; may be null.
};

}  // namespace exh::search

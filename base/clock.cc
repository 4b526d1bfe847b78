// SPDX-License-Identifier: MIT
#include "base/clock.h"

#include <chrono>

namespace exh {

Clock SteadyClock() {
  return [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
}

}  // namespace exh

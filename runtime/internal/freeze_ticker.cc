// SPDX-License-Identifier: MIT
#include "runtime/internal/freeze_ticker.h"

#include <algorithm>

#include "runtime/error.h"

namespace exh::runtime::internal {

void FreezeTicker::Look() {
  taken_ += kPatience - patience_;
  patience_ = kPatience;
  if (!progress_) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < interval_) return;
  last_ = now;
  const double of_phase = steps_ <= 0 ? 1 : std::min(1.0, taken_ / steps_);
  const FreezeProgress progress{phase_, std::min(1.0, done_ + share_ * of_phase),
                                std::chrono::duration<double>(now - start_).count()};
  if (!progress_(progress)) throw Interrupted("interrupted while the space was frozen");
}

}  // namespace exh::runtime::internal

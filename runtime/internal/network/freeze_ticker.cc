// SPDX-License-Identifier: MIT
#include "runtime/internal/network/freeze_ticker.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/error.h"

namespace exh::runtime::internal {

/// What the process holds in memory; 0 where the system does not say.
std::uint64_t FreezeTicker::ResidentBytes() {
  std::ifstream facts("/proc/self/statm");
  std::uint64_t pages = 0, resident = 0;
  if (!(facts >> pages >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void FreezeTicker::CheckMemory() const {
  const std::uint64_t now = ResidentBytes();
  if (now <= bytes_before_ || now - bytes_before_ <= max_bytes_) return;
  constexpr double kMiB = 1 << 20;
  const auto in_mib = [](std::uint64_t bytes) {
    return std::to_string(static_cast<std::uint64_t>(static_cast<double>(bytes) / kMiB)) + " MiB";
  };
  throw TooLarge("the space takes " + in_mib(now - bytes_before_) + " while it is built, and " +
                 in_mib(max_bytes_) + " are allowed. It was at " + phase_ + "; so far it has " +
                 what_());
}

void FreezeTicker::Look() {
  taken_ += kPatience - patience_;
  patience_ = kPatience;
  if (!progress_ && max_bytes_ == 0) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < interval_) return;
  last_ = now;
  if (max_bytes_ != 0) CheckMemory();
  if (!progress_) return;
  const double of_phase = steps_ <= 0 ? 1 : std::min(1.0, taken_ / steps_);
  const FreezeProgress progress{phase_, std::min(1.0, done_ + share_ * of_phase),
                                std::chrono::duration<double>(now - start_).count(), expected_s_};
  if (!progress_(progress)) throw Interrupted("interrupted while the space was frozen");
}

}  // namespace exh::runtime::internal

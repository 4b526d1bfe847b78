// SPDX-License-Identifier: MIT
#include "base/system/descriptor.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace exh {
namespace {

using Clock = std::chrono::steady_clock;

/// A token tells nobody that it is stopped: it is looked at so often.
constexpr double kLookMs = 20;
/// What poll takes has an end.
constexpr double kLongestMs = 1e9;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  const int fd = other.Release();
  Close();
  fd_ = fd;
  return *this;
}

int Descriptor::Release() {
  return std::exchange(fd_, -1);
}

void Descriptor::Close() {
  if (fd_ >= 0) ::close(Release());
}

bool HasInput(int fd) {
  pollfd entry = {fd, POLLIN, 0};
  return DescriptorWait(0).For({&entry, 1}) == DescriptorWait::End::kReady &&
         (entry.revents & POLLIN) != 0;
}

DescriptorWait::End DescriptorWait::For(std::span<pollfd> descriptors, double quiet_s) {
  const Clock::time_point begin = Clock::now();
  while (true) {
    if (IsStopped(stop_)) return End::kStopped;
    const double left_s = timeout_s_ - SecondsSince(start_);
    if (left_s <= 0 && has_looked_) return End::kTimedOut;
    const double quiet_left_s = quiet_s - SecondsSince(begin);
    if (quiet_left_s <= 0) return End::kQuiet;
    const double most_ms = stop_ == nullptr ? kLongestMs : kLookMs;
    const double ms = std::ceil(std::min(left_s, quiet_left_s) * 1000);
    has_looked_ = true;
    const int ready = ::poll(descriptors.data(), descriptors.size(),
                             static_cast<int>(std::clamp(ms, 0.0, most_ms)));
    if (ready > 0) return End::kReady;
  }
}

}  // namespace exh

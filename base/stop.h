// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

namespace exh {

/// Says to work in flight (a compiler, a candidate, a long computation) whether anybody still waits
/// for it. Polling costs a load or two, and a look at the clock when there is a deadline. All
/// members may be called from any thread, Stop() from a signal handler too.
class StopToken {
 public:
  using Clock = std::chrono::steady_clock;

  StopToken() = default;
  /// It is also stopped when `flag` is raised, as a signal handler does, and when `other` is
  /// stopped. Either may be null; both outlive this.
  explicit StopToken(const std::atomic<bool>* flag, const StopToken* other = nullptr)
      : flag_(flag), other_(other) {}
  StopToken(const StopToken&) = delete;
  StopToken& operator=(const StopToken&) = delete;

  /// For ever.
  void Stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }
  /// From this time on; instead of the deadline before.
  void StopAt(Clock::time_point deadline) {
    deadline_.store(deadline.time_since_epoch().count(), std::memory_order_relaxed);
  }
  /// So many seconds from now on; instead of the deadline before. Infinity: no deadline.
  void StopIn(double seconds) {
    constexpr double kForEver = 3e9;  // A hundred years, in seconds: more may not fit the clock.
    if (!(seconds < kForEver)) {
      deadline_.store(kNever, std::memory_order_relaxed);
      return;
    }
    const std::chrono::duration<double> from_now(seconds);
    StopAt(Clock::now() + std::chrono::duration_cast<Clock::duration>(from_now));
  }

  bool stopped() const noexcept {
    if (stopped_.load(std::memory_order_relaxed)) return true;
    if (flag_ != nullptr && flag_->load(std::memory_order_relaxed)) return true;
    const Clock::rep deadline = deadline_.load(std::memory_order_relaxed);
    if (deadline != kNever && Clock::now().time_since_epoch().count() >= deadline) return true;
    return other_ != nullptr && other_->stopped();
  }

  /// Until the nearest deadline: 0 when it is stopped, infinity when there is none.
  double SecondsLeft() const noexcept {
    if (stopped()) return 0;
    double left = std::numeric_limits<double>::infinity();
    const Clock::rep deadline = deadline_.load(std::memory_order_relaxed);
    if (deadline != kNever) {
      const Clock::duration rest(deadline - Clock::now().time_since_epoch().count());
      left = std::chrono::duration<double>(rest).count();
    }
    if (other_ != nullptr) left = std::min(left, other_->SecondsLeft());
    return std::max(left, 0.0);
  }

 private:
  static constexpr Clock::rep kNever = std::numeric_limits<Clock::rep>::max();

  std::atomic<bool> stopped_ = false;
  std::atomic<Clock::rep> deadline_ = kNever;
  const std::atomic<bool>* flag_ = nullptr;
  const StopToken* other_ = nullptr;
};

/// How long one of many pieces of work may take, `most` at most: not more than half of what the
/// token leaves, so that one that hangs leaves time for others, but ten seconds in any case.
inline double PatienceSeconds(double most, const StopToken* token) {
  constexpr double kLeast = 10;
  if (token == nullptr) return most;
  return std::min(most, std::max(kLeast, token->SecondsLeft() / 2));
}

/// Null is a token that nobody stops.
inline bool IsStopped(const StopToken* token) {
  return token != nullptr && token->stopped();
}

}  // namespace exh

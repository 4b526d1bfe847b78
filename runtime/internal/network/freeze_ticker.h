// SPDX-License-Identifier: MIT
//
// FreezeTicker: tells whoever froze an instance how far the freeze is, lets him stop it, and stops
// what takes too much memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "runtime/instance.h"

namespace exh::runtime::internal {

class FreezeTicker {
 public:
  explicit FreezeTicker(const FreezeOptions& options)
      : progress_(options.progress),
        interval_(options.progress_interval_s),
        max_bytes_(options.max_bytes),
        bytes_before_(max_bytes_ == 0 ? 0 : ResidentBytes()) {}

  /// Before the first phase: says what the freeze has built so far, for the message of TooLarge.
  void DescribeBy(std::function<std::string()> what) { what_ = std::move(what); }

  /// What the whole is expected to take, in seconds, once that is known.
  void Expect(double seconds) { expected_s_ = seconds; }

  /// The next phase, with its part of the whole and the number of its steps, about.
  void Begin(std::string phase, double share, double steps) {
    done_ += share_;
    phase_ = std::move(phase);
    share_ = share;
    steps_ = steps;
    taken_ = 0;
    patience_ = kPatience;
    if (max_bytes_ != 0) CheckMemory();
    Look();
  }
  /// So many steps of the phase were done. Throws Interrupted when the freeze is to stop, TooLarge
  /// when it has grown too much.
  void Tick(int steps = 1) {
    patience_ -= steps;
    if (patience_ < 0) Look();
  }
  /// The same after what may take long by itself, snippets of a host: looks at the clock at once.
  void Look();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kPatience = 1000;  // Steps between two looks at the clock.

  static std::uint64_t ResidentBytes();
  void CheckMemory() const;

  const std::function<bool(const FreezeProgress&)> progress_;
  const std::chrono::duration<double> interval_;
  const std::uint64_t max_bytes_, bytes_before_;
  std::function<std::string()> what_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
  std::string phase_;
  double done_ = 0, share_ = 0, steps_ = 1, taken_ = 0;
  double expected_s_ = 0;
  int patience_ = kPatience;
};

}  // namespace exh::runtime::internal

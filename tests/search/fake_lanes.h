// SPDX-License-Identifier: MIT
//
// Lanes without devices: each has its own idea of how fast it is, how long it takes, and when it
// fails.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/search/fake_evaluator.h"

namespace exh::search {

class FakeLane final : public kernels::Lane {
 public:
  explicit FakeLane(std::string name) : name_(std::move(name)) {}

  /// Its times are those of the others times this.
  double factor = 1;
  std::chrono::milliseconds takes{0};
  /// Is asked before each measurement: true if it dies of this source.
  std::function<bool(const std::string& source)> dies = [](const std::string&) { return false; };
  /// As Lane::lost(), from its first death on.
  std::string lost_when_dead;
  bool is_there = true;
  std::atomic<int> measured = 0, at_once = 0;
  std::atomic<bool> overlapped = false;  ///< Two threads measured here at once.

  std::string name() const override { return name_; }
  kernels::Measurement Try(const kernels::Compiled& trial, const Cap& cap) override {
    return Measure(trial, cap, Effort::kQuick);
  }
  kernels::Measurement Measure(const kernels::Compiled& compiled, const Cap&, Effort) override {
    if (++at_once > 1) overlapped = true;
    std::this_thread::sleep_for(takes);
    ++measured;
    {
      const std::lock_guard lock(mutex_);
      ++times_[compiled.source];
    }
    const bool has_died = dies(compiled.source);
    if (has_died) ++deaths_;
    --at_once;
    if (has_died) return Failed(kernels::Verdict::kBroken, "its process died");
    return Correct(factor * FakeEvaluator::TimeOf(compiled.source));
  }
  bool is_ready() const override { return is_there; }
  int deaths() const override { return deaths_; }
  std::string lost() const override { return deaths_ > 0 ? lost_when_dead : ""; }
  /// How often it measured this.
  int times(const std::string& source) {
    const std::lock_guard lock(mutex_);
    return times_[source];
  }

 private:
  std::string name_;
  std::atomic<int> deaths_ = 0;
  std::mutex mutex_;
  std::map<std::string, int> times_;
};

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>

namespace exh::search {

/// How long the instructions of a candidate may take by an estimate (Source::rough_ns) before it is
/// not worth a compiler. Compilers of many threads ask while one thread sets it.
class IdleLimit {
 public:
  /// `factor`: so many times as long as the incumbent; 0: there is no limit.
  explicit IdleLimit(double factor) : factor_(factor) {}

  /// What takes longer is idle; 0: nothing is.
  double ns() const { return above_ns_; }
  bool IsIdle(double rough_ns) const { return ns() > 0 && rough_ns > ns(); }

  /// For what a run begins with, `seconds_left` before its end: what takes a good part of the time
  /// that is left by its instructions alone is no beginning.
  void SetForFirst(double seconds_left) {
    constexpr double kShare = 0.02;
    above_ns_ = factor_ > 0 && std::isfinite(seconds_left) ? kShare * seconds_left * 1e9 : 0;
  }
  /// The run begins with something whose instructions take that long.
  void NoteFirst(double rough_ns) { naive_ns_ = std::max(naive_ns_, rough_ns); }
  /// For all that follows, with the time of the incumbent; 0: there is none. Then the slowest that
  /// the run began with says what a naive loop nest takes.
  void Set(double incumbent_ns) {
    constexpr double kNaiveFactor = 5;
    above_ns_ = incumbent_ns > 0 ? factor_ * incumbent_ns
                : factor_ > 0    ? kNaiveFactor * naive_ns_
                                 : 0;
  }

 private:
  double factor_;
  double naive_ns_ = 0;
  std::atomic<double> above_ns_ = 0;
};

}  // namespace exh::search

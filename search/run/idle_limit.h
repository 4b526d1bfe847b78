// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace exh::search {

/// What estimates of a candidate may be before it is not worth a compiler. There are two: how long
/// its instructions take (Source::rough_ns), which is compared with times, and a guess that is in
/// proportion to times (Source::guess_ns), which is compared with those of what is nearly as fast
/// as the incumbent. Compilers of many threads ask while one thread sets it.
class IdleLimit {
 public:
  /// `factor`: so many times as long as the incumbent; 0: there is no limit.
  explicit IdleLimit(double factor) : factor_(factor) {}

  /// What takes longer by its instructions is idle; 0: nothing is.
  double ns() const { return above_ns_; }
  bool IsIdle(double rough_ns) const { return ns() > 0 && rough_ns > ns(); }
  /// Is a text too long, where a device says that one of more than `most` is (0: it does not)? Not
  /// before something is known, and not when it is at most twice as long as that of the incumbent.
  bool IsTooLong(std::uint64_t bytes, std::uint64_t most) const {
    constexpr std::uint64_t kTimes = 2;
    return most > 0 && text_bytes_ > 0 && bytes > std::max(most, kTimes * text_bytes_);
  }
  /// What is guessed to be longer is idle; 0: nothing is.
  double guess_ns() const { return above_guess_ns_; }
  bool IsIdleByGuess(double guess_ns) const {
    return this->guess_ns() > 0 && guess_ns > this->guess_ns();
  }

  /// For what a run begins with, `seconds_left` before its end: what takes a good part of the time
  /// that is left by its instructions alone is no beginning.
  void SetForFirst(double seconds_left) {
    constexpr double kShare = 0.02;
    above_ns_ = factor_ > 0 && std::isfinite(seconds_left) ? kShare * seconds_left * 1e9 : 0;
  }
  /// The run begins with something whose instructions take that long.
  void NoteFirst(double rough_ns) { naive_ns_ = std::max(naive_ns_, rough_ns); }
  /// Something takes `ns`, and was guessed to take `guess_ns`; 0: nothing was guessed.
  void NoteTime(double ns, double guess_ns) {
    if (guess_ns > 0) timed_.emplace_back(ns, guess_ns);
    SetGuess();
  }
  /// For all that follows, with the time and the text of the incumbent; 0: there is none. Then the
  /// slowest that the run began with says what a naive loop nest takes.
  void Set(double incumbent_ns, std::uint64_t text_bytes = 0) {
    constexpr double kNaiveFactor = 5;
    above_ns_ = incumbent_ns > 0 ? factor_ * incumbent_ns
                : factor_ > 0    ? kNaiveFactor * naive_ns_
                                 : 0;
    incumbent_ns_ = incumbent_ns;
    text_bytes_ = incumbent_ns > 0 && factor_ > 0 ? text_bytes : 0;
    SetGuess();
  }

 private:
  /// A quarter of `factor`, which leaves room for guesses that are wrong by a factor themselves,
  /// above the longest guess of what is nearly as fast as the incumbent.
  void SetGuess() {
    constexpr double kNearly = 1.5, kShare = 0.25;
    double longest = 0;
    for (const auto& [ns, guess_ns] : timed_) {
      if (ns <= kNearly * incumbent_ns_) longest = std::max(longest, guess_ns);
    }
    above_guess_ns_ = kShare * factor_ * longest;
  }

  double factor_;
  double naive_ns_ = 0, incumbent_ns_ = 0;
  std::vector<std::pair<double, double>> timed_;  ///< Times, and guesses of them.
  std::atomic<double> above_ns_ = 0, above_guess_ns_ = 0;
  std::atomic<std::uint64_t> text_bytes_ = 0;  ///< Of the incumbent; 0: there is none.
};

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// Calibration: do all lanes say the same of the same program? Times of lanes are compared as if
// they were of one device, so one that is faster or slower than the others (a GPU that is hot, or
// that somebody else uses) would promote or sink what it happens to measure. Now and then each of
// them measures the incumbent. A lane that deviates twice in a row is left out.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace exh::search {

/// A lane that deviates, and what it and the one in the middle said.
struct Deviation {
  std::size_t lane = 0;
  double ns = 0, middle_ns = 0;
};

class Calibration {
 public:
  /// By more than this share a lane deviates.
  static constexpr double kMost = 0.03;
  /// Seconds from one calibration to the next.
  static constexpr double kEvery = 60;

  /// Should one begin?
  bool IsDue(double now) const { return waiting_.empty() && now >= next_; }
  /// These lanes are to measure the same program, each once.
  void Begin(const std::vector<std::size_t>& lanes, double now);
  /// Has nobody Add()ed anything of this lane yet?
  bool IsWaitedFor(std::size_t lane) const;
  /// What it said, instead of what it said before. 0: it failed, which says nothing of its speed.
  void Add(std::size_t lane, double ns);
  /// It will not measure any more.
  void Drop(std::size_t lane);
  /// When all have measured: those that deviated now and the time before, and are left out
  /// from here on. Once for each calibration; empty until then.
  std::vector<Deviation> Take();

 private:
  std::map<std::size_t, std::optional<double>> waiting_;  ///< Nothing: not measured yet.
  std::vector<std::size_t> suspects_;                     ///< They deviated the last time.
  double next_ = 0;
};

}  // namespace exh::search

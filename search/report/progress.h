// SPDX-License-Identifier: MIT
//
// Progress: what a person sees while a search runs. A line that is rewritten on a terminal, plain
// lines in a pipe, or nothing.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "kernels/evaluation.h"
#include "search/report/sparkline.h"

namespace exh::search {

/// How many candidates got each verdict.
struct VerdictCounts {
  std::uint64_t correct = 0, wrong = 0, compile_error = 0, compile_timeout = 0;
  std::uint64_t spills = 0, crash = 0, timeout = 0, slow = 0, idle = 0, impossible = 0, broken = 0;
  std::uint64_t refused = 0, internal = 0, unchecked = 0;
  std::uint64_t& operator[](kernels::Verdict verdict);
};

/// One moment of a search.
struct Status {
  double elapsed = 0;   ///< Seconds.
  double best_ns = 0;   ///< 0: none yet.
  double bound_ns = 0;  ///< Nothing of the space is faster; 0: nothing is known.
  double flops = 0;
  std::uint64_t evaluations = 0, dead_ends = 0;
  std::uint64_t pruned = 0;      ///< Children that bounds kept the search out of.
  std::uint64_t violations = 0;  ///< Times below their bound.
  VerdictCounts verdicts;
};

/// ` 41.2s best 1.12 ms 23.9 GFLOP/s bound 980 us gap 12% pruned 4102 eval 318 (7.7/s) dead-ends 12
/// fail compile 1 wrong 0 …`.
std::string StatusText(const Status& status);

enum class ProgressMode { kLive, kPlain, kNone };

/// `auto` (live on a terminal, plain elsewhere), `plain`, `none`. Throws UsageError otherwise.
ProgressMode ParseProgress(std::string_view text, std::FILE* out);

class ProgressReporter {
 public:
  /// `draws`: the live line begins with a Sparkline of the incumbent, where there is place.
  ProgressReporter(ProgressMode mode, std::FILE* out, bool draws = false)
      : mode_(mode), out_(out), draws_(draws) {}
  ~ProgressReporter() { Clear(); }
  ProgressReporter(const ProgressReporter&) = delete;
  ProgressReporter& operator=(const ProgressReporter&) = delete;

  /// Shows the status when it is time to. `news`: something happened that a plain reader wants to
  /// see at once (a new best).
  void Show(const Status& status, bool news = false);
  /// Prints a line that stays, whatever the mode.
  void Say(std::string_view line);
  /// Takes the live line away.
  void Clear();

 private:
  ProgressMode mode_;
  std::FILE* out_;
  bool draws_;
  Sparkline sparkline_;
  double last_shown_ = -1e9;  ///< Status::elapsed of the last line.
  bool live_line_ = false;
};

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// What the best of a run takes, and how it compares: the numbers that terminal, log, report and
// exported files all say. They are those of the finals, where the best and the yardsticks were
// measured in turn; without finals, what the search measured. Where repetitions are far apart the
// machine was busy, and there is no one number: then only intervals are said and compared.
#pragma once

#include <string>

#include "search/log/log_reader.h"

namespace exh::search {

/// When two times of the same program differ by this factor or more, the machine counts as busy.
inline constexpr double kBusyFactor = 1.5;

/// A time with its interval.
struct TimeInterval {
  double lo_ns = 0;
  double ns = 0;  ///< The median of the rounds, or what was measured once; 0: nothing was.
  double hi_ns = 0;

  /// Only what was repeated has an interval.
  bool has_interval() const { return hi_ns > 0; }
  /// Repetitions are too far apart for one number.
  bool is_busy() const { return has_interval() && hi_ns > kBusyFactor * lo_ns; }
};

/// Of something that took part in finals.
TimeInterval IntervalOf(const ReferenceRecord& record);

/// What the best takes. `search_ns`: what the search measured of it. `winner`: it in the finals, or
/// null. Where both are far apart the interval has both.
TimeInterval BestTime(double search_ns, const ReferenceRecord* winner);
/// That of a log; nothing was measured without a best.
TimeInterval BestTimeOf(const Log& log);

/// "2.72 ms (2.70 ms to 2.75 ms)"; "2.72 ms" without an interval; "29.0 us to 7.61 ms" where
/// repetitions are too far apart.
std::string IntervalText(const TimeInterval& time);
/// The same with its rate: "2.72 ms (2.70 ms to 2.75 ms), 98.7 GFLOP/s".
std::string TimeAndRateText(const TimeInterval& time, double flops);
/// Where a best is_busy(), a line that says so and what helps; empty otherwise. `run`: of which it
/// is the best.
std::string BusyText(const TimeInterval& best, const RunRecord& run);

/// Do the intervals of two records overlap?
bool Tied(const ReferenceRecord& a, const ReferenceRecord& b);

/// How many times as fast as `other` the best is: the ratio of their times, and between which
/// numbers it lies.
struct Speed {
  double lo = 0, ratio = 0, hi = 0;
};
Speed SpeedAgainst(const TimeInterval& best, const TimeInterval& other);

/// "1.19x the speed of Eigen (1.17x to 1.21x; it takes 3.23 ms, 3.20 ms to 3.26 ms)", with ": a
/// tie" where both cannot be told apart; "0.8x to 12x the speed of …" where a side is_busy().
/// `what`: who the other is; `more`: what else is said of it in the brackets, or nothing.
std::string SpeedText(const TimeInterval& best, const TimeInterval& other, const std::string& what,
                      const std::string& more);

/// Is `a` faster than `b` beyond doubt? So it is when half of its batches are faster than all of
/// those of `b`. Both are correct.
bool IsFasterForSure(const EvalRecord& a, const EvalRecord& b);
/// The median of its batches, or its time where that is more.
double TypicalTime(const EvalRecord& record);

}  // namespace exh::search

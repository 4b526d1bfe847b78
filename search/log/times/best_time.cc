// SPDX-License-Identifier: MIT
#include "search/log/times/best_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/numbers.h"

namespace exh::search {
namespace {

/// Of a run on a processor; 1 where it is none.
std::int64_t ThreadsOf(const RunRecord& run) {
  const auto threads = run.limits.find("threads");
  return threads == run.limits.end() ? 1 : ParseInteger(threads->second).value_or(1);
}

}  // namespace

TimeInterval IntervalOf(const ReferenceRecord& record) {
  if (record.median_ns > 0) return {record.lo_ns, record.median_ns, record.hi_ns};
  return {0, record.best_ns, 0};
}

TimeInterval BestTime(double search_ns, const ReferenceRecord* winner) {
  const bool has_finals = winner != nullptr && winner->verdict == kernels::Verdict::kCorrect;
  TimeInterval best = has_finals ? IntervalOf(*winner) : TimeInterval();
  if (best.ns <= 0) return {0, search_ns, 0};
  if (search_ns <= 0) return best;
  const bool is_apart = search_ns > kBusyFactor * best.ns || best.ns > kBusyFactor * search_ns;
  if (!is_apart) return best;
  const double lo = best.has_interval() ? best.lo_ns : best.ns;
  best.lo_ns = std::min(lo, search_ns);
  best.hi_ns = std::max({best.hi_ns, best.ns, search_ns});
  return best;
}

TimeInterval BestTimeOf(const Log& log) {
  const EvalRecord* const eval = log.Best();
  if (eval == nullptr) return {};
  const auto winner = std::ranges::find(log.references, "winner", &ReferenceRecord::name);
  if (winner == log.references.end()) return BestTime(log.BestTime(), nullptr);
  // Where the finals made another one the best, its line has their time.
  double search_ns = TimeOf(*eval);
  for (const BestRecord& best : log.bests) {
    if (best.n == eval->n && best.ns != winner->median_ns) search_ns = best.ns;
  }
  return BestTime(search_ns, &*winner);
}

std::string IntervalText(const TimeInterval& time) {
  if (time.is_busy()) {
    return fmt::format("{} to {}", FormatTime(time.lo_ns), FormatTime(time.hi_ns));
  }
  if (!time.has_interval()) return FormatTime(time.ns);
  return fmt::format("{} ({} to {})", FormatTime(time.ns), FormatTime(time.lo_ns),
                     FormatTime(time.hi_ns));
}

std::string TimeAndRateText(const TimeInterval& time, double flops) {
  if (flops <= 0) return IntervalText(time);  // Rates of what has no operations mean nothing.
  if (!time.is_busy()) {
    return fmt::format("{}, {}", IntervalText(time), FormatRate(flops, time.ns));
  }
  return fmt::format("{}, {} to {}", IntervalText(time), FormatRate(flops, time.hi_ns),
                     FormatRate(flops, time.lo_ns));
}

std::string BusyText(const TimeInterval& best, const RunRecord& run) {
  if (!best.is_busy()) return "";
  const std::int64_t threads = ThreadsOf(run);
  const std::string fewer =
      threads > 1 ? fmt::format(", and fewer threads than {} are disturbed less: --threads {}",
                                threads, threads / 2)
                  : "";
  return fmt::format(
      "note: its times differ by a factor of {:.3g}, so other work keeps the machine busy, and no "
      "one number is its time\n      where nothing else runs they say more{}\n",
      best.hi_ns / best.lo_ns, fewer);
}

bool Tied(const ReferenceRecord& a, const ReferenceRecord& b) {
  return a.lo_ns <= b.hi_ns && b.lo_ns <= a.hi_ns;
}

Speed SpeedAgainst(const TimeInterval& best, const TimeInterval& other) {
  const auto lo = [](const TimeInterval& time) {
    return time.has_interval() ? time.lo_ns : time.ns;
  };
  const auto hi = [](const TimeInterval& time) {
    return time.has_interval() ? time.hi_ns : time.ns;
  };
  return {lo(other) / hi(best), other.ns / best.ns, hi(other) / lo(best)};
}

std::string SpeedText(const TimeInterval& best, const TimeInterval& other, const std::string& what,
                      const std::string& more) {
  const Speed speed = SpeedAgainst(best, other);
  if (best.is_busy() || other.is_busy()) {
    return fmt::format(
        "{:.3g}x to {:.3g}x the speed of {} (it takes {}{}): the times differ too "
        "much for one number",
        speed.lo, speed.hi, what, IntervalText(other), more);
  }
  if (!best.has_interval() || !other.has_interval()) {
    return fmt::format("{:.3g}x the speed of {} ({}{})", speed.ratio, what, FormatTime(other.ns),
                       more);
  }
  const bool is_tie = best.lo_ns <= other.hi_ns && other.lo_ns <= best.hi_ns;
  return fmt::format("{:.3g}x the speed of {} ({:.3g}x to {:.3g}x; it takes {}, {} to {}{}){}",
                     speed.ratio, what, speed.lo, speed.hi, FormatTime(other.ns),
                     FormatTime(other.lo_ns), FormatTime(other.hi_ns), more,
                     is_tie ? ": a tie" : "");
}

double TypicalTime(const EvalRecord& record) {
  if (record.runtimes_ns.empty()) return record.best_ns;
  std::vector<double> times = record.runtimes_ns;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return std::max(record.best_ns, *middle);
}

bool IsFasterForSure(const EvalRecord& a, const EvalRecord& b) {
  return TypicalTime(a) < b.best_ns;
}

}  // namespace exh::search

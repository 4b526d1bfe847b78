// SPDX-License-Identifier: MIT
#include "search/measure/duel.h"

#include <algorithm>

namespace exh::search {
namespace {

using kernels::Effort;
using kernels::Measurement;
using kernels::Verdict;

constexpr int kMostRounds = 3;

/// Two rounds that both say so by more than this need no third one.
constexpr double kClear = 0.05;

/// The same program measured again is faster by as much without having got faster.
constexpr double kDoubt = 0.03;

/// Adds what another measurement of the same program says.
void Add(const Measurement& more, Measurement& all) {
  if (all.runtimes_ns.empty()) {
    all = more;
    return;
  }
  all.verdict = more.verdict;
  all.why = more.why;
  all.check_ms += more.check_ms;
  all.runtimes_ns.insert(all.runtimes_ns.end(), more.runtimes_ns.begin(), more.runtimes_ns.end());
  all.clocks_mhz.insert(all.clocks_mhz.end(), more.clocks_mhz.begin(), more.clocks_mhz.end());
  if (more.verdict == Verdict::kCorrect) all.best_ns = std::min(all.best_ns, more.best_ns);
  all.max_error = std::max(all.max_error, more.max_error);
  all.max_error_ratio = std::max(all.max_error_ratio, more.max_error_ratio);
}

/// Did the candidate take less than this share of what the best took?
bool IsBelow(const TimePair& round, double share) {
  return round.best_ns == 0 || round.ns < share * round.best_ns;
}

}  // namespace

Duel RunDuel(const MeasureFor& candidate, const MeasureFor& best, double known_ns) {
  Duel duel;
  double best_ns = 0;  // Fastest round; 0: it failed in each.
  int won = 0, clearly_won = 0, clearly_lost = 0;
  for (int round = 0; round <= kMostRounds; ++round) {
    const bool is_look = round == 0;
    // In its first round the candidate is looked at in full; the best was when it became that.
    const Measurement own = candidate(is_look      ? Effort::kQuick
                                      : round == 1 ? Effort::kFinal
                                                   : Effort::kAgain);
    Add(own, duel.measurement);
    if (own.verdict != Verdict::kCorrect) return duel;
    const Measurement other = best(is_look ? Effort::kQuick : Effort::kAgain);
    if (other.verdict == Verdict::kStopped || other.verdict == Verdict::kBroken) {
      duel.measurement.verdict = other.verdict;  // That says nothing of either.
      duel.measurement.why = other.why;
      return duel;
    }
    const bool has_failed = other.verdict != Verdict::kCorrect;
    const TimePair pair{own.best_ns, has_failed ? 0 : other.best_ns};
    if (is_look && IsBelow(pair, 1)) continue;
    duel.rounds.push_back(pair);
    won += IsBelow(pair, 1) ? 1 : 0;
    clearly_won += IsBelow(pair, 1 - kClear) ? 1 : 0;
    clearly_lost += IsBelow(pair, 1 + kClear) ? 0 : 1;
    if (!has_failed) best_ns = best_ns == 0 ? other.best_ns : std::min(best_ns, other.best_ns);
    if (is_look || (round == 2 && (clearly_won == 2 || clearly_lost == 2))) break;
  }
  if (best_ns > kLeastSlowdown * known_ns) duel.slowdown = best_ns / known_ns;
  if (best_ns > 0 && best_ns < (1 - kDoubt) * known_ns) duel.improved_ns = best_ns;
  std::vector<double> times;  // The first measurement of the candidate may have been a lucky one.
  for (const TimePair& pair : duel.rounds) times.push_back(pair.ns);
  std::ranges::sort(times);
  duel.best_measured_ns = best_ns;
  // On a machine that is so busy nothing can be said of the time on one that is not.
  const bool is_divided = duel.slowdown <= kMostSlowdown;
  duel.ns = times.front();
  duel.quiet_ns = is_divided ? duel.ns / duel.slowdown : duel.ns;
  const double to_beat = duel.improved_ns > 0 ? duel.improved_ns : known_ns;
  duel.has_won_rounds = 2 * won > static_cast<int>(duel.rounds.size());
  duel.is_won = duel.has_won_rounds && duel.quiet_ns < to_beat;
  if (duel.is_won) return duel;
  duel.quiet_ns = std::max(duel.quiet_ns, to_beat);
  const double lost_to = is_divided ? to_beat * duel.slowdown : to_beat;
  const auto not_below = std::ranges::lower_bound(times, lost_to);
  duel.ns = not_below == times.end() ? times.back() : *not_below;
  return duel;
}

}  // namespace exh::search

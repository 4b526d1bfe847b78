// SPDX-License-Identifier: MIT
#include "search/measure/race/run_race.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "search/measure/race/race.h"
#include "search/measure/references.h"

namespace exh::search {
namespace {

using kernels::Verdict;

/// Of what is left: the yardsticks, and the finals of the winner, need the rest.
constexpr double kOfWhatIsLeft = 0.3;

/// Of the seconds of a race, for its first round: some more rounds have to fit.
constexpr double kForFirstRound = 0.25;

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool IsTimed(const ReferenceRecord& record) {
  return record.verdict == Verdict::kCorrect && !record.runtimes_ns.empty();
}

/// The ranking; the first contender leads it unless it may be overtaken.
std::vector<std::size_t> RankingOf(const Race& race, const std::vector<ReferenceRecord>& records,
                                   bool may_overtake) {
  std::vector<std::size_t> ranking;
  for (std::size_t racer = 0; racer < records.size(); ++racer) {
    if (IsTimed(records[racer])) ranking.push_back(racer);
  }
  const auto place = [&](std::size_t racer) {
    return std::pair(!race.IsIn(racer), records[racer].median_ns);
  };
  const auto rest = ranking.begin() + (!may_overtake && !ranking.empty() ? 1 : 0);
  std::ranges::stable_sort(rest, ranking.end(), {}, place);
  return ranking;
}

}  // namespace

void NoTimeFor(ReferenceRecord& record) {
  record.verdict = Verdict::kStopped;
  record.why = "there was no time for it to race";
}

RaceOutcome RunRace(Evaluator& evaluator, const std::vector<Contender>& contenders,
                    const RaceOptions& options, const std::function<bool()>& stopped,
                    StopToken* stop) {
  TimeShare share(stop);
  const double seconds = std::min(options.seconds, kOfWhatIsLeft * share.SecondsLeft());
  const auto start = std::chrono::steady_clock::now();
  RaceOutcome outcome{RecordsOf(contenders), {}};
  Race race(contenders.size());
  int rounds = 0;
  bool is_over = false;
  while (!is_over && rounds < options.most_rounds) {
    for (std::size_t racer = 0; racer < race.size() && !is_over; ++racer) {
      ReferenceRecord& record = outcome.records[racer];
      if (record.verdict != Verdict::kCorrect) race.Leave(racer);
      if (!race.IsIn(racer)) continue;
      if (rounds == 0 && racer > 0 && SecondsSince(start) > kForFirstRound * seconds) {
        NoTimeFor(record);
        race.Leave(racer);
        continue;
      }
      if (stopped()) {
        is_over = true;
        break;
      }
      share.Take(kOfWhatIsLeft);
      const kernels::Measurement measured =
          evaluator.Measure(contenders[racer].compiled, {}, Effort::kAgain);
      share.Take(1);
      is_over = measured.verdict == Verdict::kStopped || measured.verdict == Verdict::kBroken;
      if (is_over) break;
      AddRound(measured, record);
      if (IsTimed(record)) {
        race.Add(racer, record.runtimes_ns.back());
      } else {
        race.Leave(racer);
      }
    }
    if (is_over) break;
    race.EndRound();
    ++rounds;
    is_over = !race.is_open() || SecondsSince(start) > seconds;
  }
  const ReferenceRecord& first = outcome.records.front();
  if (first.verdict == Verdict::kCorrect && !IsTimed(first)) return {};
  for (ReferenceRecord& record : outcome.records) {
    if (record.verdict == Verdict::kCorrect && !IsTimed(record)) NoTimeFor(record);
  }
  const bool may_overtake = rounds >= options.least_rounds || !race.IsIn(0);
  outcome.ranking = RankingOf(race, outcome.records, may_overtake);
  return outcome;
}

}  // namespace exh::search

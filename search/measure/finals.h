// SPDX-License-Identifier: MIT
//
// Finals: the winner of the race (race/run_race.h) and the yardsticks, measured in turn until it is
// clear which of them is the fastest or until it is not worth more time.
#pragma once

#include <functional>
#include <vector>

#include "base/stop.h"
#include "search/log/log_records.h"
#include "search/log/times/best_time.h"
#include "search/measure/evaluator.h"

namespace exh::search {

struct FinalsOptions {
  int least_rounds = 6;  ///< The fewest that give an interval of the median at 95 %.
  int most_rounds = 40;
  double seconds = 20;  ///< No round begins after that.
};

/// Where each round takes a second of a processor.
inline constexpr FinalsOptions kShortFinals = {.least_rounds = 3, .most_rounds = 6, .seconds = 6};

/// Measures all contenders in turn. One round yields one value for each: the median of its batches.
/// It ends when the interval of the fastest lies below all others; a contender whose interval lies
/// above it is not measured again, nor is one that fails. Records stand in the order of the
/// contenders. `stopped` ends it early; the result is empty when that happens in the first round.
/// `stop` as for MeasureInTurn().
std::vector<ReferenceRecord> Finals(Evaluator& evaluator, const std::vector<Contender>& contenders,
                                    const FinalsOptions& options,
                                    const std::function<bool()>& stopped,
                                    StopToken* stop = nullptr);

/// The index of the fastest correct record, by the middle of its interval; -1 without one.
int FastestOf(const std::vector<ReferenceRecord>& records);

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/stop.h"
#include "search/log/log_records.h"
#include "search/measure/evaluator.h"

namespace exh::search {

struct RaceOptions {
  double seconds = 8;  ///< No round begins after that.
  int most_rounds = 30;
  /// In fewer rounds than that nobody overtakes the first contender, whom a duel made the best, as
  /// long as it has not dropped out.
  int least_rounds = 3;
};

/// Where each round takes seconds of a processor.
inline constexpr RaceOptions kShortRace = {.seconds = 2, .most_rounds = 12};

struct RaceOutcome {
  /// Of each contender, in their order, with a time for each round that it was in. One for which
  /// there was no time is kStopped.
  std::vector<ReferenceRecord> records;
  /// The correct contenders, the winner first: those that were in the race at its end before the
  /// others, each part by their medians.
  std::vector<std::size_t> ranking;
};

/// The record of a contender for which there was no time.
void NoTimeFor(ReferenceRecord& record);

/// Lets contenders race (race.h); the first one is the best so far. What the first round would take
/// too much of the time for does not race, so that with little time there are few racers. Nothing
/// of the race is an audit: the winner needs one. Both parts of the outcome are empty when there
/// was no time to measure the first contender, or `stopped` said so before that. Until `stop` is
/// stopped, the race takes a part of what is left. `stop` may be null.
RaceOutcome RunRace(Evaluator& evaluator, const std::vector<Contender>& contenders,
                    const RaceOptions& options, const std::function<bool()>& stopped,
                    StopToken* stop);

}  // namespace exh::search

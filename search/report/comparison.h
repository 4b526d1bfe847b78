// SPDX-License-Identifier: MIT
//
// The end of `search` and of `search replay`: contenders against the yardsticks of the device, as
// log records and in words.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "search/log/log_records.h"
#include "search/measure/evaluator.h"
#include "search/subject/problem.h"

namespace exh::search {

struct Comparison {
  /// Of all contenders in their order, then of the yardsticks. Empty when it was stopped before
  /// everything of the finals was measured once. The first contender in the ranking of the race
  /// that passes an audit (Effort::kAudit) is called "winner", and so is one that is alone; the
  /// others keep their names, and their times of the race.
  std::vector<ReferenceRecord> records;
  int winner = -1;             ///< Which of the contenders it is; -1: none of them was correct.
  bool has_yardsticks = true;  ///< Some were asked for.
  std::optional<RatesRecord> rates;
  std::string trouble;  ///< Why there are no rates, where the device has some.
};

/// What a winner is compared with.
enum class Yardsticks {
  kAll,
  kLibraries,  ///< The naive kernel alone where there is no library: it takes longest.
  kNone,       ///< Nor are the rates of the device measured.
};

/// Lets `contenders`, the best so far first, race (measure/race/run_race.h), measures the winner
/// and the yardsticks in turn, and the rates of the device if it has any. With `stop` all of that
/// takes no longer than until it is stopped; a yardstick that takes longer is kStopped.
Comparison Compare(Evaluator& evaluator, const std::vector<Contender>& contenders, int jobs,
                   const std::function<bool()>& stopped, StopToken* stop = nullptr,
                   Yardsticks yardsticks = Yardsticks::kAll);

/// Why nothing can be called the winner: the verdict on the first of the `count` contenders that
/// failed. Empty where something can be, or where all of them were only stopped.
std::string FailureOf(const Comparison& comparison, std::size_t count);

/// One line per yardstick and per rate.
std::string ComparisonText(const Problem& problem, const Comparison& comparison);

}  // namespace exh::search

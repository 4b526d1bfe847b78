// SPDX-License-Identifier: MIT
//
// Yardsticks: the naive kernel and the libraries that people use, run like candidates and measured
// in turn with one, so that a machine that changes its speed meanwhile does so for all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "kernels/devices/yardsticks.h"
#include "search/log/log_records.h"
#include "search/measure/evaluator.h"

namespace exh::search {

using kernels::CompileYardsticks;

/// Deals out the time until a token is stopped. Without a token, or a deadline of it, there is no
/// end of it.
class TimeShare {
 public:
  /// `stop` is null or outlives this, and is given back its deadline.
  explicit TimeShare(StopToken* stop);
  ~TimeShare() { Take(1); }
  TimeShare(const TimeShare&) = delete;
  TimeShare& operator=(const TimeShare&) = delete;

  /// What is in flight from now on may take so much of what is left. Returns that, in seconds.
  double Take(double part);
  double SecondsLeft() const;

 private:
  StopToken* stop_;
  bool has_end_ = false;
  StopToken::Clock::time_point end_;
};

/// A record for each contender, with what its compiler said and no times yet.
std::vector<ReferenceRecord> RecordsOf(const std::vector<Contender>& contenders);

/// Adds a round to the record of a contender: its verdict, and where it is correct the median of
/// its batches, as one of the times of which the record has the interval.
void AddRound(const kernels::Measurement& measured, ReferenceRecord& record);

/// Measures all contenders in turn, `rounds` times; the best of each counts. One that fails is not
/// measured again. `stopped` ends it early: then only what is complete for all is used. Until
/// `stop` is stopped, what is left is dealt out fairly in the first round: one that takes longer is
/// kStopped, and its reason says so.
std::vector<ReferenceRecord> MeasureInTurn(Evaluator& evaluator,
                                           const std::vector<Contender>& contenders, int rounds,
                                           const std::function<bool()>& stopped,
                                           StopToken* stop = nullptr);

/// Measures one of several in its turn: in the first round it may take its share of what is left,
/// `others` having to follow.
kernels::Measurement MeasureInShare(Evaluator& evaluator, const Contender& contender,
                                    bool is_first_round, std::size_t others, TimeShare& share);

}  // namespace exh::search

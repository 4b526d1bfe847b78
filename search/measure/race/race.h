// SPDX-License-Identifier: MIT
//
// Race: which of the best candidates of a run is the fastest. All that are in it are measured in
// turn, round by round, and what is certainly slower drops out (O. Maron and A. Moore, "Hoeffding
// Races", NIPS 1993; here with intervals of medians). So the time goes to those between which the
// first measurements did not decide.
//
// Two racers are compared round by round. Part of how times spread is the clock of the device,
// which changes slowly: within a round it is nearly the same for all, and in the ratio of two times
// of one round it cancels.
//
//   round 1           all of them, as far as there is time; the kMost fastest go on
//   rounds 2 to 5     out: what took kClear more than the leader in each of them
//   from round 6 on   out: where the interval of the median of the ratios lies above 1
//
// The leader has the smallest median of those that are in the race.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace exh::search {

class Race {
 public:
  /// So many go on after the first round.
  static constexpr std::size_t kMost = 8;
  /// In fewer rounds than kSure nothing is out that is not slower by this factor in each of them.
  static constexpr double kClear = 1.05;
  static constexpr std::size_t kSure = 6;

  /// Numbers 0 to `racers` - 1, all of them in the race.
  explicit Race(std::size_t racers) : times_(racers), is_in_(racers, true) {}

  std::size_t size() const { return times_.size(); }
  bool IsIn(std::size_t racer) const { return is_in_[racer]; }
  /// Is more than one of them in?
  bool is_open() const;
  /// The time of one that is in, in the round that goes on.
  void Add(std::size_t racer, double ns) { times_[racer].push_back(ns); }
  /// It failed, or there is no time to measure it.
  void Leave(std::size_t racer) { is_in_[racer] = false; }
  /// All that are in were measured: what is certainly slower is out.
  void EndRound();
  /// Of those that are in and were measured; nothing: there is none.
  std::optional<std::size_t> Leader() const;

 private:
  std::vector<std::vector<double>> times_;  ///< Of each racer, by round.
  std::vector<bool> is_in_;
};

}  // namespace exh::search

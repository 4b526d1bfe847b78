// SPDX-License-Identifier: MIT
#include "search/measure/race/race.h"

#include <algorithm>

#include "search/measure/race/median_interval.h"

namespace exh::search {

bool Race::is_open() const {
  return std::ranges::count(is_in_, true) > 1;
}

std::optional<std::size_t> Race::Leader() const {
  std::optional<std::size_t> leader;
  double least = 0;
  for (std::size_t racer = 0; racer < size(); ++racer) {
    if (!is_in_[racer] || times_[racer].empty()) continue;
    const double median = IntervalOfMedian(times_[racer]).median;
    if (leader && least <= median) continue;
    leader = racer;
    least = median;
  }
  return leader;
}

void Race::EndRound() {
  const std::optional<std::size_t> leader = Leader();
  if (!leader) return;
  const std::vector<double>& best = times_[*leader];
  if (best.size() == 1) {
    std::vector<double> first;
    for (std::size_t racer = 0; racer < size(); ++racer) {
      if (is_in_[racer]) first.push_back(times_[racer].front());
    }
    if (first.size() <= kMost) return;
    std::ranges::nth_element(first, first.begin() + kMost - 1);
    for (std::size_t racer = 0; racer < size(); ++racer) {
      if (is_in_[racer] && times_[racer].front() > first[kMost - 1]) Leave(racer);
    }
    return;
  }
  const double more = best.size() < kSure ? kClear : 1;
  for (std::size_t racer = 0; racer < size(); ++racer) {
    if (!is_in_[racer] || racer == *leader) continue;
    std::vector<double> ratios;
    for (std::size_t round = 0; round < best.size(); ++round) {
      ratios.push_back(times_[racer][round] / best[round]);
    }
    if (IntervalOfMedian(std::move(ratios)).lo > more) Leave(racer);
  }
}

}  // namespace exh::search

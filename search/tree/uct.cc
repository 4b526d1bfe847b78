// SPDX-License-Identifier: MIT
#include "search/tree/uct.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace exh::search {

std::vector<double> UctScores(std::span<const ChildStatistics> children) {
  double visits = 0;
  double best = std::numeric_limits<double>::infinity();
  for (const ChildStatistics& child : children) {
    visits += child.visits;
    if (!child.times.empty()) best = std::min(best, child.times.front());
  }
  std::vector<double> scores;
  for (const ChildStatistics& child : children) {
    const double speed = child.times.empty() ? 0 : best / child.times.front();
    scores.push_back(speed + std::sqrt(2 * std::log(visits) / child.visits));
  }
  return scores;
}

std::size_t UctPolicy::ChooseVisited(std::span<const ChildStatistics> children, double,
                                     Random&) const {
  return Highest(UctScores(children));
}

}  // namespace exh::search

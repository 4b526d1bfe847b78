// SPDX-License-Identifier: MIT
#include "search/tree/tag.h"

#include <algorithm>
#include <cmath>

namespace exh::search {

std::vector<double> TagScores(std::span<const ChildStatistics> children, int topk, double delta) {
  double visits = 0;
  std::vector<double> times;
  for (const ChildStatistics& child : children) {
    visits += child.visits;
    times.insert(times.end(), child.times.begin(), child.times.end());
  }
  // The threshold is of this node and its live children alone: branches that look stale from the
  // root are compared among themselves, and a child that died takes its evaluations along.
  std::ranges::sort(times);
  const std::size_t kept = std::min(times.size(), static_cast<std::size_t>(topk));
  const double threshold = kept == 0 ? 0 : times[kept - 1];
  const double alpha =
      std::max(0.0, std::log(2 * visits * static_cast<double>(children.size()) / delta));
  std::vector<double> scores;
  for (const ChildStatistics& child : children) {
    const auto among = static_cast<double>(
        std::ranges::count_if(child.times, [&](double time) { return time <= threshold; }));
    scores.push_back((among + alpha + std::sqrt(alpha * (2 * among + alpha))) / child.visits);
  }
  return scores;
}

std::size_t TagPolicy::ChooseVisited(std::span<const ChildStatistics> children, double,
                                     Random&) const {
  return Highest(TagScores(children, topk_, delta_));
}

}  // namespace exh::search

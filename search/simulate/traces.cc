// SPDX-License-Identifier: MIT
#include "search/simulate/traces.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace exh::search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double Trace::BestAfter(double evaluations) const {
  const auto count = std::min(static_cast<std::size_t>(evaluations), best.size());
  return count == 0 ? kInfinity : best[count - 1];
}

Reached ReachedOf(const std::vector<Trace>& traces, double best, double percent) {
  std::vector<double> counts;
  for (const Trace& trace : traces) {
    const auto found = std::ranges::find_if(
        trace.best, [&](double ns) { return ns <= best * (1 + percent / 100); });
    counts.push_back(found == trace.best.end()
                         ? kInfinity
                         : static_cast<double>(found - trace.best.begin() + 1));
  }
  std::ranges::sort(counts);
  return {percent, counts.front(), Quantile(counts, 0.5), counts.back()};
}

double Quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double rest = place - static_cast<double>(below);
  if (rest == 0) return sorted[below];
  return std::isinf(sorted[below + 1]) ? kInfinity
                                       : sorted[below] + rest * (sorted[below + 1] - sorted[below]);
}

}  // namespace exh::search

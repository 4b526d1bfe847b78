// SPDX-License-Identifier: MIT
#include "search/measure/race/median_interval.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace exh::search {

MedianInterval IntervalOfMedian(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  MedianInterval interval;
  interval.median = (values[(n - 1) / 2] + values[n / 2]) / 2;
  // Ranks n/2 +- 1.96 sqrt(n)/2 of the binomial distribution, rounded outwards.
  const double half = 0.98 * std::sqrt(static_cast<double>(n));
  const double low = std::floor(static_cast<double>(n) / 2 - half);
  const auto skip = static_cast<std::size_t>(std::max(0.0, low - 1));
  interval.lo = values[skip];
  interval.hi = values[n - 1 - skip];
  return interval;
}

}  // namespace exh::search

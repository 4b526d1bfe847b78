// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace exh::search {

/// 95 % interval of the median of what was drawn, from its order statistics; with fewer than six
/// values the smallest and the largest.
struct MedianInterval {
  double lo = 0, median = 0, hi = 0;
};
/// `values` is not empty.
MedianInterval IntervalOfMedian(std::vector<double> values);

}  // namespace exh::search

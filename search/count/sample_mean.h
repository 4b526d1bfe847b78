// SPDX-License-Identifier: MIT
//
// The mean of independent samples whose sizes differ by orders of magnitude, and how far it can be
// trusted.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace exh::search {

/// Sums in long double: sizes of spaces reach 1e21, and their squares are summed too.
class SampleMean {
 public:
  void Add(long double sample);

  std::uint64_t count() const { return count_; }
  long double mean() const;
  /// Standard deviation of the mean; infinite for fewer than two samples.
  long double deviation() const;
  /// 95 % interval: the mean's is normal, or Student's when there are few samples. Not below 0.
  /// True to its name only when the samples are not heavy_tailed().
  std::pair<long double, long double> Interval() const;
  /// Half of the interval before it is cut off at 0.
  long double half_width() const;
  /// (sum)^2 / sum of squares: as many samples of equal size would vary as much.
  long double effective_samples() const;
  /// Median of the means of 16 groups of samples: what one huge sample does not move. Below the
  /// mean when most of the sum is in few samples.
  long double median_of_means() const;
  /// The interval may be far too narrow: samples that carry the sum are so rare that there may be
  /// larger ones, which were not met. So when one sample is a twentieth of the sum, or the median
  /// of means lies outside of the interval.
  bool heavy_tailed() const;

 private:
  static constexpr std::size_t kGroups = 16;

  std::uint64_t count_ = 0;
  long double sum_ = 0, squares_ = 0, largest_ = 0;
  std::array<long double, kGroups> groups_ = {};  ///< Sums; sample i is in group i % kGroups.
};

/// The 97.5 % quantile of Student's distribution.
double StudentQuantile(std::uint64_t degrees);

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// The mean of independent samples whose sizes differ by orders of magnitude, and how far it can be
// trusted.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace exh::search {

/// Sums in long double: sizes of spaces reach 1e21, and their squares are summed too.
class SampleMean {
 public:
  void Add(long double sample);

  std::uint64_t count() const { return count_; }
  long double mean() const;
  /// Standard deviation of the mean; infinite for fewer than two samples.
  long double deviation() const;
  /// Holds the true mean with this probability where the samples are not heavy_tailed(): the mean's
  /// interval is normal, or Student's when there are few samples. Its upper end is further away the
  /// more the samples are skewed (Edgeworth's first term). Not below 0.
  std::pair<long double, long double> Interval(double confidence = 0.95) const;
  /// The true mean is no less, with this probability, however the samples are distributed: they are
  /// never negative, so a mean of several of them is above c times the true one in no more than one
  /// of c cases (Markov), and that some of 16 groups of samples all are is rarer (C. P. Gomes et
  /// al., From Sampling to Model Counting, IJCAI 2007).
  long double AtLeast(double confidence = 0.95) const;
  /// Half of the 95 % interval before it is cut off at 0.
  long double half_width() const;
  /// (sum)^2 / sum of squares: as many samples of equal size would vary as much.
  long double effective_samples() const;
  /// Median of the means of 16 groups of samples: what one huge sample does not move. Below the
  /// mean when most of the sum is in few samples.
  long double median_of_means() const;
  /// The interval may be far too narrow: samples that carry the sum are so rare that there may be
  /// larger ones, which were not met. So when there are few samples, when one is a twentieth of the
  /// sum or a tenth of the sum of squares, or the median of means lies outside of the interval.
  bool heavy_tailed() const;

 private:
  static constexpr std::size_t kGroups = 16;

  /// The means of the groups, ascending.
  std::vector<long double> GroupMeans() const;

  std::uint64_t count_ = 0;
  long double sum_ = 0, squares_ = 0, cubes_ = 0, largest_ = 0;
  std::array<long double, kGroups> groups_ = {};  ///< Sums; sample i is in group i % kGroups.
};

/// A quantile of Student's distribution, `share` of which lies below.
double StudentQuantile(std::uint64_t degrees, double share = 0.975);

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/count/sample_mean.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace exh::search {
namespace {

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

double NormalQuantile(double share) {
  double low = -10, high = 10;
  for (int step = 0; step < 80; ++step) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::numbers::sqrt2) < share ? low : high) = middle;
  }
  return low;
}

/// The largest probability of one event at which `most` or more of n independent ones happen with
/// no more than this chance.
double EventShare(int n, int most, double chance) {
  const auto at_least = [&](double p) {
    double sum = 0;
    for (int k = most; k <= n; ++k) {
      sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                      k * std::log(p) + (n - k) * std::log1p(-p));
    }
    return sum;
  };
  double low = 0, high = 1;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (at_least(middle) < chance ? low : high) = middle;
  }
  return low;
}

}  // namespace

double StudentQuantile(std::uint64_t degrees, double share) {
  if (degrees == 0) return std::numeric_limits<double>::infinity();
  if (degrees == 1) return std::tan(std::numbers::pi * (share - 0.5));
  if (degrees == 2) return (2 * share - 1) / std::sqrt(2 * share * (1 - share));
  // The series around the normal quantile is off by less than 1 % from three degrees on.
  const double z = NormalQuantile(share);
  const double n = static_cast<double>(degrees);
  const double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

void SampleMean::Add(long double sample) {
  groups_[count_ % kGroups] += sample;
  ++count_;
  sum_ += sample;
  squares_ += sample * sample;
  cubes_ += sample * sample * sample;
  largest_ = std::max(largest_, sample);
}

long double SampleMean::mean() const {
  return count_ == 0 ? 0 : sum_ / static_cast<long double>(count_);
}

long double SampleMean::deviation() const {
  if (count_ < 2) return kInfinity;
  const long double n = static_cast<long double>(count_);
  return std::sqrt(std::max(0.0L, squares_ / n - mean() * mean()) / (n - 1));
}

long double SampleMean::half_width() const {
  if (count_ < 2) return kInfinity;
  return StudentQuantile(count_ - 1) * deviation();
}

std::pair<long double, long double> SampleMean::Interval(double confidence) const {
  if (count_ < 2) return {0, kInfinity};
  const long double z = StudentQuantile(count_ - 1, (1 + confidence) / 2);
  const long double n = static_cast<long double>(count_), variance = squares_ / n - mean() * mean();
  long double skew = 0;
  if (variance > mean() * mean() * 1e-12L) {
    const long double third = cubes_ / n - 3 * mean() * squares_ / n + 2 * mean() * mean() * mean();
    skew = std::max(0.0L, third / (variance * std::sqrt(variance)));
  }
  const long double up = z + (2 * z * z + 1) * skew / (6 * std::sqrt(n));
  return {std::max(0.0L, mean() - z * deviation()), mean() + up * deviation()};
}

long double SampleMean::AtLeast(double confidence) const {
  const std::vector<long double> means = GroupMeans();
  const int n = static_cast<int>(means.size());
  if (n == 0) return 0;
  // The smallest mean is good where they are alike, a middle one where they are not: each may be
  // wrong in half of the cases that are left.
  long double least = 0;
  for (const int rank : {0, 3 * n / 8}) {
    const double share = EventShare(n, n - rank, (1 - confidence) / 2);
    least = std::max(least, means[static_cast<std::size_t>(rank)] * share);
  }
  return least;
}

long double SampleMean::effective_samples() const {
  return squares_ == 0 ? 0 : sum_ * sum_ / squares_;
}

std::vector<long double> SampleMean::GroupMeans() const {
  std::vector<long double> means(
      static_cast<std::size_t>(std::min<std::uint64_t>(count_, kGroups)));
  for (std::size_t group = 0; group < means.size(); ++group) {
    const std::uint64_t members = count_ / kGroups + (group < count_ % kGroups ? 1 : 0);
    means[group] = groups_[group] / static_cast<long double>(members);
  }
  std::sort(means.begin(), means.end());
  return means;
}

long double SampleMean::median_of_means() const {
  const std::vector<long double> means = GroupMeans();
  if (means.empty()) return 0;
  return (means[(means.size() - 1) / 2] + means[means.size() / 2]) / 2;
}

bool SampleMean::heavy_tailed() const {
  // Where all are equal, what one in 300 would meet is not known of fewer: 0.997^1000 is 5 %.
  constexpr std::uint64_t kFewUnequal = 30, kFewEqual = 1000;
  if (sum_ == 0) return true;
  const bool are_equal = squares_ * static_cast<long double>(count_) <= sum_ * sum_ * (1 + 1e-9L);
  if (are_equal) return count_ < kFewEqual;
  const auto [low, high] = Interval();
  const long double median = median_of_means();
  return count_ < kFewUnequal || largest_ > sum_ / 20 || largest_ * largest_ > squares_ / 10 ||
         median < low || median > high;
}

}  // namespace exh::search

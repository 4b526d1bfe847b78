// SPDX-License-Identifier: MIT
#include "search/count/sample_mean.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace exh::search {
namespace {

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

}  // namespace

double StudentQuantile(std::uint64_t degrees) {
  // The series around the normal quantile is off by less than 1 % from three degrees on.
  constexpr double kFew[] = {std::numeric_limits<double>::infinity(), 12.706, 4.303};
  if (degrees < std::size(kFew)) return kFew[degrees];
  constexpr double z = 1.959964;
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

std::pair<long double, long double> SampleMean::Interval() const {
  return {std::max(0.0L, mean() - half_width()), mean() + half_width()};
}

long double SampleMean::effective_samples() const {
  return squares_ == 0 ? 0 : sum_ * sum_ / squares_;
}

long double SampleMean::median_of_means() const {
  const std::size_t groups = static_cast<std::size_t>(std::min<std::uint64_t>(count_, kGroups));
  if (groups == 0) return 0;
  std::array<long double, kGroups> means = {};
  for (std::size_t group = 0; group < groups; ++group) {
    const std::uint64_t members = count_ / kGroups + (group < count_ % kGroups ? 1 : 0);
    means[group] = groups_[group] / static_cast<long double>(members);
  }
  std::sort(means.begin(), means.begin() + static_cast<std::ptrdiff_t>(groups));
  return (means[(groups - 1) / 2] + means[groups / 2]) / 2;
}

bool SampleMean::heavy_tailed() const {
  if (sum_ == 0) return false;
  const auto [low, high] = Interval();
  const long double median = median_of_means();
  // Equal samples have an interval without a width, and rounding must not leave it.
  const long double slack = mean() * 1e-9L;
  return (count_ > 1 && squares_ * static_cast<long double>(count_) > sum_ * sum_ * (1 + 1e-9L) &&
          largest_ > sum_ / 20) ||
         median < low - slack || median > high + slack;
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/tune/status/yardstick_means.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace exh::search {
namespace {

using Group = std::tuple<std::string, std::string, std::string>;

/// Ratios by group, in the order in which groups came.
class Ratios {
 public:
  void Add(const Group& group, double ratio) {
    const auto [entry, is_new] = places_.try_emplace(group, groups_.size());
    if (is_new) groups_.emplace_back(group, std::vector<double>());
    groups_[entry->second].second.push_back(ratio);
  }
  std::vector<YardstickMean> Means() const {
    std::vector<YardstickMean> means;
    for (const auto& [group, ratios] : groups_) means.push_back(MeanOf(group, ratios));
    return means;
  }

 private:
  static YardstickMean MeanOf(const Group& group, const std::vector<double>& ratios) {
    YardstickMean mean;
    std::tie(mean.kernel, mean.type, mean.yardstick) = group;
    mean.shapes = ratios.size();
    double logarithms = 0;
    for (const double ratio : ratios) {
      logarithms += std::log(ratio);
      if (ratio > 1) ++mean.faster;
    }
    mean.mean = std::exp(logarithms / static_cast<double>(ratios.size()));
    const auto [least, most] = std::ranges::minmax(ratios);
    mean.least = least;
    mean.most = most;
    return mean;
  }

  std::map<Group, std::size_t> places_;
  std::vector<std::pair<Group, std::vector<double>>> groups_;
};

}  // namespace

std::optional<double> RatioAgainst(const ShapeState& state, const ShapeYardstick& yardstick) {
  const bool has_both = state.best.ns > 0 && yardstick.time.ns > 0;
  if (!has_both || state.best.is_busy() || yardstick.time.is_busy()) return std::nullopt;
  return SpeedAgainst(state.best, yardstick.time).ratio;
}

std::vector<YardstickMean> MeansOf(const std::vector<ShapeStatus>& shapes) {
  Ratios ratios;
  for (const auto& [shape, state] : shapes) {
    const std::string kernel = KernelOf(shape), type = TypeOf(shape, state);
    for (std::size_t i = 0; i < state.yardsticks.size(); ++i) {
      const std::optional<double> ratio = RatioAgainst(state, state.yardsticks[i]);
      if (!ratio) continue;
      if (i == 0) ratios.Add({kernel, type, ""}, *ratio);
      ratios.Add({kernel, type, state.yardsticks[i].name}, *ratio);
    }
  }
  std::vector<YardstickMean> means = ratios.Means();
  // All of a kernel stand together.
  std::map<std::pair<std::string, std::string>, std::size_t> first;
  for (const YardstickMean& mean : means) {
    first.try_emplace({mean.kernel, mean.type}, first.size());
  }
  std::ranges::stable_sort(means, {}, [&](const YardstickMean& mean) {
    return std::pair(first.at({mean.kernel, mean.type}), !mean.yardstick.empty());
  });
  return means;
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/learn/regression_tree.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace exh::search {

/// A way to part the samples of a node, and what it explains: the larger the better.
struct RegressionTree::Split {
  std::uint32_t column = 0;
  std::uint8_t threshold = 0;
  double explained = -1;
};

RegressionTree::RegressionTree(const Samples& samples, std::span<const std::uint32_t> used,
                               Random& random, const TreeLimits& limits) {
  EXH_CHECK(!samples.targets.empty());
  std::vector<std::uint32_t> members(samples.targets.size());
  std::iota(members.begin(), members.end(), 0u);
  nodes_.reserve(2 * members.size());
  Grow(samples, used, members, random, limits);
}

std::uint32_t RegressionTree::Grow(const Samples& samples, std::span<const std::uint32_t> used,
                                   std::span<std::uint32_t> members, Random& random,
                                   TreeLimits limits) {
  const auto self = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  double sum = 0;
  for (const std::uint32_t member : members) sum += samples.targets[member];
  const double count = static_cast<double>(members.size());
  nodes_[self].value = static_cast<float>(sum / count);
  const float first = samples.targets[members.front()];
  const auto is_first = [&](std::uint32_t member) { return samples.targets[member] == first; };
  if (used.empty() || std::ranges::all_of(members, is_first)) return self;
  if (limits.depth-- <= 0 || members.size() < 2 * limits.least) return self;

  Split best;
  // Deep down few columns tell samples apart: those that do not are not counted, up to a limit.
  const int most_looks = 4 * kColumns;
  for (int looks = 0, chosen = 0; looks < most_looks && chosen < kColumns; ++looks) {
    const std::uint32_t number = used[random.Below(used.size())];
    const std::vector<std::uint8_t>& column = samples.columns[number];
    std::uint8_t least = 255, most = 0;
    for (const std::uint32_t member : members) {
      least = std::min(least, column[member]);
      most = std::max(most, column[member]);
    }
    if (least == most) continue;
    ++chosen;
    const auto threshold =
        static_cast<std::uint8_t>(least + random.Below(static_cast<std::size_t>(most - least)));
    double left = 0, left_count = 0;
    for (const std::uint32_t member : members) {
      const double is_left = column[member] <= threshold ? 1 : 0;
      left += is_left * samples.targets[member];
      left_count += is_left;
    }
    const double right = sum - left, right_count = count - left_count;
    if (std::min(left_count, right_count) < static_cast<double>(limits.least)) continue;
    // The variance between the parts, but for what is the same of all splits.
    const double explained = left * left / left_count + right * right / right_count;
    if (best.explained < 0 || explained > best.explained) best = {number, threshold, explained};
  }
  if (best.explained < 0) return self;

  const std::vector<std::uint8_t>& column = samples.columns[best.column];
  const auto middle = std::ranges::partition(members, [&](std::uint32_t member) {
                        return column[member] <= best.threshold;
                      }).begin();
  const auto left_size = static_cast<std::size_t>(middle - members.begin());
  nodes_[self].column = best.column;
  nodes_[self].threshold = best.threshold;
  Grow(samples, used, members.first(left_size), random, limits);
  const std::uint32_t right = Grow(samples, used, members.subspan(left_size), random, limits);
  nodes_[self].right = right;
  return self;
}

float RegressionTree::Predict(std::span<const std::uint8_t> row) const {
  std::uint32_t node = 0;
  while (nodes_[node].right != 0) {
    node = row[nodes_[node].column] <= nodes_[node].threshold ? node + 1 : nodes_[node].right;
  }
  return nodes_[node].value;
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/simulate/whole/drawn_forest.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"

namespace exh::search {

DrawnForest::DrawnForest(std::span<const ForestRow* const> rows, std::vector<float> targets,
                         std::uint64_t seed, int jobs) {
  EXH_CHECK(rows.size() == targets.size());
  if (rows.empty()) return;
  Samples samples;
  samples.targets = std::move(targets);
  samples.columns.resize(rows.front()->size());
  std::vector<std::uint32_t> used;
  for (std::uint32_t column = 0; column < samples.columns.size(); ++column) {
    std::vector<std::uint8_t>& values = samples.columns[column];
    for (const ForestRow* const row : rows) values.push_back((*row)[column]);
    const auto is_other = [&](std::uint8_t value) { return value != values.front(); };
    if (std::ranges::any_of(values, is_other)) used.push_back(column);
  }
  std::vector<std::optional<RegressionTree>> trees(kTrees);
  RunInParallel(kTrees, jobs, [&](std::size_t number) {
    constexpr std::uint64_t kStream = 0x9e3779b97f4a7c15ULL;
    Random random(seed + (number + 1) * kStream);
    trees[number].emplace(samples, used, random);
    return true;
  });
  for (std::optional<RegressionTree>& tree : trees) trees_.push_back(*std::move(tree));
}

double DrawnForest::Draw(const ForestRow& row, Random& random) const {
  return trees_[random.Below(trees_.size())].Predict(row);
}

double DrawnForest::Mean(const ForestRow& row) const {
  const auto add = [&](double sum, const RegressionTree& tree) { return sum + tree.Predict(row); };
  return std::accumulate(trees_.begin(), trees_.end(), 0.0, add) /
         static_cast<double>(trees_.size());
}

}  // namespace exh::search

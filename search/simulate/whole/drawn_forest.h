// SPDX-License-Identifier: MIT
//
// DrawnForest: regression trees of which one is asked at a time. The mean of a forest is smoother
// than what it learned from. What one tree says is a number that some sample really had, and other
// trees say other ones: the less can be learned, the further they are apart. So numbers that are
// drawn from the trees spread as those of the samples do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "search/learn/regression_tree.h"

namespace exh::search {

/// A number for each column of a forest.
using ForestRow = std::vector<std::uint8_t>;

class DrawnForest {
 public:
  static constexpr std::size_t kTrees = 64;

  /// Learns, in `jobs` threads; the same for any number of them. As many rows as targets, all of
  /// one length. Without any there is no tree.
  DrawnForest(std::span<const ForestRow* const> rows, std::vector<float> targets,
              std::uint64_t seed, int jobs);

  bool empty() const { return trees_.empty(); }
  /// What one of the trees says. Only where it is not empty, as Mean(). From any thread.
  double Draw(const ForestRow& row, Random& random) const;
  /// What they say in the mean.
  double Mean(const ForestRow& row) const;

 private:
  std::vector<RegressionTree> trees_;
};

}  // namespace exh::search

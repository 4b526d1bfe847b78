// SPDX-License-Identifier: MIT
//
// RegressionTree: a tree of an extremely randomised forest (Geurts, Ernst and Wehenkel, Machine
// Learning 63, 2006). Each node looks at a few columns, draws one threshold in each, and keeps the
// one that leaves the least variance, until its samples are all alike. That takes no sorting and
// has few parameters, copes with far more columns than samples, and fits nearly every sample
// exactly. So the trees of a forest agree near samples and differ elsewhere: their spread is a
// measure of uncertainty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"

namespace exh::search {

/// What trees learn from: small numbers, column by column, and one target a sample.
struct Samples {
  std::vector<std::vector<std::uint8_t>> columns;  ///< Each as long as `targets`.
  std::vector<float> targets;
};

/// When a tree stops to split, beside where samples are all alike.
struct TreeLimits {
  int depth = 1 << 30;    ///< Splits from the root to a leaf, at most.
  std::size_t least = 1;  ///< Samples of a leaf, at least.
};

class RegressionTree {
 public:
  struct Node {
    std::uint32_t column = 0;
    std::uint32_t right = 0;     ///< Number of the right child, the left one is next; 0: a leaf.
    float value = 0;             ///< Of a leaf.
    std::uint8_t threshold = 0;  ///< At most this: left.
  };

  /// Of all samples, of which there is at least one. Splits at the columns `used` alone, at each
  /// node at one of kColumns of them.
  RegressionTree(const Samples& samples, std::span<const std::uint32_t> used, Random& random,
                 const TreeLimits& limits = {});
  /// With these nodes, of which right children come after their parents.
  explicit RegressionTree(std::vector<Node> nodes) : nodes_(std::move(nodes)) {}

  const std::vector<Node>& nodes() const { return nodes_; }

  /// The target for a row, which has a number for each column.
  float Predict(std::span<const std::uint8_t> row) const;

 private:
  /// Columns that a node tries, however many there are: the cost of a tree must not grow with the
  /// space, and more of them help little.
  static constexpr int kColumns = 64;

  struct Split;

  std::uint32_t Grow(const Samples& samples, std::span<const std::uint32_t> used,
                     std::span<std::uint32_t> members, Random& random, TreeLimits limits);

  std::vector<Node> nodes_;
};

}  // namespace exh::search

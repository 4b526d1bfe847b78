// SPDX-License-Identifier: MIT
//
// TAG, threshold ascent on graphs (the paper, section 5.1): a bandit for the best evaluation, not
// the best mean. A child's reward is how many of the k best evaluations below its parent are its
// own. Its score is the upper confidence bound (Chernoff) of that number per visit.
#pragma once

#include <span>
#include <vector>

#include "search/tree/policy.h"

namespace exh::search {

/// With `s` of a child's `n` visits among the `topk` best evaluations of all `children` (K of them,
/// N visits), and a = max(0, ln(2 N K / delta)): (s + a + sqrt(a (2 s + a))) / n. Every child has a
/// visit.
std::vector<double> TagScores(std::span<const ChildStatistics> children, int topk, double delta);

class TagPolicy final : public Policy {
 public:
  TagPolicy(int topk, double delta) : topk_(topk), delta_(delta) {}
  std::string_view name() const override { return "tag"; }

 private:
  std::size_t ChooseVisited(std::span<const ChildStatistics> children, double cut,
                            Random& random) const override;

  int topk_;
  double delta_;
};

}  // namespace exh::search

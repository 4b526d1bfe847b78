// SPDX-License-Identifier: MIT
//
// Rollouts: descents that lower bounds guide. Children whose bound reaches the cut are pruned. At
// the first decisions, which matter most, a child is drawn with the weights of BoundWeights()
// (weights.h). That costs a propagation and a bound for every child, so further down values are
// drawn uniformly and only the bound of the drawn child is computed. Of a decision with more than
// 64 values as many, drawn uniformly, stand for all.
#pragma once

#include "search/descend/bound_function.h"
#include "search/descend/descent.h"

namespace exh::search {

class BoundGuide final : public Guide {
 public:
  /// `bound` outlives the guide; with an empty one values are drawn uniformly and nothing is
  /// pruned. The first `weighted_depth` decisions are drawn by bounds.
  BoundGuide(const BoundFunction& bound, double cut, int weighted_depth)
      : bound_(bound), cut_(cut), weighted_depth_(weighted_depth) {}

  int Draw(const runtime::Candidate& state, runtime::DecisionId decision, int depth,
           Random& random) override;
  bool Prunes(const runtime::Candidate& child) override;

 private:
  const BoundFunction& bound_;
  double cut_;
  int weighted_depth_;
};

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/descend/rollout.h"

#include <limits>
#include <vector>

#include "search/descend/value_set.h"
#include "search/descend/weights.h"

namespace exh::search {

using runtime::Candidate;
using runtime::Propagation;

namespace {

/// Of so many children at most the bounds are asked for.
constexpr int kMostBounds = 64;

}  // namespace

int BoundGuide::Draw(const Candidate& state, runtime::DecisionId decision, int depth,
                     Random& random) {
  if (!bound_ || depth >= weighted_depth_) return Guide::Draw(state, decision, depth, random);
  std::vector<int> values;
  std::vector<double> bounds;
  Candidate child = state;
  const auto look_at = [&](int value) {
    child = state;
    if (child.Take(decision, value) != Propagation::kFixpoint) return;
    values.push_back(value);
    bounds.push_back(bound_(child));
  };
  if (state.CountValues(decision) <= kMostBounds) {
    state.ForEachValue(decision, look_at);
  } else {
    ValueSet left;
    left.Assign(state, decision);
    for (int number = 0; number < kMostBounds; ++number) {
      const int value = left.Draw(random);
      left.Remove(value);
      look_at(value);
    }
  }
  // All of them are dead ends: the descent finds that out for itself, and why.
  if (values.empty()) return Guide::Draw(state, decision, depth, random);
  return values[DrawWeighted(BoundWeights(bounds, cut_), random)];
}

bool BoundGuide::Prunes(const Candidate& child) {
  return bound_ && cut_ < std::numeric_limits<double>::infinity() && bound_(child) >= cut_;
}

}  // namespace exh::search

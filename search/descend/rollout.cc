// SPDX-License-Identifier: MIT
#include "search/descend/rollout.h"

#include <bit>
#include <limits>
#include <vector>

#include "search/descend/weights.h"

namespace exh::search {

using runtime::Bits;
using runtime::Candidate;
using runtime::Propagation;

int BoundGuide::Draw(const Candidate& state, runtime::DecisionId decision, int depth,
                     Random& random) {
  if (!bound_ || depth >= weighted_depth_) return Guide::Draw(state, decision, depth, random);
  std::vector<int> values;
  std::vector<double> bounds;
  Candidate child = state;
  for (Bits rest = state.domain(decision); rest != 0; rest &= rest - 1) {
    child = state;
    if (child.Restrict(decision, rest & (~rest + 1)) != Propagation::kFixpoint) continue;
    values.push_back(std::countr_zero(rest));
    bounds.push_back(bound_(child));
  }
  // All of them are dead ends: the descent finds that out for itself, and why.
  if (values.empty()) return Guide::Draw(state, decision, depth, random);
  return values[DrawWeighted(BoundWeights(bounds, cut_), random)];
}

bool BoundGuide::Prunes(const Candidate& child) {
  return bound_ && cut_ < std::numeric_limits<double>::infinity() && bound_(child) >= cut_;
}

}  // namespace exh::search

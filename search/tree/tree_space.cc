// SPDX-License-Identifier: MIT
#include "search/tree/tree_space.h"

#include <algorithm>
#include <optional>

#include "base/check.h"

namespace exh::search {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::Propagation;

Branch CandidateSpace::Root() const {
  Branch root;
  root.bound = bound_ ? std::max(0.0, bound_(root_)) : 0;
  root.is_leaf = !order_.Next(root_);
  return root;
}

Branches CandidateSpace::Expand(const Path& path) const {
  const Candidate parent = CandidateOf(path);
  const std::optional<DecisionId> decision = order_.Next(parent);
  EXH_CHECK(decision.has_value());
  Branches branches;
  branches.decision = *decision;
  Candidate child = parent;
  parent.ForEachValue(*decision, [&](int value) {
    Branch branch;
    branch.value = static_cast<std::uint16_t>(value);
    child = parent;
    if (child.Take(*decision, value) == Propagation::kFixpoint) {
      if (bound_) branch.bound = bound_(child);
      branch.is_leaf = !order_.Next(child);
    } else {
      branch.is_dead_end = true;
    }
    branches.values.push_back(branch);
  });
  return branches;
}

Candidate CandidateSpace::CandidateOf(const Path& path) const {
  Candidate candidate = root_;
  for (const PathStep& step : path) {
    const Propagation result = candidate.Take(static_cast<DecisionId>(step.decision), step.value);
    EXH_CHECK(result == Propagation::kFixpoint);
  }
  return candidate;
}

}  // namespace exh::search

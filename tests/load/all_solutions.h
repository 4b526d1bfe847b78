// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <set>
#include <string>

#include "runtime/candidate.h"
#include "runtime/instance.h"

namespace exh::load {

/// "x(a)=1 x(b)=2 " of each implementation below the candidate.
inline void CollectSolutions(const runtime::Candidate& node, std::set<std::string>* found) {
  const runtime::Instance& instance = node.instance();
  std::string text;
  for (runtime::DecisionId d = 0; d < instance.num_decisions(); ++d) {
    if (node.IsOpen(d)) {
      node.ForEachValue(d, [&](int value) {
        runtime::Candidate child = node;
        if (child.Take(d, value) == runtime::Propagation::kFixpoint) CollectSolutions(child, found);
      });
      return;
    }
    text += instance.DecisionName(d) + "=" + instance.ValueName(d, node.FirstValue(d)) + " ";
  }
  found->insert(text);
}

/// Of the whole space.
inline std::set<std::string> AllSolutions(
    const std::shared_ptr<const runtime::Instance>& instance) {
  std::set<std::string> found;
  if (instance->root_result() == runtime::Propagation::kFixpoint) {
    CollectSolutions(runtime::Candidate(instance), &found);
  }
  return found;
}

}  // namespace exh::load

// SPDX-License-Identifier: MIT
#include "search/simulate/recorded_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "search/log/decisions.h"

namespace exh::search {
namespace {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::Propagation;

/// What two runs must have in common. Empty: all of it.
std::string Difference(const Log& a, const Log& b) {
  const RunRecord &first = *a.run, &second = *b.run;
  if (first.kernel != second.kernel || first.sizes != second.sizes ||
      first.settings != second.settings) {
    return "kernels or sizes";
  }
  if (first.device != second.device || first.limits != second.limits) return "devices";
  if (first.fingerprint != second.fingerprint || first.decisions != second.decisions ||
      a.choices != b.choices) {
    return "spaces";
  }
  return first.conditions == second.conditions ? "" : "conditions of measurement";
}

/// Takes the decision of a leaf. Throws Error.
void Follow(Candidate& candidate, DecisionId decision, const RecordedLeaf& leaf) {
  const int value = VectorValue(leaf.vector, decision);
  if (value >= 0 && value < candidate.instance().num_values(decision) &&
      candidate.Take(decision, value) == Propagation::kFixpoint) {
    return;
  }
  throw Error("an implementation of the record is none of this space");
}

}  // namespace

std::vector<RecordedLeaf> LeavesOf(std::span<const Log> logs, std::span<const std::string> names) {
  std::vector<RecordedLeaf> leaves;
  std::set<std::string> codes, vectors;
  for (std::size_t run = 0; run < logs.size(); ++run) {
    const std::string difference = Difference(logs.front(), logs[run]);
    if (!difference.empty()) {
      throw UsageError(
          fmt::format("'{}' and '{}' have different {}", names.front(), names[run], difference));
    }
    double last = 0;
    for (const EvalRecord& eval : logs[run].evals) {
      const double seconds = std::max(0.0, eval.dt - std::exchange(last, eval.dt));
      if (eval.verdict == kernels::Verdict::kBroken) continue;
      if (!vectors.insert(eval.vector).second || !codes.insert(eval.code).second) continue;
      RecordedLeaf leaf{
          .vector = eval.vector, .seconds = seconds, .log = &logs[run], .eval = &eval};
      if (eval.verdict == kernels::Verdict::kCorrect) {
        leaf.first_ns = eval.best_ns;
        leaf.ns = QuietTime(eval);
      }
      // Below its bound: of no use to a search, and to be told of.
      if (eval.verdict == kernels::Verdict::kImpossible) leaf.first_ns = eval.best_ns;
      leaves.push_back(std::move(leaf));
    }
  }
  return leaves;
}

Record::Record(const Candidate& root, const ChoiceOrder& order, const BoundFunction& bound,
               std::vector<RecordedLeaf> leaves)
    : leaves_(std::move(leaves)) {
  if (leaves_.empty()) throw UsageError("nothing was evaluated in what was recorded");
  const std::size_t num_decisions = root.instance().num_decisions();
  for (const RecordedLeaf& leaf : leaves_) {
    if (VectorSize(leaf.vector) != num_decisions) {
      throw Error("an implementation of the record is none of this space");
    }
  }
  Build(root, order, bound);
  for (const RecordedLeaf& leaf : leaves_) {
    if (leaf.first_ns > 0 && leaf.first_ns < leaf.bound) ++num_violations_;
    if (leaf.ns <= 0) continue;
    ++num_correct_;
    best_ns_ = best_ns_ > 0 ? std::min(best_ns_, leaf.ns) : leaf.ns;
  }
}

void Record::Build(const Candidate& root, const ChoiceOrder& order, const BoundFunction& bound) {
  /// A vertex whose children are to be made.
  struct Open {
    std::uint32_t vertex;
    Candidate candidate;
    std::vector<std::uint32_t> leaves;
  };
  const auto bound_of = [&](const Candidate& candidate, double parent) {
    return bound ? std::max(parent, bound(candidate)) : 0;
  };
  std::deque<Open> open;
  open.push_back({0, root, {}});
  for (std::uint32_t leaf = 0; leaf < leaves_.size(); ++leaf) open.front().leaves.push_back(leaf);
  vertices_.push_back({.bound = bound_of(root, 0)});
  for (; !open.empty(); open.pop_front()) {
    Open& now = open.front();
    const std::optional<DecisionId> decision = order.Next(now.candidate);
    if (!decision || now.leaves.size() == 1) {
      RecordedLeaf& leaf = leaves_[now.leaves.front()];
      vertices_[now.vertex].leaf = now.leaves.front();
      for (auto rest = decision; rest; rest = order.Next(now.candidate)) {
        Follow(now.candidate, *rest, leaf);
      }
      leaf.bound = bound_of(now.candidate, vertices_[now.vertex].bound);
      continue;
    }
    std::map<int, std::vector<std::uint32_t>> by_value;
    for (const std::uint32_t leaf : now.leaves) {
      by_value[VectorValue(leaves_[leaf].vector, *decision)].push_back(leaf);
    }
    vertices_[now.vertex].decision = *decision;
    vertices_[now.vertex].first_child = static_cast<std::uint32_t>(vertices_.size());
    vertices_[now.vertex].num_children = static_cast<std::uint32_t>(by_value.size());
    for (auto& [value, leaves] : by_value) {
      Candidate child = now.candidate;
      Follow(child, *decision, leaves_[leaves.front()]);
      const auto number = static_cast<std::uint32_t>(vertices_.size());
      vertices_.push_back({.bound = bound_of(child, vertices_[now.vertex].bound),
                           .parent = now.vertex,
                           .value = static_cast<std::uint16_t>(value)});
      open.push_back({number, std::move(child), std::move(leaves)});
    }
  }
}

std::uint32_t Record::Find(const Path& path) const {
  std::uint32_t vertex = 0;
  for (const PathStep& step : path) {
    const Vertex& parent = vertices_[vertex];
    std::uint32_t child = parent.first_child;
    const std::uint32_t end = child + parent.num_children;
    while (child < end && vertices_[child].value != step.value) ++child;
    EXH_CHECK(child < end);
    vertex = child;
  }
  return vertex;
}

Branches RecordedSpace::Expand(const Path& path) const {
  const Record::Vertex& parent = record_.vertices()[record_.Find(path)];
  Branches branches;
  branches.decision = parent.decision;
  for (std::uint32_t child = 0; child < parent.num_children; ++child) {
    branches.values.push_back(BranchOf(record_.vertices()[parent.first_child + child]));
  }
  return branches;
}

Branch RecordedSpace::BranchOf(const Record::Vertex& vertex) const {
  Branch branch;
  branch.value = vertex.value;
  branch.bound = has_bounds_ ? vertex.bound : 0;
  // A prefix with one implementation below is as good as that one.
  branch.is_leaf = vertex.leaf != Record::kNone;
  return branch;
}

}  // namespace exh::search

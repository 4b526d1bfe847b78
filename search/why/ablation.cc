// SPDX-License-Identifier: MIT
#include "search/why/ablation.h"

#include <algorithm>
#include <cstdlib>

#include "search/near/local_search.h"

namespace exh::search {
namespace {

/// Ways that are tried for a change.
constexpr int kTries = 6;

}  // namespace

Ablator::Ablator(const runtime::Candidate& root, const runtime::Candidate& implementation,
                 std::uint64_t seed)
    : root_(root),
      implementation_(implementation),
      order_(ChoiceOrder::ForRepair(root.instance())),
      walker_(root_, order_),
      random_(seed) {
  walker_.BeginAt(implementation_);
  decisions_ = walker_.path();
}

std::vector<PathStep> Ablator::Others(const PathStep& decision) const {
  std::vector<int> below, above;
  root_.ForEachValue(static_cast<runtime::DecisionId>(decision.decision), [&](int value) {
    if (value < decision.value) below.push_back(value);
    if (value > decision.value) above.push_back(value);
  });
  std::ranges::reverse(below);  // The nearest first.
  std::vector<PathStep> others;
  const auto take = [&](const std::vector<int>& values, std::size_t at) {
    if (at < values.size()) others.push_back({decision.decision, values[at]});
  };
  if (below.size() + above.size() <= kMostValues) {
    for (std::size_t at = 0; at < kMostValues; ++at) {
      take(below, at);
      take(above, at);
    }
    return others;
  }
  take(below, 0);
  take(above, 0);
  if (below.size() > 1) take(below, below.size() - 1);
  if (above.size() > 1) take(above, above.size() - 1);
  return others;
}

std::optional<Ablation> Ablator::With(std::span<const PathStep> changes) {
  const Neighbourhood near{.elite = implementation_,
                           .mate = std::nullopt,
                           .open = {},
                           .first = Path(changes.begin(), changes.end()),
                           .path = {}};
  const BoundFunction no_bound;
  std::optional<Ablation> nearest;
  Following least;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    NearGuide guide(near, no_bound, /*cut=*/0);
    if (!walker_.Look(near, guide, random_, [](const DeadEnd&) {})) {
      runtime::Candidate alone = root_;  // Where that is a dead end, no way leads on.
      if (!RestrictTo(near.first, alone)) break;
      continue;
    }
    const runtime::Candidate& found = walker_.neighbour();
    const Following following = FollowingOf(changes, found);
    if (nearest && !(following < least)) continue;
    least = following;
    nearest = Ablation{near.first, found, following.count};
    if (following.count == 0) break;
  }
  return nearest;
}

Ablator::Following Ablator::FollowingOf(std::span<const PathStep> changes,
                                        const runtime::Candidate& changed) const {
  Following following;
  for (const PathStep& step : decisions_) {
    const auto id = static_cast<runtime::DecisionId>(step.decision);
    const bool is_change = std::ranges::any_of(
        changes, [&](const PathStep& change) { return change.decision == step.decision; });
    if (is_change) continue;
    if (!changed.IsLive(id)) {
      ++following.count;
      continue;
    }
    const int distance = std::abs(changed.FirstValue(id) - step.value);
    following.count += distance > 0 ? 1 : 0;
    following.distance += distance;
  }
  return following;
}

}  // namespace exh::search

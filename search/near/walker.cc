// SPDX-License-Identifier: MIT
#include "search/near/walker.h"

#include <algorithm>

#include "base/check.h"
#include "search/descend/patient_descent.h"

namespace exh::search {
namespace {

bool IsOpenIn(const Neighbourhood& near, const PathStep& step) {
  return std::ranges::binary_search(near.open, static_cast<runtime::DecisionId>(step.decision));
}

}  // namespace

Walker::Walker(const runtime::Candidate& root, const ChoiceOrder& order)
    : root_(root),
      here_(order, kRolloutPatience.dead_ends),
      there_(order, kLocalPatience.dead_ends),
      leap_(root),
      start_(root) {}

bool Walker::Begin(Guide& guide, Random& random, const Descender::OnDeadEnd& note) {
  for (int attempt = 0; attempt < kRolloutPatience.tries; ++attempt) {
    bool is_exact = true;
    const auto on_dead_end = [&](const DeadEnd& dead_end) {
      is_exact = false;
      note(dead_end);
    };
    const DescentResult result = here_.Run(root_, random, on_dead_end, guide);
    if (result == DescentResult::kExhausted) return false;
    if (result == DescentResult::kGaveUp) continue;
    if (is_exact && here_.pruned() == 0) {
      path_ = here_.path();
    } else {
      start_ = here_.candidate();
      BeginAt(start_);
    }
    return true;
  }
  return false;
}

bool Walker::BeginNear(const Neighbourhood& near, Guide& guide, Random& random,
                       const Descender::OnDeadEnd& note) {
  start_ = root_;
  if (!RestrictTo(near.first, start_)) return false;
  if (!GoFromStart(near.path, 0, near, guide, random, note)) return false;
  BeginAt(there_.candidate());
  return true;
}

void Walker::BeginAt(const runtime::Candidate& implementation) {
  here_.Begin(root_);
  here_.GoTo(implementation);
  path_ = here_.path();
}

bool Walker::Look(const Neighbourhood& near, Guide& guide, Random& random,
                  const Descender::OnDeadEnd& note) {
  shared_ = 0;
  if (!near.first.empty()) {
    start_ = root_;
    if (!RestrictTo(near.first, start_)) return false;
  } else {
    BeginAtFirstOpen(near);
  }
  const std::span<const PathStep> known(path_);
  return GoFromStart(known.subspan(shared_), shared_, near, guide, random, note);
}

void Walker::BeginAtFirstOpen(const Neighbourhood& near) {
  const auto first =
      std::ranges::find_if(path_, [&](const PathStep& step) { return IsOpenIn(near, step); });
  EXH_CHECK(first != path_.end());
  shared_ = static_cast<std::size_t>(first - path_.begin());
  start_ = here_.state(shared_);
}

bool Walker::Open(const Neighbourhood& near) {
  BeginAtFirstOpen(near);
  kept_.clear();
  for (std::size_t at = shared_; at < path_.size(); ++at) {
    const PathStep& step = path_[at];
    if (IsOpenIn(near, step)) continue;
    kept_.push_back(
        runtime::Action::Take(static_cast<runtime::DecisionId>(step.decision), step.value));
  }
  // The implementation has all of it.
  const runtime::Propagation result = start_.Restrict(kept_);
  EXH_CHECK(result == runtime::Propagation::kFixpoint);
  return there_.HasOpen(start_);
}

bool Walker::LookInside(Guide& guide, Random& random, const Descender::OnDeadEnd& note) {
  return there_.Run(start_, random, note, guide) == DescentResult::kImplementation;
}

bool Walker::GoFromStart(std::span<const PathStep> known, std::size_t depth,
                         const Neighbourhood& near, Guide& guide, Random& random,
                         const Descender::OnDeadEnd& note) {
  if (!leap_.Run(start_, known, depth, near, guide, random, note)) return false;
  if (guide.Prunes(start_)) return false;
  return there_.Run(start_, random, note, guide) == DescentResult::kImplementation;
}

void Walker::GoTo(const runtime::Candidate& neighbour) {
  here_.BackTo(shared_);
  here_.GoTo(neighbour);
  path_ = here_.path();
}

}  // namespace exh::search

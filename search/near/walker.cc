// SPDX-License-Identifier: MIT
#include "search/near/walker.h"

#include <algorithm>

#include "base/check.h"
#include "search/descend/patient_descent.h"

namespace exh::search {

Walker::Walker(const runtime::Candidate& root, const ChoiceOrder& order)
    : root_(root),
      order_(order),
      here_(order, kRolloutPatience.dead_ends),
      there_(order, kLocalPatience.dead_ends) {}

bool Walker::Begin(const std::optional<PathStep>& first, Guide& guide, Random& random,
                   const Descender::OnDeadEnd& note) {
  runtime::Candidate start = root_;
  if (first && !RestrictTo(*first, start)) return false;
  for (int attempt = 0; attempt < kRolloutPatience.tries; ++attempt) {
    bool is_exact = !first;
    const auto on_dead_end = [&](const DeadEnd& dead_end) {
      is_exact = false;
      note(dead_end);
    };
    const DescentResult result = here_.Run(start, random, on_dead_end, guide);
    if (result == DescentResult::kExhausted) return false;
    if (result == DescentResult::kGaveUp) continue;
    path_ = here_.path();
    if (!is_exact || here_.pruned() > 0) {
      CompletePath(root_, here_.candidate(), order_, path_);
      here_.Follow(root_, path_);
    }
    return true;
  }
  return false;
}

void Walker::BeginAt(const runtime::Candidate& implementation) {
  path_.clear();
  CompletePath(root_, implementation, order_, path_);
  here_.Follow(root_, path_);
}

bool Walker::Look(const Neighbourhood& near, Guide& guide, Random& random,
                  const Descender::OnDeadEnd& note) {
  if (near.first) return LookFrom(near, guide, random, note);
  const auto is_open = [&](const PathStep& step) {
    return std::ranges::binary_search(near.open, static_cast<runtime::DecisionId>(step.decision));
  };
  const auto first = std::ranges::find_if(path_, is_open);
  EXH_CHECK(first != path_.end());
  shared_ = static_cast<std::size_t>(first - path_.begin());
  is_exact_ = true;
  const auto on_dead_end = [&](DeadEnd dead_end) {
    is_exact_ = false;
    dead_end.depth += static_cast<int>(shared_);
    note(dead_end);
  };
  const DescentResult result = there_.Run(here_.state(shared_), random, on_dead_end, guide);
  is_exact_ = is_exact_ && there_.pruned() == 0;
  return result == DescentResult::kImplementation;
}

bool Walker::LookFrom(const Neighbourhood& near, Guide& guide, Random& random,
                      const Descender::OnDeadEnd& note) {
  // The neighbour's first decision is not the one that the order would take first.
  shared_ = 0;
  is_exact_ = false;
  runtime::Candidate start = root_;
  if (!RestrictTo(*near.first, start)) return false;
  return there_.Run(start, random, note, guide) == DescentResult::kImplementation;
}

void Walker::Go() {
  path_.resize(shared_);
  const Path below = there_.path();
  path_.insert(path_.end(), below.begin(), below.end());
  if (is_exact_) {
    here_.Graft(shared_, there_);
    return;
  }
  CompletePath(root_, there_.candidate(), order_, path_);
  here_.Follow(root_, path_);
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/near/leap.h"

#include <algorithm>

#include "search/log/decisions.h"

namespace exh::search {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::Propagation;

namespace {

/// Steps that are taken at once. Where some do not hold together, fewer of them are taken in vain
/// than of all that are left: a step that changes the rest of two products in a row costs a quarter
/// less.
constexpr std::size_t kMostTogether = 8;

/// Values that are drawn in vain, dead ends and what the guide prunes, before a leap gives up.
constexpr int kMostInVain = 16;

DecisionId DecisionOf(const PathStep& step) {
  return static_cast<DecisionId>(step.decision);
}

}  // namespace

Propagation Leap::Take(Candidate& state, std::span<const PathStep> steps) {
  actions_.clear();
  for (const PathStep& step : steps) {
    actions_.push_back(runtime::Action::Take(DecisionOf(step), step.value));
  }
  return state.Restrict(actions_);
}

std::size_t Leap::TakeTogether(Candidate& state, std::span<const PathStep> known, std::size_t begin,
                               std::size_t end) {
  if (begin == end) return end;
  base_ = state;
  if (Take(state, known.subspan(begin, end - begin)) == Propagation::kFixpoint) return end;
  // Invariant: base_ has taken the steps before `begin`; with those before `bad` it is a dead end.
  std::size_t bad = end;
  while (bad - begin > 1) {
    const std::size_t middle = begin + (bad - begin) / 2;
    state = base_;
    if (Take(state, known.subspan(begin, middle - begin)) == Propagation::kFixpoint) {
      base_ = state;
      begin = middle;
    } else {
      bad = middle;
    }
  }
  state = base_;
  return begin;
}

bool Leap::Run(Candidate& state, std::span<const PathStep> known, std::size_t depth,
               const Neighbourhood& near, Guide& guide, Random& random,
               const Descender::OnDeadEnd& note) {
  int in_vain = 0;
  std::size_t at = 0;
  while (at < known.size()) {
    const auto is_drawn = [&](const PathStep& step) {
      const DecisionId decision = DecisionOf(step);
      return std::ranges::binary_search(near.open, decision) || !state.IsLive(decision) ||
             !state.MayTake(decision, step.value);
    };
    const auto next =
        std::find_if(known.begin() + static_cast<std::ptrdiff_t>(at), known.end(), is_drawn);
    const auto end = std::min(static_cast<std::size_t>(next - known.begin()), at + kMostTogether);
    const bool is_at_next = end == static_cast<std::size_t>(next - known.begin());
    at = TakeTogether(state, known, at, end);
    if (at == known.size()) return true;
    if (at == end && !is_at_next) continue;
    const DecisionId decision = DecisionOf(known[at]);
    while (state.IsOpen(decision)) {
      const int at_depth = static_cast<int>(depth + at);
      const int value = guide.Draw(state, decision, at_depth, random);
      before_ = state;
      const bool lives = state.Take(decision, value) == Propagation::kFixpoint;
      if (lives && !guide.Prunes(state)) break;
      if (!lives) {
        const PathStep step{static_cast<int>(decision), value};
        note({ConflictLabel(state.instance().space(), state.conflict()), at_depth, step});
      }
      if (++in_vain > kMostInVain) return false;
      std::swap(state, before_);
      if (state.Leave(decision, value) != Propagation::kFixpoint) return false;
    }
    ++at;
  }
  return true;
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/descend/descent.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "search/descend/value_set.h"
#include "search/log/decisions.h"

namespace exh::search {
namespace {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::Propagation;

PathStep Step(DecisionId decision, int value) {
  return {static_cast<int>(decision), value};
}

/// Pruned children after which a descent gives up. Good bounds prune most of what they are asked
/// about, so this is more patience than dead ends get.
constexpr int kMaxPruned = 16;

}  // namespace

int Guide::Draw(const Candidate& state, DecisionId decision, int, Random& random) {
  return DrawValue(state, decision, random);
}

void Descender::Push(const Candidate& state) {
  if (depth_ == levels_.size()) {
    levels_.push_back({state});
  } else {
    levels_[depth_].state = state;
  }
}

DescentResult Descender::Run(const Candidate& start, Random& random, const OnDeadEnd& on_dead_end,
                             Guide& guide) {
  Begin(start);
  int dead_ends = 0;
  const auto report = [&](const Candidate& failed, PathStep step) {
    ++dead_ends;
    on_dead_end({ConflictLabel(start.instance().space(), failed.conflict()),
                 static_cast<int>(depth_), step});
  };
  for (;;) {
    const auto decision = order_.Next(levels_[depth_].state);
    if (!decision) return DescentResult::kImplementation;
    const int value =
        guide.Draw(levels_[depth_].state, *decision, static_cast<int>(depth_), random);
    levels_[depth_].decision = *decision;
    levels_[depth_].value = value;
    ++depth_;
    Push(levels_[depth_ - 1].state);
    const bool lives = levels_[depth_].state.Take(*decision, value) == Propagation::kFixpoint;
    if (lives && !guide.Prunes(levels_[depth_].state)) continue;

    --depth_;
    if (lives) {
      ++pruned_;
    } else {
      report(levels_[depth_ + 1].state, Step(*decision, value));
    }
    if (dead_ends > max_dead_ends_ || pruned_ > kMaxPruned) return DescentResult::kGaveUp;
    // The snapshot that loses the value may die of it: then the value one level up is refuted.
    for (;;) {
      Level& level = levels_[depth_];
      EXH_CHECK(!level.state.IsConstrained(level.decision));
      if (level.state.Leave(level.decision, level.value) == Propagation::kFixpoint) break;
      report(level.state, Step(level.decision, -1));
      if (depth_ == 0) return DescentResult::kExhausted;
      --depth_;
    }
  }
}

void Descender::Begin(const Candidate& start) {
  depth_ = 0;
  pruned_ = 0;
  Push(start);
}

void Descender::GoTo(const Candidate& end) {
  while (const auto decision = order_.Next(levels_[depth_].state)) {
    EXH_CHECK(end.IsConstrained(*decision));
    const int value = end.FirstValue(*decision);
    levels_[depth_].decision = *decision;
    levels_[depth_].value = value;
    ++depth_;
    Push(levels_[depth_ - 1].state);
    const Propagation result = levels_[depth_].state.Take(*decision, value);
    EXH_CHECK(result == Propagation::kFixpoint);
  }
}

Path Descender::path() const {
  Path path;
  for (std::size_t depth = 0; depth < depth_; ++depth) {
    path.push_back(Step(levels_[depth].decision, levels_[depth].value));
  }
  return path;
}

void CompletePath(const Candidate& start, const Candidate& end, const ChoiceOrder& order,
                  Path& path) {
  Candidate state = start;
  for (const PathStep& step : path) {
    const Propagation result = state.Take(static_cast<DecisionId>(step.decision), step.value);
    EXH_CHECK(result == Propagation::kFixpoint);
  }
  while (const auto decision = order.Next(state)) {
    EXH_CHECK(end.IsConstrained(*decision));
    const int value = end.FirstValue(*decision);
    const Propagation result = state.Take(*decision, value);
    EXH_CHECK(result == Propagation::kFixpoint);
    path.push_back(Step(*decision, value));
  }
}

double DeadEndShare::share() const {
  return descents == 0 ? 0 : static_cast<double>(dead) / static_cast<double>(descents);
}

std::pair<double, double> DeadEndShare::Interval() const {
  if (descents == 0) return {0, 1};
  constexpr double kZ = 1.959964;  // 97.5 % quantile of the normal distribution
  const double n = static_cast<double>(descents);
  const double p = share();
  const double scale = 1 / (1 + kZ * kZ / n);
  const double middle = scale * (p + kZ * kZ / (2 * n));
  const double half = scale * kZ * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n));
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

std::optional<DeadEnd> DeadEndStudy::Run(const Candidate& start, Random& random) const {
  Candidate state = start;
  Candidate child = start;
  ValueSet untried;
  for (int depth = 0;; ++depth) {
    const auto decision = order_.Next(state);
    if (!decision) return std::nullopt;
    // The first value of a random order that propagates is uniform among all values that do.
    untried.Assign(state, *decision);
    for (;;) {
      const int value = untried.Draw(random);
      child = state;
      if (child.Take(*decision, value) == Propagation::kFixpoint) break;
      untried.Remove(value);
      if (untried.empty()) {
        return DeadEnd{ConflictLabel(start.instance().space(), child.conflict()), depth,
                       Step(*decision, value)};
      }
    }
    std::swap(state, child);
  }
}

}  // namespace exh::search

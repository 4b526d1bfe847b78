// SPDX-License-Identifier: MIT
#include "search/solve/branch_and_bound.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "base/check.h"

namespace exh::search {
namespace {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::kNoDecision;
using runtime::Propagation;
using runtime::TermInterval;

constexpr std::uint64_t kVisitsPerLook = 4;
/// Values of a decision that are compared before one is tried.
constexpr std::size_t kMostLooks = 4;
/// Each rules out values, which may take long where there are many.
constexpr int kMostRounds = 16;

/// -limit is limit.
std::int64_t Negated(std::int64_t number) {
  using Limits = std::numeric_limits<std::int64_t>;
  if (number == Limits::min()) return Limits::max();
  return number == Limits::max() ? Limits::min() : -number;
}

const runtime::SpaceObjective& ObjectiveOf(const runtime::Instance& instance) {
  EXH_CHECK(instance.space().objective.has_value());
  return *instance.space().objective;
}

}  // namespace

BranchAndBound::BranchAndBound(const runtime::Instance& instance, const ChoiceOrder& order,
                               SolveOptions options)
    : objective_(instance, ObjectiveOf(instance).term, ObjectiveOf(instance).text),
      maximize_(ObjectiveOf(instance).maximize),
      separable_(SeparableBound::Of(instance, objective_, maximize_)),
      options_(std::move(options)) {
  for (const std::string& name : order.names()) choices_.push_back(instance.FindChoice(name));
}

BestFound BranchAndBound::Run(const Candidate& from, const OnBetter& on_better,
                              std::optional<std::int64_t> start) {
  status_ = {};
  visits_ = 0;
  stopped_ = false;
  best_ = start && maximize_ ? Negated(*start) : start;
  left_.reset();
  solution_.reset();
  At(0, from) = from;
  if (separable_) separable_->Begin(from);
  Visit(from, 0, on_better);
  BestFound found;
  found.solution = solution_;
  found.proven = !stopped_;
  std::optional<std::int64_t> bound = best_;
  if (left_ && (!bound || *left_ < *bound)) bound = left_;
  if (best_) found.value = maximize_ ? Negated(*best_) : *best_;
  if (bound) found.bound = maximize_ ? Negated(*bound) : *bound;
  return found;
}

TermInterval BranchAndBound::Interval(const Candidate& node) const {
  const TermInterval interval = objective_.Over(node);
  if (!maximize_) return interval;
  return {Negated(interval.max), Negated(interval.min)};
}

bool BranchAndBound::IsStopped() {
  ++status_.nodes;
  if (++visits_ % kVisitsPerLook == 0 && options_.stop && options_.stop(status_)) {
    stopped_ = true;
  }
  return stopped_;
}

Candidate& BranchAndBound::At(std::size_t depth, const Candidate& like) {
  while (depth >= levels_.size()) levels_.push_back(std::make_unique<Candidate>(like));
  return *levels_[depth];
}

void BranchAndBound::LeaveOpen(const Candidate& node) {
  std::int64_t least = Interval(node).min;
  if (separable_) least = std::max(least, Negated(separable_->Most(node)));
  if (!left_ || least < *left_) left_ = least;
}

bool BranchAndBound::Tighten(Candidate* node) {
  if (!best_) {
    if (separable_) separable_->Most(*node);  // What Next() asks about.
    return true;
  }
  // Less is better: at most one less than the best.
  const std::int64_t most = *best_ - 1;
  TermInterval within;
  (maximize_ ? within.min : within.max) = maximize_ ? -most : most;
  for (int round = 0; round < kMostRounds; ++round) {
    actions_.clear();
    if (!objective_.Narrow(*node, within, &actions_)) return false;
    if (separable_ && !separable_->Narrow(*node, -most, &actions_)) return false;
    if (actions_.empty()) return true;
    if (node->Restrict(actions_) == Propagation::kDeadEnd) return false;
  }
  return Interval(*node).min < *best_;
}

DecisionId BranchAndBound::Next(const Candidate& node) {
  const DecisionId fewest = FewestOpen(node, choices_, open_);
  if (fewest == kNoDecision) return fewest;
  if (std::ranges::count(open_, last_conflict_) > 0) return last_conflict_;
  if (!separable_) return fewest;
  const DecisionId closest = separable_->Closest(node, open_);
  return closest == kNoDecision ? fewest : closest;
}

std::optional<int> BranchAndBound::FirstOf(Candidate* node, DecisionId decision, std::size_t depth,
                                           bool* is_dead) {
  std::array<int, kMostLooks> all;
  std::size_t count = 0;
  if (const int known = separable_ ? separable_->BestValue(*node, decision) : -1; known >= 0) {
    all[count++] = known;
  } else {  // The first values and the last one.
    int last = -1;
    node->ForEachValue(decision, [&](int value) {
      if (count + 1 < all.size()) all[count++] = value;
      last = value;
    });
    if (all[count - 1] != last) all[count++] = last;
  }
  const std::span<const int> values(all.data(), count);
  std::optional<int> best;
  TermInterval best_interval;
  Candidate& child = At(depth, *node);
  At(depth + 1, *node);
  Candidate& trial = *levels_[depth + 1];
  for (const int value : values) {
    ++status_.nodes;
    trial = *node;
    const bool is_dead_end = trial.Take(decision, value) == Propagation::kDeadEnd;
    status_.dead_ends += static_cast<std::uint64_t>(is_dead_end);
    if (is_dead_end) last_conflict_ = decision;
    const TermInterval interval = is_dead_end ? TermInterval{} : Interval(trial);
    if (is_dead_end || (best_ && interval.min >= *best_)) {
      if (node->Leave(decision, value) == Propagation::kDeadEnd) {
        ++status_.dead_ends;
        *is_dead = true;
        return std::nullopt;
      }
      continue;
    }
    const bool is_better = !best || interval.min < best_interval.min ||
                           (interval.min == best_interval.min && interval.max < best_interval.max);
    if (!is_better) continue;
    best = value;
    best_interval = interval;
    child = trial;
  }
  // What was ruled out after it was looked at may have ruled it out as well.
  if (best && !node->MayTake(decision, *best)) best.reset();
  return best;
}

bool BranchAndBound::Visit(const Candidate& from, std::size_t depth, const OnBetter& on_better) {
  Candidate& node = At(depth, from);
  if (&node != &from) node = from;
  while (true) {
    if (!Tighten(&node)) {
      ++status_.dead_ends;
      return true;
    }
    const DecisionId decision = Next(node);
    if (decision == kNoDecision) {
      const TermInterval interval = Interval(node);
      EXH_CHECK(interval.IsOne());
      ++status_.solutions;
      best_ = interval.min;
      solution_ = node;
      on_better(node, maximize_ ? Negated(interval.min) : interval.min);
      return true;
    }
    if (IsStopped()) {
      LeaveOpen(node);
      return false;
    }
    bool is_dead = false;
    const auto value = FirstOf(&node, decision, depth + 1, &is_dead);
    if (is_dead) return true;
    if (!value) continue;  // The decision lost values, or has only others left.
    if (!Visit(*levels_[depth + 1], depth + 1, on_better)) {
      // What lies beside it was not looked at either.
      if (node.Leave(decision, *value) == Propagation::kFixpoint) LeaveOpen(node);
      return false;
    }
    if (node.Leave(decision, *value) == Propagation::kDeadEnd) {
      ++status_.dead_ends;
      return true;
    }
  }
}

}  // namespace exh::search

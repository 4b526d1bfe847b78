// SPDX-License-Identifier: MIT
#include "search/solve/branch_and_bound.h"

#include <bit>
#include <limits>
#include <utility>

#include "base/check.h"

namespace exh::search {
namespace {

using runtime::Action;
using runtime::Bits;
using runtime::Candidate;
using runtime::DecisionId;
using runtime::kNoDecision;
using runtime::Propagation;
using runtime::TermInterval;

constexpr std::uint64_t kVisitsPerLook = 4;
/// Values of a decision that are compared before one is tried.
constexpr int kMostLooks = 4;

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
  const std::int64_t least = Interval(node).min;
  if (!left_ || least < *left_) left_ = least;
}

bool BranchAndBound::Tighten(Candidate* node) {
  if (!best_) return true;
  if (Interval(*node).min >= *best_) return false;
  const DecisionId decision = objective_.decision();
  if (decision == kNoDecision) return true;
  const auto universe = node->instance().universe(decision);
  std::vector<Action> actions;
  for (int word = 0; word < node->instance().num_words(decision); ++word) {
    Bits better = 0;
    for (Bits rest = node->word(decision, word); rest != 0; rest &= rest - 1) {
      const int bit = std::countr_zero(rest);
      const auto number =
          static_cast<std::int64_t>(universe[static_cast<std::size_t>(64 * word + bit)]);
      if ((maximize_ ? -number : number) < *best_) better |= Bits{1} << bit;
    }
    if (better == node->word(decision, word)) continue;
    actions.emplace_back(decision, better, static_cast<std::uint16_t>(word), true);
  }
  if (actions.empty()) return true;
  if (node->Restrict(actions) == Propagation::kDeadEnd) return false;
  return Interval(*node).min < *best_;
}

std::optional<int> BranchAndBound::FirstOf(Candidate* node, DecisionId decision, std::size_t depth,
                                           bool* is_dead) {
  // The first values and the last one.
  std::vector<int> values;
  int last = -1;
  node->ForEachValue(decision, [&](int value) {
    if (static_cast<int>(values.size()) + 1 < kMostLooks) values.push_back(value);
    last = value;
  });
  if (values.back() != last) values.push_back(last);
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
    const DecisionId decision = FewestOpen(node, choices_, open_);
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

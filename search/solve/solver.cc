// SPDX-License-Identifier: MIT
#include "search/solve/solver.h"

#include <memory>
#include <utility>

namespace exh::search {
namespace {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::kNoDecision;
using runtime::Propagation;

constexpr std::uint64_t kStepsPerLook = 16;

}  // namespace

DecisionId FewestOpen(const Candidate& node, const std::vector<int>& choices,
                      std::vector<DecisionId>& open) {
  for (const int choice : choices) {
    open.clear();
    node.ListOpen(choice, &open);
    DecisionId best = kNoDecision;
    int fewest = 0;
    for (const DecisionId decision : open) {
      const int count = node.CountValues(decision);
      if (best != kNoDecision && count >= fewest) continue;
      best = decision;
      fewest = count;
    }
    if (best != kNoDecision) return best;
  }
  return kNoDecision;
}

Solver::Solver(const runtime::Instance& instance, const ChoiceOrder& order, SolveOptions options)
    : options_(std::move(options)) {
  for (const std::string& name : order.names()) choices_.push_back(instance.FindChoice(name));
}

SolveResult Solver::Run(const Candidate& from, const OnSolution& on_solution) {
  result_ = SolveResult::kAll;
  status_ = {};
  At(0, from) = from;
  Visit(from, 0, on_solution);
  return result_;
}

bool Solver::IsStopped() {
  if (++status_.nodes % kStepsPerLook == 0 && options_.stop && options_.stop(status_)) {
    result_ = SolveResult::kStopped;
  }
  return result_ == SolveResult::kStopped;
}

Candidate& Solver::At(std::size_t depth, const Candidate& like) {
  if (depth == levels_.size()) levels_.push_back(std::make_unique<Candidate>(like));
  return *levels_[depth];
}

/// Takes a value of a decision and goes on below; then leaves it out, which may leave out more, and
/// takes the next one, of whatever decision has the fewest then.
bool Solver::Visit(const Candidate& from, std::size_t depth, const OnSolution& on_solution) {
  Candidate& node = At(depth, from);
  node = from;
  while (true) {
    const DecisionId decision = FewestOpen(node, choices_, open_);
    if (decision == kNoDecision) {
      ++status_.solutions;
      if (on_solution(node)) return true;
      result_ = SolveResult::kEnough;
      return false;
    }
    int value = node.FirstValue(decision);
    if (options_.random != nullptr) {
      std::size_t skip =
          options_.random->Below(static_cast<std::size_t>(node.CountValues(decision)));
      node.ForEachValue(decision, [&](int each) {
        if (skip-- == 0) value = each;
      });
    }
    if (IsStopped()) return false;
    Candidate& child = At(depth + 1, node);
    child = node;
    if (child.Take(decision, value) == Propagation::kFixpoint) {
      if (!Visit(child, depth + 1, on_solution)) return false;
    } else {
      ++status_.dead_ends;
    }
    if (IsStopped()) return false;
    if (node.Leave(decision, value) == Propagation::kDeadEnd) {
      ++status_.dead_ends;
      return true;
    }
  }
}

}  // namespace exh::search

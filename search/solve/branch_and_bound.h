// SPDX-License-Identifier: MIT
//
// The best implementation of a space that has an objective, by branch and bound: depth first, as
// Solver. Each node must be better than the best found so far, and that rules out values: those of
// decisions that the objective reads itself, by its term backwards (runtime GroundedTerm), and
// where it is a sum over decisions, those that lose too much of what constraints leave of it
// (SeparableBound). Otherwise its interval says what a node can be at best. The next decision is
// the one that met the last dead end, while it is open: what fails once fails again, and sooner (C.
// Lecoutre et al., "Reasoning from last conflict(s) in constraint programming", 2009). Of its
// values that one is tried first after which the objective can still be best. When it has been
// through everything, the best one is proven to be. After the first descent nothing is allocated
// but what is found.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/candidate.h"
#include "runtime/objective/grounded_term.h"
#include "search/descend/choice_order.h"
#include "search/solve/separable.h"
#include "search/solve/solver.h"

namespace exh::search {

struct BestFound {
  std::optional<runtime::Candidate> solution;  ///< Nothing: none is better than the start.
  std::optional<std::int64_t> value;           ///< Of the solution, or of the start.
  /// Nothing can be better than this. With `proven` the value itself; without a value there is
  /// nothing then.
  std::int64_t bound = 0;
  bool proven = false;  ///< It was not stopped.
};

class BranchAndBound {
 public:
  /// Called for each implementation that is better than all before, with its objective.
  using OnBetter = std::function<void(const runtime::Candidate&, std::int64_t)>;

  /// The space of the instance, whose root is a fixpoint, has an objective. `order` outlives it.
  BranchAndBound(const runtime::Instance& instance, const ChoiceOrder& order,
                 SolveOptions options = {});

  /// What is best below `from`, which is at a fixpoint. With `start`, only what is better than
  /// that.
  BestFound Run(const runtime::Candidate& from, const OnBetter& on_better,
                std::optional<std::int64_t> start = std::nullopt);
  const SolveStatus& status() const { return status_; }

 private:
  /// Objectives are negated where the largest is wanted: less is better from here on.
  runtime::TermInterval Interval(const runtime::Candidate& node) const;
  /// Rules out what is no better; false: nothing is left.
  bool Tighten(runtime::Candidate* node);
  /// The next decision, of the first of the choices that has open ones; kNoDecision: nothing is.
  runtime::DecisionId Next(const runtime::Candidate& node);
  /// False: it was stopped.
  bool Visit(const runtime::Candidate& from, std::size_t depth, const OnBetter& on_better);
  /// The value to begin with. The candidate at `depth` becomes what follows from it; nothing when
  /// all that were looked at are dead ends or no better, and then the node has lost them.
  std::optional<int> FirstOf(runtime::Candidate* node, runtime::DecisionId decision,
                             std::size_t depth, bool* is_dead);
  bool IsStopped();
  void LeaveOpen(const runtime::Candidate& node);
  runtime::Candidate& At(std::size_t depth, const runtime::Candidate& like);

  runtime::GroundedTerm objective_;
  bool maximize_;
  std::optional<SeparableBound> separable_;
  SolveOptions options_;
  std::vector<int> choices_;
  std::vector<runtime::DecisionId> open_;
  std::vector<runtime::Action> actions_;
  std::vector<std::unique_ptr<runtime::Candidate>> levels_;
  SolveStatus status_;
  std::uint64_t visits_ = 0;
  runtime::DecisionId last_conflict_ = runtime::kNoDecision;
  bool stopped_ = false;
  std::optional<std::int64_t> best_;  // Less is better.
  std::optional<std::int64_t> left_;  // The least of what was not looked at.
  std::optional<runtime::Candidate> solution_;
};

}  // namespace exh::search

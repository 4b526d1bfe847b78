// SPDX-License-Identifier: MIT
//
// Solver: all implementations below a candidate, one after the other, depth first. It decides the
// choices in an order, of the decisions of a choice the one with the fewest values, and tries the
// values in ascending order, or in a random one. Propagation after each step leaves out what cannot
// be. Nothing else is left out: what it does not find is not there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/random.h"
#include "runtime/candidate.h"
#include "search/descend/choice_order.h"

namespace exh::search {

/// How far it is.
struct SolveStatus {
  std::uint64_t solutions = 0;
  std::uint64_t nodes = 0;      ///< Steps: a value that was taken, or was not.
  std::uint64_t dead_ends = 0;  ///< Those of them that propagation refuted.
};

struct SolveOptions {
  /// Values in random order; null: ascending. Outlives the solver.
  Random* random = nullptr;
  /// True ends it. Asked every few steps.
  std::function<bool(const SolveStatus&)> stop = {};
};

enum class SolveResult {
  kAll,     ///< There are no others.
  kEnough,  ///< Whoever looks at the solutions wanted no more.
  kStopped,
};

/// Of the first of the choices that has open decisions, the one with the fewest values;
/// kNoDecision: nothing is open. `open` is room to work in.
runtime::DecisionId FewestOpen(const runtime::Candidate& node, const std::vector<int>& choices,
                               std::vector<runtime::DecisionId>& open);

class Solver {
 public:
  /// Called for each solution; false: it was the last that is wanted.
  using OnSolution = std::function<bool(const runtime::Candidate&)>;

  /// `order` outlives the solver.
  Solver(const runtime::Instance& instance, const ChoiceOrder& order, SolveOptions options = {});

  /// `from` is at a fixpoint.
  SolveResult Run(const runtime::Candidate& from, const OnSolution& on_solution);
  const SolveStatus& status() const { return status_; }

 private:
  /// False: it ends.
  bool Visit(const runtime::Candidate& node, std::size_t depth, const OnSolution& on_solution);
  bool IsStopped();
  /// The candidate at a depth; they are allocated once.
  runtime::Candidate& At(std::size_t depth, const runtime::Candidate& like);

  SolveOptions options_;
  std::vector<int> choices_;
  std::vector<runtime::DecisionId> open_;
  std::vector<std::unique_ptr<runtime::Candidate>> levels_;
  SolveStatus status_;
  SolveResult result_ = SolveResult::kAll;
};

}  // namespace exh::search

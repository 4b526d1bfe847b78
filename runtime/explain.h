// SPDX-License-Identifier: MIT
//
// Why a dead end is one: the decisions that cannot hold together, and the chain of deductions from
// them to the domain that lost its last value. The propagation loop records nothing; what is asked
// here is deduced again, one ground constraint at a time.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/action.h"
#include "runtime/instance.h"

namespace exh::runtime {

/// One deduction: `subject` went from `before` to `after`, because of facts deduced before it.
struct ExplanationStep {
  std::string subject;               ///< "order(a,b)", "num_threads 0", "Blocks has tmp".
  std::string before, after;         ///< "BEFORE|INNER", "[1, 64]"; `after` of the last is empty.
  bool is_decision = false;          ///< One of Explanation::decisions, not deduced.
  std::vector<std::string> because;  ///< "order(d2,d3)=INNER".
  std::vector<std::string> by;       ///< "requirement order_transitive (order.exh:40)", ….
};

struct Explanation {
  /// Those of the given decisions that cannot hold together; none of them can be left out.
  std::vector<Action> decisions;
  /// Only what the dead end depends on, in the order of deduction; the last step is the dead end.
  std::vector<ExplanationStep> steps;
  /// Decisions that the last step reads or restricts, and what is left of their domains.
  std::vector<std::pair<DecisionId, Bits>> involved;
  /// The objects of those decisions, each once.
  std::vector<std::string> objects;
};

/// Nothing when the decisions together are no dead end. The root must be a fixpoint.
std::optional<Explanation> ExplainDeadEnd(const std::shared_ptr<const Instance>& instance,
                                          std::span<const Action> decisions);

/// The explanation in words, one deduction a line.
std::string ExplanationText(const Instance& instance, const Explanation& explanation);

}  // namespace exh::runtime

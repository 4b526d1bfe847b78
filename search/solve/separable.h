// SPDX-License-Identifier: MIT
//
// A bound on objectives that are sums over decisions, as the worth of what is packed. A node's
// interval takes each decision's best value, whatever they cost together. Here the constraints that
// are sums as well, such as a capacity, are taken into the objective: what they use is paid for, at
// a price that is the same for all decisions (Lagrangian relaxation; M. Fisher, "The Lagrangian
// Relaxation Method for Solving Integer Programming Problems", 1981). What is left falls apart into
// decisions, each of which takes its best value by itself:
//
//   most of all  <=  sum over decisions of max over values (gain - price * use)  +  price * limit
//
// for any price from 0 on. Prices are found by going where the bound falls. What a value would lose
// against its decision's best one is known as well: where the bound less that is no better than the
// best solution so far, the value goes. Example: two places for a capacity of 3; A is worth 10 and
// weighs 3, B is worth 6 and weighs 2, C 3 and 2. Intervals say 19. At a price of 3 a unit, A is
// left with 1, B with 0 and C with -3: the bound is 9 + 1 = 10. Once A is found, nothing is better.
//
// Invariants: a bound holds whatever the prices are; all of it is whole numbers, multiples of
// 1 / scale, so nothing is rounded. Nothing is allocated after the beginning.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/candidate.h"
#include "runtime/objective/grounded_term.h"

namespace exh::search {

class SeparableBound {
 public:
  /// Nothing where the objective is no sum over decisions of up to 64 values, or where there are
  /// thousands of decisions. More is better when
  /// `maximize`; numbers below are negated otherwise, so that more is better. `instance` outlives
  /// it; its root is a fixpoint.
  static std::optional<SeparableBound> Of(const runtime::Instance& instance,
                                          const runtime::GroundedTerm& objective, bool maximize);

  /// Looks for prices that are good at the root of a search. The others begin with these.
  void Begin(const runtime::Candidate& root);
  /// Nothing below the node has more than this.
  std::int64_t Most(const runtime::Candidate& node);
  /// What cannot have at least `wanted` is appended as restrictions; false: nothing can.
  bool Narrow(const runtime::Candidate& node, std::int64_t wanted,
              std::vector<runtime::Action>* actions);

  /// Of `open`, after Most() or Narrow() of the node: the one whose two best values differ least.
  /// kNoDecision: none of them counts.
  runtime::DecisionId Closest(const runtime::Candidate& node,
                              const std::vector<runtime::DecisionId>& open) const;
  /// The best of what the decision may take, of those that count; -1: it does not count.
  int BestValue(const runtime::Candidate& node, runtime::DecisionId decision) const;

 private:
  friend class SeparableReader;

  struct Column {
    runtime::DecisionId decision = runtime::kNoDecision;
    std::size_t begin = 0;  ///< Of its values in gains_, scores_ and the uses.
    int num_values = 0;
  };
  /// Used is at most `limit`; of a counter, at most what it shows at a node.
  struct Row {
    std::vector<std::int64_t> uses;
    std::int64_t fixed = 0, limit = 0, most_used = 0;
    int counter = -1;
    bool is_negated = false;  ///< The counter is at least something.
    std::int64_t price = 0;
    std::int64_t used = 0, room = 0;  ///< Of the last evaluation.
  };

  explicit SeparableBound(const runtime::Instance& instance) : instance_(instance) {}

  std::int64_t RoomOf(const runtime::Candidate& node, const Row& row) const;
  /// The bound at the present prices, times the scale.
  std::int64_t Evaluate(const runtime::Candidate& node);
  /// Looks for prices at which it is lower, up to so often for each.
  std::int64_t Improve(const runtime::Candidate& node, int tries, std::int64_t enough);
  std::int64_t Difference(const runtime::Candidate& node, const Column& column) const;

  const runtime::Instance& instance_;
  std::vector<Column> columns_;
  std::vector<int> column_of_;  ///< By decision; -1: none.
  std::vector<std::int64_t> gains_, scores_, best_;
  std::vector<Row> rows_;
  std::int64_t fixed_ = 0;
  std::int64_t scale_ = 1;
};

}  // namespace exh::search

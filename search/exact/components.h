// SPDX-License-Identifier: MIT
//
// Components: what is still open of a candidate, divided into parts that have nothing to do with
// each other, so that the implementations of the whole are the product of theirs.
//
// It looks at the ground form (runtime/ground.h): tables, clauses, counters and gates are the edges
// between variables that have more than one value left. An edge that nothing can violate any more
// joins nothing. Two parts that share no edge are independent: what one of them takes cannot
// exclude, nor propagate to, anything of the other. Where it would take long to see whether an edge
// can still be violated it joins, which costs time and no exactness.
//
// Each part has a *key*: the domains of its variables, and what its edges say of them given
// everything that is constrained. Parts with equal keys have the same number of solutions, wherever
// in the search they turn up. The key of an edge leaves out what does not matter any more:
//
//   table    what its combinations are within the domains (table_residuals.h)
//   clause   only that it is not satisfied: literals that are false are out of it
//   counter  how far what is settled leaves it from its bounds, where they can still be missed at
//            all, and which increments are open; what is settled of it, where somebody else reads
//            it
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/candidate.h"
#include "runtime/ground.h"
#include "search/exact/table_residuals.h"

namespace exh::search {

struct Component {
  /// Those of the ground form with more than one value left, ascending; no words.
  std::vector<std::uint32_t> variables;
  std::vector<std::uint32_t> constraints;  ///< That can still be violated, ascending.
  /// What to decide next: live, and no function of others. kNoDecision: all variables are free.
  runtime::DecisionId decision = runtime::kNoDecision;
  std::string key;  ///< Empty when all variables are free.
};

/// Not for several threads at once: it has scratch space.
class ComponentFinder {
 public:
  /// The root of the instance must be a fixpoint.
  explicit ComponentFinder(std::shared_ptr<const runtime::Instance> instance);

  /// The parts of all that is open, the smallest first. The candidate is at a fixpoint. Nothing
  /// when some edge can only be violated: bounds of half counters are not all propagated.
  std::optional<std::vector<Component>> Split(const runtime::Candidate& candidate) {
    return Split(candidate, all_);
  }
  /// The parts of what is still open of a component, after decisions of it alone.
  std::optional<std::vector<Component>> Split(const runtime::Candidate& candidate,
                                              const Component& parent);

 private:
  using Truth = runtime::Truth;
  /// What the increments of a counter say, by itself.
  struct Sum {
    runtime::Interval all;      ///< Of its value.
    std::uint64_t settled = 0;  ///< What the base and the increments that are certain make.
    runtime::Interval rest;     ///< What the others add, or multiply by.
    bool open = false;          ///< There are others.
  };

  // ---- Domains of the candidate that is being split. A long decision is one node of the graph;
  // its domain is that of its words.
  runtime::Bits Domain(std::uint32_t variable) const {
    return candidate_->state().domain(candidate_->instance().layout(),
                                      form_.variables[variable].slot);
  }
  bool IsLong(std::uint32_t variable) const { return form_.variables[variable].num_words > 0; }
  bool IsConstrained(std::uint32_t variable) const {
    if (IsLong(variable)) return candidate_->IsConstrained(variable);
    const runtime::Bits values = Domain(variable);
    return (values & (values - 1)) == 0;
  }
  int CountValues(std::uint32_t variable) const {
    return IsLong(variable) ? candidate_->CountValues(variable) : std::popcount(Domain(variable));
  }
  /// A word's decision; what is no word is its own.
  std::uint32_t OwnerOf(std::uint32_t variable) const {
    const runtime::GroundVariable& ground = form_.variables[variable];
    return ground.decision == runtime::kNoDecision ? variable : ground.decision;
  }
  bool IsOpen(std::uint32_t gate) const {
    return candidate_->state().gate(candidate_->instance().layout(), gate);
  }
  /// It will never open.
  bool IsShut(std::uint32_t gate) const;
  runtime::Interval CounterOf(std::uint32_t counter);

  // ---- Literals and counters.
  Truth Status(const runtime::GroundLiteral& literal);
  Truth Status(const runtime::GroundIncrement& increment);
  runtime::Interval Weight(const runtime::GroundIncrement& increment);
  const Sum& SumOf(std::uint32_t counter);
  /// Its value may still leave the bounds that were imposed on it.
  bool IsBound(std::uint32_t counter);
  bool IsOpenIncrement(const runtime::GroundIncrement& increment);

  // ---- Edges.
  std::uint32_t first_clause() const { return static_cast<std::uint32_t>(form_.tables.size()); }
  std::uint32_t first_counter() const {
    return first_clause() + static_cast<std::uint32_t>(form_.clauses.size());
  }
  std::uint32_t CounterNode(std::uint32_t counter) const {
    return static_cast<std::uint32_t>(form_.variables.size()) + counter;
  }
  std::uint32_t Root(std::uint32_t node);
  /// Joins a node to the edge that is being looked at.
  void Join(std::uint32_t node);
  void JoinOpenOf(std::uint32_t gate);
  void JoinVariable(std::uint32_t variable) {
    const std::uint32_t owner = OwnerOf(variable);
    if (!IsConstrained(owner)) Join(owner);
  }
  void JoinLiteral(const runtime::GroundLiteral& literal);
  void JoinTerm(std::uint32_t test);
  void JoinCounter(std::uint32_t counter);
  void LookAtTable(std::uint32_t table);
  void LookAtClause(std::uint32_t clause);
  void LookAtCounter(std::uint32_t counter);
  void LookAtLife(std::uint32_t variable);
  void BeginEdge(std::uint32_t constraint);
  void EndEdge();

  // ---- Keys.
  /// `root`: of the component.
  void AppendKey(std::uint32_t constraint, std::uint32_t root, std::string& key);
  void AppendTableKey(std::uint32_t table, std::uint32_t root, std::string& key);
  void AppendDomain(std::uint32_t variable, std::string& key) const;
  void AppendLiteralKey(const runtime::GroundLiteral& literal, std::string& key);
  void AppendTermKey(std::uint32_t test, std::string& key);
  void AppendCounterKey(std::uint32_t counter, std::string& key);
  TableResidual ResidualOf(const runtime::GroundTable& table);

  std::shared_ptr<const runtime::Instance> instance_;
  const runtime::GroundForm form_;
  const runtime::GroundView view_;
  TableResiduals residuals_;
  Component all_;

  // ---- Scratch of one Split(). What has another stamp is not set yet.
  const runtime::Candidate* candidate_ = nullptr;
  std::uint32_t now_ = 0;
  std::vector<std::uint32_t> parent_, node_stamp_, degree_;
  std::vector<Sum> sums_;
  std::vector<std::uint32_t> sum_stamp_, observed_stamp_, read_stamp_;
  std::vector<std::uint32_t> observed_;  ///< Counters that somebody looks at, to be looked at.
  std::uint32_t edge_ = 0, edge_node_ = 0;
  bool edge_joins_ = false;
  bool is_violated_ = false;  ///< Some edge is, whatever is taken.
  /// Edges that join, with a node each.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
};

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// A term of decisions without arguments, on what candidates leave of them: the objective of a space
// and the lower bound of its times.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "runtime/action.h"
#include "runtime/candidate.h"
#include "runtime/ground.h"
#include "runtime/instance.h"
#include "runtime/space.h"

namespace exh::runtime {

/// Least and largest value; the limits of the type stand for "less than any" and "more than any".
struct TermInterval {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();

  bool IsOne() const { return min == max; }
  friend bool operator==(const TermInterval&, const TermInterval&) = default;
};

/// What a node of a term is once its variables are bound: code is a number then.
GroundTermNode::Op GroundOpOf(TermNode::Kind kind);

class GroundedTerm {
 public:
  /// `term` has numbers and choices without arguments; `text` is what messages call it. `instance`,
  /// whose root is a fixpoint, outlives it. Throws exh::Error when the term is too long, when it
  /// may exceed 2^61, or divide by 0, in what the root leaves.
  GroundedTerm(const Instance& instance, const Term& term, const std::string& text);

  /// All that it may be for the implementations below the candidate, and perhaps more. Of an
  /// implementation it is one number. A fraction is rounded outwards.
  TermInterval Over(const Candidate& candidate) const;
  /// The least that it may be, as a real number: fractions are not rounded to whole ones.
  double LeastOver(const Candidate& candidate) const;

  /// What of its decisions keeps the term within [min, max], as restrictions that are appended:
  /// interval arithmetic backwards through the term (internal/network/term_filter.h). What they
  /// leave may still be outside; counters stay as they are. False: nothing is within. Allocates
  /// nothing once the list is as long as it gets.
  bool Narrow(const Candidate& candidate, TermInterval within, std::vector<Action>* actions) const;

  /// The decision that the term is, if it is one and nothing else; otherwise kNoDecision.
  DecisionId decision() const { return decision_; }
  /// One test without a right side. The slot of a leaf is that of its decision; its universe, and
  /// those below, are this term's own.
  const TermTables& tables() const { return tables_; }
  const std::vector<std::vector<std::uint32_t>>& universes() const { return universes_; }

 private:
  void Add(const TermNode& node, std::vector<std::uint32_t>* operands);
  void Read(const ChoiceUse& use, GroundTermNode* node);
  void CheckRoot(const std::string& text) const;
  template <typename N>
  bool NarrowAs(const Candidate& candidate, N min, N max, std::vector<Action>* actions) const;

  const Instance& instance_;
  TermTables tables_;  // Of one test, which has no right side.
  std::vector<std::vector<std::uint32_t>> universes_;
  std::vector<DecisionId> decisions_;  // Of each universe.
  DecisionId decision_ = kNoDecision;
};

}  // namespace exh::runtime

// SPDX-License-Identifier: MIT
//
// What the typed views of generated code have in common.
#pragma once

#include <optional>
#include <span>

#include "base/check.h"
#include "runtime/candidate.h"
#include "runtime/int_domain.h"

namespace exh::runtime {

/// Reads a candidate by choice numbers and objects. The candidate outlives the view.
class CandidateView {
 public:
  explicit CandidateView(const Candidate& candidate) : candidate_(&candidate) {}
  const Candidate& candidate() const { return *candidate_; }

 protected:
  using Objects = std::span<const Object>;

  std::optional<DecisionRef> Find(int choice, Objects objects) const {
    return candidate_->instance().FindDecision(choice, objects);
  }
  /// The decision of a tuple that must have one: distinct objects, members of their sets.
  DecisionRef Get(int choice, Objects objects) const {
    const std::optional<DecisionRef> found = Find(choice, objects);
    EXH_CHECK(found.has_value());
    return *found;
  }
  /// The domain for the objects in the order in which they are given.
  Bits Values(int choice, Objects objects) const {
    const DecisionRef decision = Get(choice, objects);
    const Bits values = candidate_->domain(decision.id);
    return decision.swapped ? candidate_->instance().Invert(choice, values) : values;
  }
  IntDomain Numbers(int choice, Objects objects) const {
    const DecisionRef decision = Get(choice, objects);
    return IntDomainOf(*candidate_, decision);
  }
  Interval Count(int choice, Objects objects) const { return candidate_->counter(choice, objects); }
  Membership Member(int set, Object parameter, Object object) const {
    return candidate_->membership(set, parameter, object);
  }
  Action MakeAction(int choice, Objects objects, Bits values) const {
    const DecisionRef decision = Get(choice, objects);
    return {decision.id, decision.swapped ? candidate_->instance().Invert(choice, values) : values};
  }

 private:
  const Candidate* candidate_;
};

}  // namespace exh::runtime

// SPDX-License-Identifier: MIT
//
// What search and code generation see of the engine. Names and meaning stay, members may be
// added.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "runtime/action.h"
#include "runtime/host.h"
#include "runtime/instance.h"
#include "runtime/int_domain.h"
#include "runtime/interval.h"
#include "runtime/propagation.h"
#include "runtime/space.h"
#include "runtime/state.h"

namespace exh::runtime {

/// A partially specified implementation: a shared frozen Instance and a flat State of its own.
/// Copying copies the State (one block of bytes) and nothing else; copies are independent.
class Candidate {
 public:
  /// The root: nothing decided, everything that follows from the backbone alone propagated. When
  /// instance->root_result() is a dead end the candidate is spent from the start.
  explicit Candidate(std::shared_ptr<const Instance> instance)
      : instance_(std::move(instance)),
        state_(instance_->root()),
        conflict_(instance_->root_conflict()) {}

  Candidate(const Candidate&) = default;
  Candidate(Candidate&&) = default;
  Candidate& operator=(Candidate&&) = default;
  /// Between candidates of one instance its reference count, which threads share, is left alone.
  Candidate& operator=(const Candidate& other) {
    if (instance_ != other.instance_) instance_ = other.instance_;
    state_ = other.state_;
    conflict_ = other.conflict_;
    return *this;
  }

  const Instance& instance() const { return *instance_; }
  const std::shared_ptr<const Instance>& shared_instance() const { return instance_; }
  const State& state() const { return state_; }

  /// Values that the decision may still take. While it is not live: all of them but those that a
  /// requirement on this decision alone excludes. Not for a long decision: it has words.
  Bits domain(DecisionId decision) const {
    EXH_DCHECK(!instance_->IsLong(decision));
    return state_.domain(instance_->layout(), instance_->slot(decision));
  }
  /// Word 0 … instance().num_words(decision) - 1 of the domain of any decision.
  Bits word(DecisionId decision, int word) const {
    return state_.domain(instance_->layout(), instance_->slot(decision) + static_cast<Slot>(word));
  }
  /// How many values it may still take.
  int CountValues(DecisionId decision) const;
  /// It may take this value.
  bool MayTake(DecisionId decision, int value) const {
    return (word(decision, value / 64) >> value % 64 & 1) != 0;
  }
  /// The smallest value that it may take; of a constrained decision, its value.
  int FirstValue(DecisionId decision) const;
  /// Calls visit(value) for each value that it may take, in ascending order.
  template <typename Visit>
  void ForEachValue(DecisionId decision, const Visit& visit) const {
    const int words = instance_->num_words(decision);
    for (int w = 0; w < words; ++w) {
      for (Bits rest = word(decision, w); rest != 0; rest &= rest - 1) {
        visit(64 * w + std::countr_zero(rest));
      }
    }
  }
  /// All objects of the decision are certainly members of the sets it ranges over.
  bool IsLive(DecisionId decision) const {
    return state_.gate(instance_->layout(), instance_->live_gate(decision));
  }
  /// The domain has one value.
  bool IsConstrained(DecisionId decision) const {
    if (instance_->IsLong(decision)) return CountValues(decision) == 1;
    return std::has_single_bit(domain(decision));
  }
  /// Live and not constrained: something to decide.
  bool IsOpen(DecisionId decision) const {
    if (instance_->IsLong(decision)) return CountValues(decision) > 1 && IsLive(decision);
    const Bits values = domain(decision);
    return (values & (values - 1)) != 0 && IsLive(decision);
  }
  /// The first open decision of a choice, in the order of their numbers; kNoDecision: none is open.
  DecisionId FirstOpen(int choice) const;
  /// Appends the open decisions of a choice (one linear scan of its range).
  void ListOpen(int choice, std::vector<DecisionId>* open) const;
  /// Fully constrained: no open decision, every membership certain or excluded, every counter fixed
  /// by them. Needs a fixpoint.
  bool IsImplementation() const;
  /// Certain member, certainly none, or undecided, of a set for planned objects and quotients.
  Membership membership(int set, Object parameter, Object object) const;
  /// [min, max] of a counter for these objects; all of them (0 to kSaturated) when there is none.
  Interval counter(int choice, std::span<const Object> objects) const;

  /// Intersects the domain and propagates to the fixpoint. After kDeadEnd the candidate is spent:
  /// take a copy before a step that may fail.
  [[nodiscard]] Propagation Restrict(DecisionId decision, Bits allowed);
  /// The same for several decisions at once.
  [[nodiscard]] Propagation Restrict(std::span<const Action> actions);
  [[nodiscard]] Propagation Restrict(const Action& action) { return Restrict({&action, 1}); }
  /// Says who is there and who is not, and propagates: what would bring an object to life, or keep
  /// it away, is ruled out with it. Everything else as above.
  [[nodiscard]] Propagation Restrict(std::span<const MembershipAction> actions);
  /// The decision takes this value, or does not: of any decision, long or not.
  [[nodiscard]] Propagation Take(DecisionId decision, int value) {
    return Restrict(Action::Take(decision, value));
  }
  [[nodiscard]] Propagation Leave(DecisionId decision, int value) {
    return Restrict(Action::Leave(decision, value));
  }
  /// Why the last Restrict met a dead end: the requirement (or counter, trigger) that emptied a
  /// domain. Index in Space::requirements, or -1.
  const Conflict& conflict() const { return conflict_; }

 private:
  std::shared_ptr<const Instance> instance_;
  State state_;
  Conflict conflict_;
};

/// What an integer decision may still be.
inline IntDomain IntDomainOf(const Candidate& candidate, DecisionRef decision) {
  const Instance& instance = candidate.instance();
  if (!instance.IsLong(decision.id)) {
    return {instance.universe(decision.id), candidate.domain(decision.id)};
  }
  std::vector<Bits> words;
  for (int w = 0; w < instance.num_words(decision.id); ++w) {
    words.push_back(candidate.word(decision.id, w));
  }
  return {instance.universe(decision.id), std::span<const Bits>(words)};
}

}  // namespace exh::runtime

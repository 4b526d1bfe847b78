// SPDX-License-Identifier: MIT
#include "runtime/candidate.h"

#include "runtime/internal/network/network.h"
#include "runtime/internal/network/objects.h"
#include "runtime/internal/rows/propagator.h"
#include "runtime/internal/rows/row_kernels.h"

namespace exh::runtime {

int Candidate::CountValues(DecisionId decision) const {
  int count = 0;
  for (int w = 0; w < instance_->num_words(decision); ++w) {
    count += std::popcount(word(decision, w));
  }
  return count;
}

int Candidate::FirstValue(DecisionId decision) const {
  int w = 0;
  while (word(decision, w) == 0) ++w;
  return 64 * w + std::countr_zero(word(decision, w));
}

DecisionId Candidate::FirstOpen(int choice) const {
  const DecisionId end = instance_->end_decision(choice);
  const Instance::Blocks blocks = instance_->blocks(choice);
  if (blocks.begin == blocks.end) {
    for (DecisionId decision = instance_->first_decision(choice); decision < end; ++decision) {
      if (IsOpen(decision)) return decision;
    }
    return kNoDecision;
  }
  const internal::RowKernels& rows = internal::ActiveRowKernels();
  for (std::uint32_t block = blocks.begin; block < blocks.end; ++block) {
    const std::uint64_t live = state_.live(instance_->layout(), block);
    if (live == 0) continue;
    const std::uint64_t open = live & rows.open(state_.bytes() + block * kLanes);
    if (open == 0) continue;
    return instance_->decision_at(block * kLanes +
                                  static_cast<std::uint32_t>(std::countr_zero(open)));
  }
  return kNoDecision;
}

void Candidate::ListOpen(int choice, std::vector<DecisionId>* open) const {
  const DecisionId end = instance_->end_decision(choice);
  for (DecisionId decision = instance_->first_decision(choice); decision < end; ++decision) {
    if (IsOpen(decision)) open->push_back(decision);
  }
}

bool Candidate::IsImplementation() const {
  for (DecisionId decision = 0; decision < instance_->num_decisions(); ++decision) {
    if (IsOpen(decision)) return false;
  }
  for (std::size_t set = 0; set < instance_->space().sets.size(); ++set) {
    if (!instance_->object_tables().sets[set].conditional) continue;
    for (const Host::Member& member : instance_->members(static_cast<int>(set))) {
      if (membership(static_cast<int>(set), member.parameter, member.object) ==
          Membership::kUndecided) {
        return false;
      }
    }
  }
  // The counters of present objects follow: at a fixpoint one is an interval only while something
  // that it reads is open.
  return true;
}

Membership Candidate::membership(int set, Object parameter, Object object) const {
  const Space& space = instance_->space();
  Membership result = Membership::kCertain;
  for (; set >= 0; set = space.sets[set].superset) {
    const internal::SetTable& table = instance_->object_tables().sets[set];
    const bool parametric = space.sets[set].parameter_set >= 0;
    const int slot = table.at(parametric ? parameter : kNoObject, object);
    if (slot == internal::kNotMember) return Membership::kExcluded;
    if (slot == internal::kPermanent) continue;
    const Bits values = state_.domain(instance_->layout(), static_cast<Slot>(slot));
    if (values == internal::kFalseBit) return Membership::kExcluded;
    if (values != internal::kTrueBit) result = Membership::kUndecided;
  }
  return result;
}

Interval Candidate::counter(int choice, std::span<const Object> objects) const {
  const int counter = instance_->FindCounter(choice, objects);
  if (counter < 0) return {};
  return state_.counter(instance_->layout(), static_cast<std::uint32_t>(counter));
}

Propagation Candidate::Restrict(DecisionId decision, Bits allowed) {
  EXH_CHECK(!instance_->IsLong(decision));
  const Action action{decision, allowed};
  return Restrict(std::span(&action, 1));
}

Propagation Candidate::Restrict(std::span<const Action> actions) {
  conflict_ = {};
  internal::Propagator propagator(*instance_, &state_, &conflict_);
  for (const Action& action : actions) {
    if (propagator.Restrict(action) == Propagation::kDeadEnd) {
      return Propagation::kDeadEnd;
    }
  }
  return propagator.Propagate();
}

Propagation Candidate::Restrict(std::span<const MembershipAction> actions) {
  conflict_ = {};
  internal::Propagator propagator(*instance_, &state_, &conflict_);
  for (const MembershipAction& action : actions) {
    const Set& set = instance_->space().sets[static_cast<std::size_t>(action.set)];
    EXH_CHECK(set.superset < 0 && set.parameter_set < 0);
    const internal::SetTable& table =
        instance_->object_tables().sets[static_cast<std::size_t>(action.set)];
    const int slot = table.at(kNoObject, action.object);
    const bool is_settled = slot == internal::kNotMember || slot == internal::kPermanent;
    if (is_settled) {
      if (action.is_member == (slot == internal::kPermanent)) continue;
      return Propagation::kDeadEnd;
    }
    const Bits wanted = action.is_member ? internal::kTrueBit : internal::kFalseBit;
    if (propagator.Restrict(static_cast<Slot>(slot), wanted) == Propagation::kDeadEnd) {
      return Propagation::kDeadEnd;
    }
  }
  return propagator.Propagate();
}

}  // namespace exh::runtime

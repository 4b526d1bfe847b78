// SPDX-License-Identifier: MIT
//
// Propagator: the one fixpoint loop. It reads an Instance and restricts a State; its queues are
// scratch of the thread and no part of either.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/instance.h"
#include "runtime/internal/literal.h"
#include "runtime/internal/network.h"
#include "runtime/propagation.h"
#include "runtime/state.h"

namespace exh::runtime::internal {

/// FIFO of numbers, each at most once. Never allocates once it has seen the largest instance.
class WorkQueue {
 public:
  void Reserve(std::size_t size) {
    if (queued_.size() >= size) return;
    queued_.assign(size, 0);
    ring_.assign(size + 1, 0);
    head_ = tail_ = 0;
  }
  bool IsEmpty() const { return head_ == tail_; }
  void Push(std::uint32_t item) {
    if (queued_[item] != 0) return;
    queued_[item] = 1;
    ring_[tail_] = item;
    if (++tail_ == ring_.size()) tail_ = 0;
  }
  std::uint32_t Pop() {
    const std::uint32_t item = ring_[head_];
    if (++head_ == ring_.size()) head_ = 0;
    queued_[item] = 0;
    return item;
  }
  void Clear() {
    while (!IsEmpty()) Pop();
  }

 private:
  std::vector<std::uint8_t> queued_;
  std::vector<std::uint32_t> ring_;
  std::size_t head_ = 0, tail_ = 0;
};

/// One increment of a counter as the domains show it now.
struct Contribution {
  Truth counts;
  std::uint64_t min, max;  ///< Of the value that it adds or multiplies by when it counts.
};

/// Scratch of a thread.
struct Workspace {
  WorkQueue slots, constraints, counters;
  std::vector<Contribution> contributions;
  std::vector<std::uint64_t> min_before, min_after, max_before, max_after;  // Partial products.
  std::vector<std::uint64_t> reached_before, reached_after;  // Sets, one after the other …
  std::vector<std::uint32_t> before_begin, after_begin;      // … and where they start.
};

class Propagator {
 public:
  Propagator(const Instance& instance, State* state, Conflict* conflict);
  ~Propagator() { Clear(); }
  Propagator(const Propagator&) = delete;
  Propagator& operator=(const Propagator&) = delete;

  /// Intersects a domain without propagating.
  Propagation Restrict(Slot slot, Bits allowed) {
    return Keep(slot, allowed, {}) ? Propagation::kFixpoint : Propagation::kDeadEnd;
  }
  /// To the fixpoint, from what was restricted.
  Propagation Propagate();
  /// To the fixpoint, from nothing known: every constraint runs.
  Propagation PropagateAll();

  Bits domain(Slot slot) const { return state_.domain(layout_, slot); }
  Interval counter(std::uint32_t number) const { return state_.counter(layout_, number); }

 private:
  // Each of these returns false on a dead end.
  bool Keep(Slot slot, Bits allowed, Origin origin);
  bool KeepCounter(std::uint32_t counter, Interval allowed, Origin origin);
  bool RunSlot(Slot slot);
  bool RunPairs(Slot slot);
  bool RunTriples(Slot slot);
  bool RunConstraint(std::uint32_t id);
  bool RunWideTable(const Constraint& constraint);
  bool RunClause(const Constraint& constraint);
  bool MakeTrue(const Literal& literal, Origin origin);
  bool MakeFalse(const Literal& literal, Origin origin);
  bool KeepPairs(const PairRelation& pairs, const Literal& literal, Origin origin);
  bool KeepCompared(CompareOp op, std::uint32_t a, std::uint32_t b, Origin origin);
  bool KeepDifferent(std::uint32_t counter, std::uint64_t value, Origin origin);

  bool RunCounter(std::uint32_t id);
  Truth Counts(const Increment& increment) const;
  void ReadContributions(const Counter& counter);
  bool SetInterval(std::uint32_t id, Interval computed, Origin origin, Interval* effective);
  bool RunSum(std::uint32_t id);
  bool RunProduct(std::uint32_t id);
  bool ReachProduct(const Counter& counter, std::uint64_t product, Origin origin);
  bool Exclude(const Increment& increment, Origin origin);
  bool Include(const Increment& increment, Origin origin);
  bool KeepWeight(const Increment& increment, Interval allowed, Origin origin);

  void OpenGates(Slot slot);
  void WakeCounter(std::uint32_t counter);
  bool Fail(Origin origin);
  bool FailTable(const Constraint& constraint, Slot target);
  void Clear();

  const Network& network_;
  const StateLayout& layout_;
  State& state_;
  Conflict& conflict_;
  Workspace& work_;
};

}  // namespace exh::runtime::internal

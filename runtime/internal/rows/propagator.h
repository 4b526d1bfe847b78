// SPDX-License-Identifier: MIT
//
// Propagator: the one fixpoint loop. It reads an Instance and restricts a State; its queues are
// scratch of the thread and no part of either.
//
// Three queues hold what is to be looked at: slots whose domain changed, records (network.h) and
// counters. Invariant: whatever constraint could restrict a domain reads a slot or counter that is
// queued, or is queued itself; with all three empty the state is a fixpoint. A slot is queued with
// the domain that its constraints saw last (Workspace::seen), so that a change which none of them
// can tell from what they saw wakes nothing. After a dead end the state is of no more use, and the
// queues are emptied.
//
// The work is divided among files: propagator.cc has the queues and what runs one record at a time,
// row_loop.h the loop and its lists by slot, row_runs.h and row_counts.h what runs 64 lanes at a
// time, propagate_counters.cc sums and products, propagate_gates.cc objects that appear.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/instance.h"
#include "runtime/internal/network/freeze_ticker.h"
#include "runtime/internal/network/literal.h"
#include "runtime/internal/network/network.h"
#include "runtime/internal/rows/openings.h"
#include "runtime/internal/rows/row_kernels.h"
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
  std::size_t num_bytes() const { return queued_.size() + ring_.size() * sizeof(std::uint32_t); }

 private:
  std::vector<std::uint8_t> queued_;
  std::vector<std::uint32_t> ring_;
  std::size_t head_ = 0, tail_ = 0;
};

/// Set of numbers in a range, taken smallest first. Never allocates once it has seen the largest
/// instance.
class DirtySet {
 public:
  void Reserve(std::size_t size) {
    const std::size_t words = size / 64 + 1;
    if (words_.size() >= words) return;
    words_.assign(words, 0);
    summary_.assign(words / 64 + 1, 0);
  }
  /// False when it was there already.
  bool Insert(std::uint32_t item) {
    std::uint64_t& word = words_[item / 64];
    const std::uint64_t bit = std::uint64_t{1} << item % 64;
    if ((word & bit) != 0) return false;
    word |= bit;
    const std::uint32_t group = item / 4096;
    summary_[group] |= std::uint64_t{1} << item / 64 % 64;
    if (group < first_) first_ = group;
    return true;
  }
  const std::uint64_t* words() const { return words_.data(); }
  bool Contains(std::uint32_t item) const { return (words_[item / 64] >> item % 64 & 1) != 0; }
  bool IsEmpty() {
    for (; first_ < summary_.size(); ++first_) {
      if (summary_[first_] != 0) return false;
    }
    return true;
  }
  /// Not empty: IsEmpty() has just said so.
  std::uint32_t Pop() {
    const auto index = first_ * 64 + static_cast<std::uint32_t>(std::countr_zero(summary_[first_]));
    std::uint64_t& word = words_[index];
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(word));
    word &= word - 1;
    if (word == 0) summary_[first_] &= summary_[first_] - 1;
    return index * 64 + bit;
  }
  void Clear() {
    while (!IsEmpty()) Pop();
  }
  std::size_t num_bytes() const {
    return (words_.size() + summary_.size()) * sizeof(std::uint64_t);
  }

 private:
  std::vector<std::uint64_t> words_, summary_;
  std::uint32_t first_ = 0;
};

/// One increment of a counter that counts, or may, as the domains show it now.
struct Contribution {
  const Increment* increment;
  Truth counts;
  std::uint64_t min, max;  ///< Of the value that it adds or multiplies by when it counts.
  /// A term that may be negative or divide by 0: nothing follows. A freeze refuses it unless the
  /// propagation of the root rules that out.
  bool unknown = false;
};

/// Scratch of a thread.
struct Workspace {
  DirtySet slots;
  /// By cell: the domain that its constraints have seen, 0xFF when some of them have seen nothing.
  /// (The full domain of eight values is the same byte: see RowLoop::RunSlot.) Means something only
  /// while the slot is in `slots`.
  std::vector<std::uint8_t> seen;
  WorkQueue constraints, counters;

  // Of OpenGates() alone.
  std::vector<std::uint32_t> opened;  ///< Gates that the membership has opened.
  /// *Fresh*: cells of decisions that these gates have brought to life. 0 between two calls.
  std::vector<std::uint64_t> fresh;

  std::uint64_t events = 0;  ///< Changed domains that were looked at, ever.

  // Of the counter that is being computed again.
  std::vector<Contribution> contributions;
  std::vector<std::uint64_t> min_before, min_after, max_before, max_after;  // Partial products.
  std::vector<std::uint64_t> reached_before, reached_after;  // Sets, one after the other …
  std::vector<std::uint32_t> before_begin, after_begin;      // … and where they start.

  /// Room for a counter of that many increments.
  void ReserveIncrements(std::size_t size) {
    if (contributions.capacity() >= size) return;
    contributions.reserve(size);
    for (auto* products : {&min_before, &min_after, &max_before, &max_after}) {
      products->reserve(size + 1);
    }
    for (auto* reached : {&reached_before, &reached_after}) {
      reached->reserve(kMostReachedSets * kMaxReached);
    }
    for (auto* begin : {&before_begin, &after_begin}) begin->reserve(size + 2);
  }
  /// Sets of reachable products larger than this are given up: bounds alone act then.
  static constexpr std::size_t kMaxReached = 512, kMostReachedSets = 8;
};

/// Changed domains that propagation of this thread has looked at: work, for benchmarks.
std::uint64_t EventsOfThread();
/// Bytes of the scratch of this thread that grow with the instance.
std::size_t ScratchBytesOfThread();

/// What depends on no kernel; the loop itself is RowLoop (row_loop.h).
class Propagator {
 public:
  /// An opening is worked out in the midst of a descent's propagation: it has scratch of its own,
  /// and uses no other one.
  enum class Purpose : std::uint8_t { kDescent, kOpening };

  Propagator(const Instance& instance, State* state, Conflict* conflict,
             Purpose purpose = Purpose::kDescent);
  ~Propagator() { Clear(); }
  Propagator(const Propagator&) = delete;
  Propagator& operator=(const Propagator&) = delete;

  /// Intersects a domain without propagating.
  Propagation Restrict(Slot slot, Bits allowed) {
    return Keep(slot, allowed, {}) ? Propagation::kFixpoint : Propagation::kDeadEnd;
  }
  /// The same of any decision, long or not.
  Propagation Restrict(const Action& action);
  /// To the fixpoint, from what was restricted.
  Propagation Propagate();
  /// To the fixpoint, from nothing known: every constraint runs.
  Propagation PropagateAll(FreezeTicker* ticker = nullptr);

  Bits domain(Slot slot) const { return state_.domain(layout_, slot); }
  Interval counter(std::uint32_t number) const { return state_.counter(layout_, number); }

 private:
  template <typename Rows>
  friend class RowRuns;
  template <typename Rows>
  friend class RowCounts;
  template <typename Rows>
  friend class RowLoop;

  // Each of these returns false on a dead end. `origin` is who is to blame for it.
  bool Keep(Slot slot, Bits allowed, Origin origin);
  bool KeepCounter(std::uint32_t counter, Interval allowed, Origin origin);
  // Long decisions and terms: propagate_terms.cc.
  /// The slots from `first` on keep `allowed`, a word each.
  bool KeepLong(Slot first, std::uint32_t words, const Bits* allowed, Origin origin);
  /// The numbers of a universe that are within an interval.
  bool KeepNumbersWithin(Slot first, const std::vector<std::uint32_t>& universe, Interval allowed,
                         Origin origin);
  bool RunTerm(std::uint64_t term, bool negated, Origin origin);
  bool KeepTerm(std::uint32_t term, Interval allowed, Origin origin);
  class TermSink;
  bool FailLane(const Run& run, std::uint32_t lane, Slot target);
  bool KeepCell(std::uint32_t cell, std::uint8_t allowed, const Run& run);
  bool RunConstraint(std::uint32_t id);
  bool RunWideTable(const Constraint& constraint);
  bool RunClause(const Constraint& constraint);
  bool RunJoint(const Constraint& constraint);
  bool MakeTrue(const Literal& literal, Origin origin);
  bool MakeFalse(const Literal& literal, Origin origin);
  bool KeepPairs(const PairRelation& pairs, const Literal& literal, Origin origin);
  bool KeepCompared(CompareOp op, std::uint32_t a, std::uint32_t b, Origin origin);
  bool KeepDifferent(std::uint32_t counter, std::uint64_t value, Origin origin);

  Truth Counts(const Increment& increment) const;
  /// Appends what the increments of a counter without runs say.
  void ReadIncrements(const Counter& counter);
  Contribution Contribute(std::uint32_t increment, Truth counts) const;
  bool SetInterval(std::uint32_t id, Interval computed, Origin origin, Interval* effective);
  static Interval Shown(const Counter& record, Interval computed);
  bool RunSum(std::uint32_t id);
  bool RunProduct(std::uint32_t id);
  bool ReachProduct(const Counter& counter, std::uint64_t product, Origin origin);
  bool Exclude(const Increment& increment, Origin origin);
  bool Include(const Increment& increment, Origin origin);
  bool KeepWeight(const Increment& increment, Interval allowed, Origin origin);

  // Objects that appear: propagate_gates.cc.
  /// The slot has become TRUE: opens what waited for nothing else.
  void OpenGates(Slot slot);
  void SetPresence(Slot slot);
  void NoteOpenedGates(std::span<const std::uint32_t> gates);
  void OpenGate(std::uint32_t gate);
  bool UseOpening(const Opening& opening, std::uint32_t gate);
  bool Meets(const State& found) const;
  void IntersectCells(const State& found);
  void QueueDifferingCells(const Opening& opening);
  void IntersectWideAndCounters(const Opening& opening);
  void QueueAll(std::uint32_t gate);

  void WakeCounter(std::uint32_t counter);
  bool Fail(Origin origin);
  bool FailTable(const Constraint& constraint, Slot target);
  bool FailTable(const Relation& relation, const std::array<Bits, kMaxTableArity>& domains,
                 int target);
  void Clear();

  const Instance& instance_;
  const Network& network_;
  const StateLayout& layout_;
  const RowKernels& rows_;
  State& state_;
  Conflict& conflict_;
  Workspace& work_;
  const Openings* openings_;        ///< None: what is behind a gate runs.
  FreezeTicker* ticker_ = nullptr;  ///< Of PropagateAll().
};

}  // namespace exh::runtime::internal

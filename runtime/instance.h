// SPDX-License-Identifier: MIT
//
// Instance: the second layer. A Space applied to the objects of one backbone: every decision,
// counter and membership has its place, every requirement is grounded, and the root is propagated.
// Immutable, shared by all candidates and threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "runtime/action.h"
#include "runtime/host.h"
#include "runtime/propagation.h"
#include "runtime/space.h"
#include "runtime/state.h"

namespace exh::runtime {

namespace internal {
struct Network;
struct Objects;
class Freezer;
}  // namespace internal

/// Where a decision lies. A pair of a symmetric or antisymmetric choice is stored once, for the
/// smaller object first; `swapped` says that the objects asked for are the other way round, and the
/// domain then reads as Instance::Invert(choice, bits).
struct DecisionRef {
  DecisionId id = kNoDecision;
  bool swapped = false;
};

struct InstanceStatistics {
  std::size_t decisions = 0, decisions_open_at_root = 0;
  std::size_t hidden_slots = 0;  ///< Memberships of planned objects, fired triggers.
  std::size_t counters = 0, increments = 0;
  std::size_t gates = 0;
  /// What is uniform (internal/network/uniform.h) is in none of the following numbers.
  std::size_t ground_clauses = 0;  ///< Before merging, those satisfied at the root left out.
  std::size_t pair_tables = 0, triple_tables = 0, wide_tables = 0, clauses = 0, joints = 0;
  std::size_t relations = 0;  ///< Distinct relations behind the tables.
  std::size_t entailed_at_root = 0;
  std::size_t state_bytes = 0, shared_bytes = 0;
  /// Of 64 objects each, of which clauses by the row were looked at, and how many were expected.
  double words_looked_at = 0, expected_words = 0;
};
std::string StatisticsText(const InstanceStatistics& statistics);

/// How far a freeze is.
struct FreezeProgress {
  std::string phase;   ///< "requirement order_is_transitive", "runs".
  double share = 0;    ///< Of the whole freeze, 0 to 1; an estimate that never falls.
  double seconds = 0;  ///< Since the freeze began.
  /// What the whole freeze takes on a usual core, by its sizes and not by the clock: right within a
  /// factor of three or so. 0: that is not known yet.
  double expected_s = 0;
};

struct FreezeOptions {
  /// False: every ground constraint is propagated by itself. Slower, with equal results: for tests.
  bool runs = true;
  /// False: what holds of all objects alike is written down for each of them. Slower to build, with
  /// equal results: for tests. Without `runs` it always is.
  bool uniform = true;
  /// A sum of more increments is kept as a tree of partial sums, so that a change costs the
  /// logarithm of their number. At least 2; tests ask for less than is fast.
  std::size_t largest_sum = 1024;
  /// Called now and then, in the thread of the freeze. False stops it: Freeze() throws Interrupted.
  std::function<bool(const FreezeProgress&)> progress;
  /// Between two calls, and before the first; also between two looks at the memory.
  double progress_interval_s = 0.2;
  /// By how many bytes the process may grow during the freeze, 0: as it likes. Where it grows by
  /// more, Freeze() throws exh::TooLarge, with what is large.
  std::uint64_t max_bytes = 0;
};

class Instance {
 public:
  /// Grounds the space over the host's objects and propagates the root. Both may die afterwards.
  /// Throws exh::Error when the host contradicts itself or the space, exh::Interrupted when
  /// `options.progress` says so, exh::TooLarge above `options.max_bytes`; what was built until then
  /// is gone.
  static std::shared_ptr<const Instance> Freeze(const Space& space, const Host& host,
                                                const FreezeOptions& options = {});
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  const Space& space() const { return space_; }
  const std::string& fingerprint() const { return space_.fingerprint; }
  const InstanceStatistics& statistics() const { return statistics_; }

  // ---- Names of the space.
  /// -1 when there is none.
  int FindChoice(std::string_view name) const;
  int FindSet(std::string_view name) const;
  /// Bit number of an enum value of a choice, -1 when there is none.
  int FindValue(int choice, std::string_view name) const;

  // ---- Objects.
  /// Number of objects of the root of a set, planned ones included.
  int num_objects(int set) const;
  const std::string& object_name(int set, Object object) const;
  std::optional<Object> FindObject(int set, std::string_view name) const;
  /// Everything that is or may become a member, in iteration order.
  std::span<const Host::Member> members(int set) const;

  // ---- Decisions: a dense range, choice after choice. Counters have none.
  DecisionId num_decisions() const { return static_cast<DecisionId>(slots_.size()); }
  /// The decisions of an enum or integer choice are first_decision(c) <= id < end_decision(c).
  DecisionId first_decision(int choice) const { return first_decision_[choice]; }
  DecisionId end_decision(int choice) const { return first_decision_[choice + 1]; }
  int choice(DecisionId decision) const { return decision_choice_[decision]; }
  std::span<const Object> objects(DecisionId decision) const {
    return {objects_flat_.data() + objects_begin_[decision],
            objects_flat_.data() + objects_begin_[decision + 1]};
  }
  /// Nothing when the tuple has no decision (an object twice, or not in the set).
  std::optional<DecisionRef> FindDecision(int choice, std::span<const Object> objects) const;
  /// The same values seen with the arguments swapped; the identity unless antisymmetric.
  Bits Invert(int choice, Bits values) const;
  /// All values of the decision; not for a long one.
  Bits all_values(DecisionId decision) const {
    EXH_DCHECK(!IsLong(decision));
    return all_values_[decision];
  }
  /// It has more than 64 values. Its domain is several words, at the slots from slot(decision) on.
  bool IsLong(DecisionId decision) const { return slots_[decision] >= layout_.first_long(); }
  /// Values 0 … num_values - 1: bits of its words, in this order.
  int num_values(DecisionId decision) const;
  int num_words(DecisionId decision) const {
    return IsLong(decision) ? (num_values(decision) + 63) / 64 : 1;
  }
  /// The numbers of an integer decision (bit i is universe[i]); empty for an enum.
  std::span<const std::uint32_t> universe(DecisionId decision) const;
  /// A function of other decisions (the flag of a quotient set): propagation decides it once those
  /// are constrained.
  bool IsDerived(DecisionId decision) const { return derived_choice_[decision_choice_[decision]]; }
  /// "order(mad.m1,load_a)".
  std::string DecisionName(DecisionId decision) const;
  /// "BEFORE" or "32".
  std::string ValueName(DecisionId decision, int value) const;
  /// "BEFORE|INNER". Of a long decision the values of one word, three and more consecutive numbers
  /// as a range, "0..12|40".
  std::string ValuesText(DecisionId decision, Bits values, int word = 0) const;

  // ---- Counters.
  /// Number of the counter of these objects, -1 when there is none.
  int FindCounter(int choice, std::span<const Object> objects) const;

  // ---- The root.
  /// kDeadEnd: the space has no implementation for this backbone; root_conflict() says why.
  Propagation root_result() const { return root_result_; }
  const Conflict& root_conflict() const { return root_conflict_; }
  const State& root() const { return root_; }

  // ---- For the engine.
  /// Blocks of cells that hold the decisions of a choice, in the order of their numbers, and no
  /// others; empty when they do not lie like that.
  struct Blocks {
    std::uint32_t begin = 0, end = 0;
  };
  Blocks blocks(int choice) const { return blocks_[choice]; }
  /// The decision that a stored cell belongs to.
  DecisionId decision_at(std::uint32_t cell) const { return decision_at_[cell]; }
  const StateLayout& layout() const { return layout_; }
  Slot slot(DecisionId decision) const { return slots_[decision]; }
  /// The gate that is open when all objects of the decision are certainly members.
  std::uint32_t live_gate(DecisionId decision) const { return live_gates_[decision]; }
  const internal::Network& network() const { return *network_; }
  const internal::Objects& object_tables() const { return *tables_; }

 private:
  friend class internal::Freezer;
  Instance();

  Space space_;
  InstanceStatistics statistics_;
  StateLayout layout_;
  State root_;
  Propagation root_result_ = Propagation::kFixpoint;
  Conflict root_conflict_;

  std::vector<DecisionId> first_decision_;  // By choice, and one more.
  std::vector<int> decision_choice_;
  std::vector<Slot> slots_;
  std::vector<Blocks> blocks_;           // By choice.
  std::vector<DecisionId> decision_at_;  // By cell.
  std::vector<std::uint32_t> live_gates_;
  std::vector<Bits> all_values_;
  std::vector<std::uint32_t> universe_of_;  // By decision.
  std::vector<std::uint32_t> objects_begin_;
  std::vector<Object> objects_flat_;
  std::vector<bool> derived_choice_;

  std::unique_ptr<internal::Objects> tables_;
  std::unique_ptr<internal::Network> network_;
};

}  // namespace exh::runtime

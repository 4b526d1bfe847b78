// SPDX-License-Identifier: MIT
//
// GroundClauses: collects the ground clauses of a freeze, simplifies them by the root domains and
// merges those over the same slots into one table. What stays too large for a table, or reads
// counters, stays a clause.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/internal/ground/ground_domains.h"
#include "runtime/internal/ground/lane_store.h"
#include "runtime/internal/network/freeze_ticker.h"
#include "runtime/internal/network/gates.h"
#include "runtime/internal/network/literal.h"
#include "runtime/internal/network/network.h"
#include "runtime/internal/network/relation_store.h"
#include "runtime/interval.h"

namespace exh::runtime::internal {

class GroundClauses {
 public:
  GroundClauses(Network& network, RelationStore& relations, RootDomains& domains, Gates& gates,
                LaneStore& lanes);

  /// From now on clauses are simplified by what the domains are at this moment: what they leave of
  /// a clause then depends on no order in which others act on the root.
  void FixKnown() {
    known_slots_ = domains_.slots;
    known_counters_ = domains_.counters;
    is_fixed_ = true;
  }
  /// The domain by which clauses are simplified.
  Bits known(Slot slot) const { return is_fixed_ ? known_slots_[slot] : domains_.slots[slot]; }

  /// One disjunction that holds when all slots of the gate are TRUE.
  void Add(std::span<const Literal> literals, std::span<const Slot> gate, std::uint32_t origin);
  /// The gate of the memberships that these decisions need to be live.
  std::uint32_t OwnGate(std::span<const Slot> slots);
  /// The pattern over as many of three or four slots as `positions` has bits.
  std::uint32_t Widen(std::uint32_t pattern, std::uint32_t positions);
  /// The pattern to what is over these slots.
  void AddToGroup(const std::array<Slot, kMaxTableArity>& slots, int arity, std::uint32_t gate,
                  std::uint32_t pattern);
  /// A unary clause: it acts on the root.
  void RestrictSlot(Slot slot, Bits mask, std::uint32_t origin);
  /// The same for a long decision.
  void RestrictLong(const Literal& literal, std::uint32_t origin);
  /// Clauses that the lane store got by the row.
  void CountAdded(std::size_t clauses) { num_added_ += clauses; }
  /// Calls `use` with the decisions of each tuple with clauses over it.
  template <typename Use>
  void ForEachGroup(const Use& use) const {
    for (const Group& group : groups_) use(std::span<const Slot>(group.slots.data(), group.arity));
  }
  bool IsTableEntailed(const Relation& relation,
                       const std::array<Bits, kMaxTableArity>& domains) const;
  Truth Status(const Literal& literal) const;
  /// Appends literals whose disjunction is the negation.
  void AppendNegation(const Literal& literal, std::vector<Literal>* out) const;
  static Literal MemberLiteral(Slot slot, bool is_member);

  /// Origin of the first requirement that no implementation of this backbone can satisfy.
  std::optional<std::uint32_t> failure() const { return failure_; }
  std::size_t num_added() const { return num_added_; }
  /// Tuples of decisions with clauses over them.
  std::size_t num_groups() const { return groups_.size(); }
  /// Appends tables and clauses to the network, those that the root domains entail left out.
  void Finish(FreezeTicker* ticker);
  /// Removes the constraints that hold whatever else is decided.
  void DropEntailed();
  std::size_t num_entailed() const { return num_entailed_; }

 private:
  struct alignas(32) Group {
    std::array<Slot, kMaxTableArity> slots{};
    std::uint32_t gate = 0;
    std::uint32_t patterns = 0;  ///< In PatternSets.
    std::uint8_t arity = 0;
  };
  struct PendingClause {
    std::vector<Literal> literals;
    std::uint32_t origin;
    std::uint32_t gate;
  };

  /// A membership or a fired tuple, no decision.
  bool IsHidden(Slot slot) const { return slot < domains_.num_hidden; }
  bool AddToTable(std::span<const Literal> literals, std::uint32_t gate, std::uint32_t origin);
  /// A clause on terms over few decisions, as a joint.
  bool AddToJoint(std::span<const Literal> literals, std::uint32_t gate, std::uint32_t origin);
  /// No value is left of a decision: it can never become live.
  void RuleOut(Slot slot, std::uint32_t origin);
  bool MergeTest(std::vector<Literal>* literals);
  void AddClause(std::span<const Literal> given, std::span<const Slot> gate, std::uint32_t origin);
  std::uint32_t FindGroup(const std::array<Slot, kMaxTableArity>& slots, int arity,
                          std::uint32_t gate, bool create);
  void Rehash(std::size_t size);
  void FindSubsets(const Group& group, std::vector<std::uint32_t>* subsets);
  void AppendPatternsOf(std::uint32_t other, const Group& group,
                        std::vector<std::uint32_t>* patterns);
  std::uint32_t RelationOf(const Group& group);
  void MarkSubsumed();
  bool FinishAsClause(const Group& group);
  bool IsEntailed(const Constraint& constraint);
  Truth Known(const Literal& literal) const;
  void AppendLanePatterns(const Group& group, unsigned positions,
                          std::vector<std::uint32_t>* patterns);

  Network& network_;
  RelationStore& relations_;
  RootDomains& domains_;
  Gates& gates_;
  LaneStore& lanes_;
  bool is_fixed_ = false;
  std::vector<Bits> known_slots_;
  std::vector<Interval> known_counters_;
  std::vector<Group> groups_;
  std::array<std::size_t, kMaxTableArity + 1> groups_of_arity_{};
  std::vector<std::uint32_t> table_;  // Open addressing: group + 1.
  PatternSets pattern_sets_;
  struct KeyHash {
    std::size_t operator()(const std::vector<std::uint32_t>& key) const;
  };
  /// What a relation is made of -> relation: sizes, the group's patterns, those of smaller groups.
  std::unordered_map<std::vector<std::uint32_t>, std::uint32_t, KeyHash> made_;
  std::vector<std::uint32_t> key_, subsets_, patterns_;  // Scratch.
  std::vector<PendingClause> clauses_;
  std::vector<Constraint> joints_;
  std::vector<bool> subsumed_;  // By group.
  struct {
    std::uint32_t relation = 0xFFFFFFFF;
    std::array<Bits, kMaxTableArity> domains{};
    bool result = false;
  } last_entailed_;  ///< Neighbours ask the same.
  std::optional<std::uint32_t> failure_;
  std::size_t num_added_ = 0, num_entailed_ = 0;
};

}  // namespace exh::runtime::internal

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
#include <vector>

#include "runtime/internal/literal.h"
#include "runtime/internal/network.h"
#include "runtime/internal/relation_store.h"
#include "runtime/interval.h"

namespace exh::runtime::internal {

/// The root domains while the network is being built.
struct RootDomains {
  std::vector<Bits> slots;
  std::vector<std::uint8_t> sizes;  ///< Number of values of the slot.
  std::vector<Interval> counters;
  Slot num_hidden = 0;  ///< Slots that are memberships or fired tuples: the first ones.
  /// Planned memberships that a decision needs to be live (sorted); nothing constrains it before.
  std::vector<std::vector<Slot>> memberships;

  Bits domain(Slot slot) const { return slots[slot]; }
  Interval counter(std::uint32_t number) const { return counters[number]; }
};

class GroundClauses {
 public:
  GroundClauses(Network& network, RelationStore& relations, RootDomains& domains);

  /// One disjunction that holds when all slots of the gate are TRUE.
  void Add(std::span<const Literal> literals, std::span<const Slot> gate, std::uint32_t origin);
  /// Number of the gate of these slots (0: always open).
  std::uint32_t InternGate(std::vector<Slot> slots);
  Truth Status(const Literal& literal) const;
  /// Appends literals whose disjunction is the negation.
  void AppendNegation(const Literal& literal, std::vector<Literal>* out) const;
  static Literal MemberLiteral(Slot slot, bool is_member);

  /// Origin of the first requirement that no implementation of this backbone can satisfy.
  std::optional<std::uint32_t> failure() const { return failure_; }
  std::size_t num_added() const { return num_added_; }
  /// Appends tables and clauses to the network, those that the root domains entail left out.
  void Finish();
  /// Removes the constraints that hold whatever else is decided.
  void DropEntailed();
  std::size_t num_entailed() const { return num_entailed_; }

 private:
  struct Group {
    std::array<Slot, kMaxTableArity> slots{};
    std::uint32_t gate = 0;
    std::uint32_t first_node = 0, last_node = 0;  ///< Of the patterns, some of them twice.
    std::uint8_t arity = 0;
  };
  struct Node {
    std::uint32_t pattern, next;
  };
  struct PendingClause {
    std::vector<Literal> literals;
    std::uint32_t origin;
    std::uint32_t gate;
  };

  /// A membership or a fired tuple, no decision.
  bool IsHidden(Slot slot) const { return slot < domains_.num_hidden; }
  void RestrictSlot(Slot slot, Bits mask, std::uint32_t origin);
  bool AddToTable(std::span<const Literal> literals, std::uint32_t gate, std::uint32_t origin);
  void AddClause(std::span<const Literal> literals, std::span<const Slot> gate,
                 std::uint32_t origin);
  std::uint32_t FindGroup(const std::array<Slot, kMaxTableArity>& slots, int arity,
                          std::uint32_t gate, bool create);
  void Rehash(std::size_t size);
  void AppendSubsetPatterns(const Group& group, std::vector<std::uint32_t>* patterns);
  void AppendPatternsOf(std::uint32_t other, const Group& group,
                        std::vector<std::uint32_t>* patterns);
  void MarkSubsumed();
  bool FinishAsClause(const Group& group, std::span<const std::uint32_t> patterns);
  bool IsEntailed(const Constraint& constraint) const;

  Network& network_;
  RelationStore& relations_;
  RootDomains& domains_;
  std::vector<std::vector<Slot>> gates_;
  std::map<std::vector<Slot>, std::uint32_t> gate_ids_;
  std::vector<Group> groups_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> table_;  // Open addressing: group + 1.
  std::vector<PendingClause> clauses_;
  std::vector<bool> subsumed_;  // By group.
  std::optional<std::uint32_t> failure_;
  std::size_t num_added_ = 0, num_entailed_ = 0;
};

}  // namespace exh::runtime::internal

// SPDX-License-Identifier: MIT
//
// UniformFinder: which clauses of requirements hold of all objects of their sets alike, and what
// the network has of them (network/uniform.h) instead of a run for each slot.
//
// A clause over three variables is uniform when nothing in it depends on who an object is: no
// snippet, no set of an object, no membership beside that in the root set; and when its literals
// are tests of choices over single objects, or over pairs whose cells have both orientations. If
// its three literals are over the three pairs of one choice it is part of tables, together with all
// others of this kind. If it has more than four literals it stays a clause.
//
// What other requirements say of the same cells would be merged with the tables if these were
// written down (LaneEmitter::AppendPieces()), and then two requirements act together. So where
// something is said of two or three of the cells, the tables of these objects are written down as
// well (AddExceptions()): what propagation finds is the same with and without uniform tables.
//
// And where the root leaves one literal at most the clause acts on the root at once, as all others
// do, also on decisions of objects that are absent (GroundAlone()). Of a clause with more literals
// those tuples go the usual way in which the root leaves three of them or fewer, for that is a
// table (ClauseLanes).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "runtime/internal/freeze/freezer.h"
#include "runtime/internal/ground/lane_emitter.h"

namespace exh::runtime::internal {

class Freezer::UniformFinder {
 public:
  enum class Kind : std::uint8_t { kNone, kTables, kClause };

  /// Looks at all clauses. Decisions have slots and memberships are assigned.
  explicit UniformFinder(Freezer& freezer);

  Kind KindOf(const Clause& clause) const;
  /// Of a clause of tables: grounds it where the root leaves one literal or none.
  void GroundAlone(const Clause& clause) const;
  /// Everything else is grounded: writes tables down where something else is said of their cells.
  void AddExceptions();
  /// The gates that constraints would rest behind: what they find done is planned for them.
  void InternGates() const;
  /// Fills Network::uniform.
  void Finish(LaneEmitter* emitter);
  /// Adds, by gate, the cells that constraints behind it read.
  void MarkCells(std::vector<std::vector<std::uint64_t>>* cells_by_gate) const;

 private:
  /// A decision that a condition reads.
  struct Use {
    int choice = -1;
    std::array<int, 2> variables{-1, -1};  ///< One, or a pair.
    /// A test: the values, and as they look from the other side of the pair.
    std::array<std::uint8_t, 2> values{};
    bool is_pair() const { return variables[1] >= 0; }
    bool Reads(int variable) const { return variables[0] == variable || variables[1] == variable; }
  };
  struct Described {
    const Clause* clause = nullptr;
    Kind kind = Kind::kNone;
    std::uint32_t origin = 0;
    int root = -1;
    std::array<int, kUniformVariables> sets{};
    std::vector<Use> uses;
    const Condition* comparison = nullptr;  ///< Of the last two uses.
  };
  /// All uniform tables of a choice.
  struct Group {
    int choice = -1, root = -1;
    std::vector<const Described*> clauses;
    std::vector<int> sets;             ///< Those of the variables.
    std::vector<std::uint8_t> types;   ///< By object.
    std::vector<std::uint32_t> masks;  ///< By type: in which of the sets it is, a bit each.
  };
  using Triple = std::array<Object, 3>;

  class Alone;

  Described Describe(const Clause& clause) const;
  bool DescribeUses(Described* described) const;
  bool AreObjectsAlike(const Described& described) const;
  bool IsCovered(const Use& use, const Described& described) const;
  bool IsOfTables(const Described& described) const;
  bool HasRoom(const Described& described) const;
  void MakeGroups();
  std::optional<UniformClause> EntryOf(const Described& described, std::size_t hung,
                                       bool swapped) const;
  /// The patterns over pairs 01, 02 and 12 of objects of these types.
  std::vector<std::uint32_t> PatternsOf(const Group& group,
                                        const std::array<std::uint8_t, 3>& types) const;
  std::optional<Pattern> PatternOf(const Group& group, const Described& described,
                                   const std::array<int, 3>& place,
                                   const std::array<std::uint8_t, 3>& types) const;
  void CollectTriples(const Group& group, std::span<const Slot> slots,
                      std::set<Triple>* triples) const;
  bool IsIn(const Group& group, Slot slot) const;

  // ---- What the network gets.
  std::uint32_t RowsOf(int choice);
  std::uint32_t MembersOf(int set);
  std::uint32_t AddLanes(const std::vector<std::uint64_t>& lanes);
  void FinishTables(const Group& group, LaneEmitter* emitter);
  std::uint32_t MembershipsOf(int root);
  std::uint32_t NumWords(int root) const;
  /// kAlwaysThere for those that are there in any case.
  Slot MembershipOf(int root, Object object) const;
  template <typename Call>
  void ForEachWaiting(const Described& described, const Call& call) const;
  /// The objects of a set by what they wait for.
  std::map<Slot, std::vector<Object>> ByMembership(int root, int set) const;
  std::uint32_t GateOf(const std::array<Slot, 3>& memberships) const;

  Freezer& freezer_;
  std::map<const Clause*, Described> described_;
  std::vector<Group> groups_;
  std::map<int, std::uint32_t> rows_, members_, memberships_;
};

}  // namespace exh::runtime::internal

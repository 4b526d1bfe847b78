// SPDX-License-Identifier: MIT
//
// LaneStore: ground constraints by the row, while a freeze collects them. Most constraints over
// decisions that lie in rows are alike but for one object, their *lane*: c(x, z), d(y, z) for all
// z. The store keeps one *view* for all of them, in blocks of 64 lanes: the cells that all lanes
// share, the rows that they do not, and *classes* of lanes that have the same clauses. So n^3
// clauses take n^2 views of n / 64 words. The store knows nothing of requirements.
//
// e(x,y) is A || c(x,z) is B || d(y,z) is C, for all x, y, z that differ, where x is 1 and y is 2:
//
//   view       cells    e(1,2) | row c(1,.), row d(2,.)     one shared cell, and two rows
//              lanes    z, the objects 0 to 63
//   class      lanes    0, 3, 4, … 63                       all but 1 and 2
//              patterns {"A, B or C"}                       a second requirement over these cells
//                                                           adds its own in the lanes that have it
//
// A constraint is in one view for each object that can be its lane (RowPlaces::LanesOf), for a run
// that hangs on c(x, y) needs the lanes z, and one that hangs on c(x, z) the lanes y. Who has to
// see each constraint once looks at the view whose lane is the last of these objects.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "runtime/internal/ground/ground_domains.h"
#include "runtime/internal/network/gates.h"
#include "runtime/internal/network/network.h"
#include "runtime/internal/network/relation_store.h"
#include "runtime/internal/network/row_places.h"

namespace exh::runtime::internal {

/// What the lanes of a class wait for: while their objects are absent they rest, each by itself,
/// and all of them until the rest of the gate is open, which has no memberships of theirs.
struct LaneGate {
  std::uint32_t rest = 0;
  bool always = false;  ///< They do not wait for their objects.
  friend bool operator==(const LaneGate&, const LaneGate&) = default;
};

/// Lanes with the same clauses over the cells of a view.
struct LaneClass {
  std::uint64_t lanes = 0;
  std::uint64_t active = 0;    ///< Those in which the root does not satisfy all of them.
  LaneGate gate;               ///< The clauses hold while it is open.
  std::uint32_t patterns = 0;  ///< In PatternSets, by position of the view's cells.
  std::uint32_t next = 0;      ///< Class of the same view + 1; 0: the last.
};

/// Tables over 2 to 4 cells; of three cells all lanes share one. First those that all lanes share,
/// as slots, then the first cells of rows; each part ascending. Patterns speak of domains as these
/// cells show them.
struct LaneView {
  std::array<std::uint32_t, kMaxTableArity> cells{};
  std::uint8_t arity = 0, num_scalars = 0;
  std::uint16_t root = 0;     ///< Set of the lanes …
  std::uint32_t first = 0;    ///< … and the object of the first.
  std::uint32_t classes = 0;  ///< LaneClass + 1; 0: none.
};

/// Where the slots of a constraint stand when one object is the lane.
struct Placement {
  std::array<std::uint32_t, LaneClause::kMaxLiterals> cells{};    ///< By position.
  std::array<std::uint8_t, LaneClause::kMaxLiterals> position{};  ///< By number of the slot.
  std::array<std::uint16_t, LaneClause::kMaxLiterals> inverse{};  ///< By number of the slot.
  std::uint8_t num_scalars = 0;
  std::uint8_t lane = 0;
  std::uint16_t root = 0;
  std::uint32_t first = 0;
};

class LaneStore {
 public:
  LaneStore(Network& network, RelationStore& relations, const RootDomains& domains, Gates& gates)
      : network_(network),
        relations_(relations),
        domains_(domains),
        gates_(gates),
        table_(1u << 10, 0) {}
  /// Constraints can be added from now on.
  void Begin(const RowPlaces* places) { places_ = places; }
  bool is_on() const { return places_ != nullptr; }
  const RowPlaces& places() const { return *places_; }

  // ---- By the row.
  /// The pattern in these lanes of the view, whose `classes` mean nothing here.
  void Add(const LaneView& view, LaneGate gate, std::uint32_t pattern, std::uint64_t lanes,
           std::uint64_t active);
  void AddClause(LaneClause clause);

  // ---- One by one: false when they cannot stand in rows.
  bool AddGround(std::span<const Slot> slots, std::uint32_t pattern, std::uint32_t gate);
  bool AddGroundClause(std::span<const Literal> literals, std::uint32_t gate, std::uint32_t origin);
  /// Would AddGround() take a table over these?
  bool Accepts(std::span<const Slot> slots) const;

  /// Gates and patterns (over the slots as they stand) of what AddGround() got for these slots;
  /// false: nothing.
  bool FindGround(std::span<const Slot> slots,
                  std::vector<std::pair<std::uint32_t, std::uint32_t>>* found);

  Placement Place(std::span<const Slot> slots, RootObject lane) const;
  /// The pattern by positions of the placement.
  std::uint32_t Convert(std::uint32_t pattern, std::span<const Slot> slots,
                        const Placement& placement);
  /// The pair relation with either side seen from the other end of its pair.
  std::uint32_t MirrorPairs(std::uint32_t relation, std::uint16_t left, std::uint16_t right);

  /// The gate of a constraint, in lanes of such objects, without what those wait for themselves.
  LaneGate WithoutLane(std::uint32_t gate, Slot membership);
  /// The other way round.
  std::uint32_t WithLane(LaneGate gate, Slot membership);

  const std::vector<LaneView>& views() const { return views_; }
  const LaneView* Find(std::span<const std::uint32_t> cells, int num_scalars) const;
  const std::vector<LaneClass>& classes() const { return classes_; }
  const std::vector<LaneClause>& clauses() const { return clauses_; }
  PatternSets& pattern_sets() { return pattern_sets_; }
  bool has_arity(int arity) const { return has_arity_[static_cast<std::size_t>(arity)]; }
  /// Frees what was collected.
  void Clear();

 private:
  static std::uint64_t Hash(std::span<const std::uint32_t> cells, int num_scalars);
  std::uint32_t FindOrAdd(const LaneView& view);
  void Grow();
  /// Of all that tells a clause from others: the lanes do not.
  static std::uint64_t Hash(const LaneClause& clause);
  static bool AreAlike(const LaneClause& a, const LaneClause& b);
  void GrowClauses();
  bool IsShared(std::span<const Slot> slots, RootObject lane) const;

  Network& network_;
  RelationStore& relations_;
  const RootDomains& domains_;
  Gates& gates_;
  const RowPlaces* places_ = nullptr;
  std::vector<LaneView> views_;
  std::vector<std::uint32_t> table_;  // Open addressing: view + 1.
  std::vector<LaneClass> classes_;
  std::uint32_t free_classes_ = 0;  ///< LaneClass + 1: the first that is in no view.
  std::vector<LaneClause> clauses_;
  std::vector<std::uint32_t> clause_table_;  // Open addressing: clause + 1.
  PatternSets pattern_sets_;
  std::array<bool, kMaxTableArity + 1> has_arity_{};
  std::map<std::array<std::uint32_t, kMaxTableArity + 1>, std::uint32_t> converted_;
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> mirrored_pairs_;
  std::map<std::array<std::uint32_t, 2>, LaneGate> without_lane_;
  std::map<std::array<std::uint32_t, 2>, std::uint32_t> with_lane_;
};

}  // namespace exh::runtime::internal

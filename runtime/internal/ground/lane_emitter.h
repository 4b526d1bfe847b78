// SPDX-License-Identifier: MIT
//
// LaneEmitter: what a LaneStore has collected becomes runs of the network. A run hangs on the one
// cell that all lanes of a view share; what cannot hang anywhere in a run also gets a record, a
// Constraint, and is propagated by itself from there.
//
// Of e(x,y) is A || c(x,z) is B || d(y,z) is C the view of x = 1, y = 2 gives
//
//   a run on e(1,2), in all lanes z: when that one changes, rows c(1,.) and d(2,.) are restricted.
//
// When c(1,3) changes, that run is of no use. The view of x = 1, z = 3, whose lane is y, has a run
// on c(1,3) if d lies in rows by y, too. Otherwise there is a record for each lane.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "runtime/instance.h"
#include "runtime/internal/ground/ground_clauses.h"
#include "runtime/internal/ground/lane_store.h"
#include "runtime/internal/network/freeze_ticker.h"
#include "runtime/internal/network/network.h"

namespace exh::runtime::internal {

/// Sorts the first few of a small array. GCC 12 warns of std::sort there: it sees a branch for more
/// elements than the array has.
template <typename T, std::size_t size>
void SortFirst(std::size_t count, std::array<T, size>* items) {
  for (std::size_t i = 1; i < count; ++i) {
    for (std::size_t at = i; at > 0 && (*items)[at] < (*items)[at - 1]; --at) {
      std::swap((*items)[at], (*items)[at - 1]);
    }
  }
}

class LaneEmitter {
 public:
  LaneEmitter(const Instance& instance, const RootDomains& root, LaneStore* store,
              RelationStore* relations, Gates* gates, GroundClauses* clauses, Network* network)
      : instance_(instance),
        root_(root),
        store_(*store),
        places_(store->places()),
        relations_(*relations),
        gates_(*gates),
        clauses_(*clauses),
        network_(*network) {}

  /// Before gates are counted: makes those that runs will rest behind, and hands tables of four
  /// decisions on, to clauses of lanes or to records.
  void Prepare();
  /// Fills the lists of runs by slot (Network::work is empty before), and appends records to
  /// Network::constraints, which of their slots are in runs to `covered`. The store is empty then.
  void Emit(FreezeTicker* ticker, std::vector<std::uint8_t>* covered);
  /// The table of a relation over a cell and two rows, for uniform tables.
  void Describe(std::uint32_t relation, UniformPart* part);
  /// The root is propagated: leaves what it entails out of the runs.
  void DropEntailed(FreezeTicker* ticker);
  /// By gate: the cells that some constraint behind it reads, of runs. After DropEntailed().
  const std::vector<std::vector<std::uint64_t>>& cells_by_gate() const { return cells_by_gate_; }
  std::size_t num_entailed() const { return num_entailed_; }

 private:
  /// Lanes of a view with the same table behind the same gate.
  struct Piece {
    std::uint64_t lanes;
    LaneGate gate;
    std::uint32_t relation;
  };
  /// The slots of a lane, and how the view sees them.
  struct Seen {
    std::array<Slot, kMaxTableArity> sorted{};
    // By position in the view.
    std::array<std::uint8_t, kMaxTableArity> position{};  ///< Among the sorted ones.
    std::array<std::uint16_t, kMaxTableArity> inverse{};
    int size = 0;
  };
  /// What hangs on a slot, to be sorted by it.
  template <typename R>
  struct Hung {
    Slot slot;
    std::uint32_t values;  ///< Of clauses.
    std::uint32_t block;   ///< Of clauses: object of the first lane.
    R run;
  };
  using Sizes = std::array<std::uint8_t, kMaxTableArity>;

  /// What a run of the slot rests behind.
  std::uint32_t RestOf(std::uint32_t gate, Slot slot, bool make);
  std::uint32_t PresenceOf(int root, std::uint32_t first, bool always) const;
  void ReadRoot();
  bool IsNeverOpen(std::uint32_t gate) const;
  std::array<Slot, LaneClause::kMaxLiterals> SlotsAt(std::span<const std::uint32_t> cells,
                                                     int num_scalars, std::uint32_t lane) const;
  void EmitView(const LaneView& view);
  void AppendPieces(const LaneView& view, const LaneClass& lanes, std::vector<Piece>* pieces);
  std::uint32_t RelationOf(const LaneView& view, std::uint32_t patterns,
                           std::span<const std::pair<std::uint32_t, std::uint32_t>> subsets,
                           const Sizes& sizes);
  Sizes SizesAt(const LaneView& view, std::uint32_t lane) const;
  bool HasNumbers(const LaneView& view) const;
  std::uint64_t OpenLanes(std::uint32_t relation, std::span<const std::uint32_t> cells,
                          int num_scalars, std::uint64_t lanes);
  std::uint64_t OpenLanes(std::span<const PackedLiteral> scalars,
                          std::span<const PackedLiteral> rows, std::uint64_t lanes) const;
  std::uint64_t OpenLanes(const PairRun& run);
  std::uint64_t OpenLanes(const TripleRun& run);
  std::uint64_t OpenLanes(const ClauseRun& run, std::uint32_t values) const;
  bool IsEntailed(std::uint32_t relation, const std::array<Bits, kMaxTableArity>& domains);
  void HangTables(const LaneView& view, std::span<const Slot> slots, const RowPlaces::Lanes& others,
                  std::span<const Piece> pieces);
  bool SayTheSame(const LaneView& view, std::uint32_t one, std::uint32_t other,
                  std::uint64_t lanes) const;
  void AppendRecords(const LaneView& view, const Piece& piece, std::uint64_t lanes,
                     std::uint8_t covered);
  Seen See(const LaneView& view, std::span<const Slot> slots, std::uint32_t lane) const;
  /// The pattern, or the relation, over the slots in ascending order.
  std::uint32_t Canonical(std::uint32_t pattern, const Seen& seen);
  std::uint32_t CanonicalRelation(std::uint32_t relation, const Seen& seen);
  using Terms = std::array<std::uint32_t, LaneClause::kMaxLiterals>;
  Terms TermsOf(const LaneClause& clause, std::span<const Slot> slots, std::uint32_t lane,
                RootObject object) const;
  void EmitClause(const LaneClause& clause);
  void EmitList(std::span<const Hung<ClauseRun>* const> runs);
  void Sort();
  std::uint32_t PairTable(const Relation& relation);
  std::uint32_t TripleTable(const Relation& relation);
  std::uint32_t Intern(std::vector<std::uint8_t> bytes);
  void MarkCells(std::uint32_t gate, std::span<const std::uint32_t> cells, int num_scalars,
                 std::uint64_t lanes);

  const Instance& instance_;
  const RootDomains& root_;
  LaneStore& store_;
  const RowPlaces& places_;
  RelationStore& relations_;
  Gates& gates_;
  GroundClauses& clauses_;
  Network& network_;
  std::vector<std::uint8_t, CacheLineAllocator<std::uint8_t>> root_cells_;
  std::vector<bool> row_numbers_;          ///< By block: decisions over numbers lie in it.
  std::vector<std::uint8_t> most_values_;  ///< By choice: of its decisions in cells.
  std::vector<std::uint8_t>* covered_ = nullptr;
  std::vector<Hung<PairRun>> pairs_;
  std::vector<Hung<TripleRun>> triples_;
  std::vector<Hung<ClauseRun>> clause_runs_;
  std::map<std::array<std::uint32_t, 2>, std::uint32_t> rests_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> made_;
  std::vector<std::uint32_t> key_;
  std::map<std::array<std::uint32_t, kMaxTableArity + 1>, std::uint32_t> canonical_;
  std::map<std::array<std::uint32_t, 4>, std::uint32_t> tables_;
  std::map<std::vector<std::uint8_t>, std::uint32_t> contents_;
  struct Entailment {
    std::uint32_t relation = 0xFFFFFFFF;
    std::array<Bits, kMaxTableArity> domains{};
    bool result = false;
  };
  std::vector<Entailment> entailments_;  // By hash: the last answers.
  std::vector<std::vector<std::uint64_t>> cells_by_gate_;
  std::size_t num_entailed_ = 0;
};

}  // namespace exh::runtime::internal

// SPDX-License-Identifier: MIT
//
// The constraint network of an Instance: all ground constraints, as flat arrays that the
// propagation loop walks. The Freezer fills it; nothing in it changes afterwards, and all threads
// share it. What a candidate has of its own is its State.
//
// Three words first. A *slot* is the number of a domain in the State; those of up to eight values
// are bytes, *cells*, and their slot is the number of the byte. A *record* is a ground constraint
// that stands by itself, a Constraint. A *run* is a group of ground constraints that are alike but
// for one object z, their *lane*: it hangs on the one slot that all of them read, and what else
// they read lies side by side in rows of cells, z at position z.
//
//     lane                    0        1        2      ...     63
//     slot s = e(x,y)         ............ one cell for all lanes ............
//     row b  = c(x,.)     [ c(x,0)   c(x,1)   c(x,2)   ...   c(x,63) ]      one row: 64 bytes
//     row c  = d(y,.)     [ d(y,0)   d(y,1)   d(y,2)   ...   d(y,63) ]      another one
//     a run on s: e(x,y), c(x,z) and d(y,z) fit each other, for every z in Run::lanes
//
// A constraint waits at every slot that it reads, for it may have to act whichever of them changes.
// At some slots that is in a run and at others by an entry of its record. One that is in runs of
// all its slots has no record at all, only its place in `lane_tables` or `lane_clauses`, which say
// what there is to whoever reads the network and does not run it.
//
// From a changed slot s to its work:
//
//     work[s] ............ where its lists begin; work[s + 1] says where they end
//      |
//      +- wake            -> wake_tables     which of the kinds below can tell the domain that was
//      |                                     seen last from the one of now; the rest is skipped
//      +- pairs           -> PairEntry       other &= luts[domain]                  at once
//      +- triples         -> TripleEntry     b &= luts[domain, c], c &= ...         at once
//      +- pair_runs       -> PairRun         row &= run_tables[domain]              at once
//      +- triple_runs     -> TripleRun       row b &= ..., row c &= ...             at once
//      +- clause_lists    -> ClauseRunList   for a literal on s that is now false   at once
//      |                      -> clause_filters: which runs can have anything to do
//      |                          -> clause_runs: unit propagation in 64 lanes
//      +- uniform.blocks  -> tables and clauses of the block that the slot is in   at once
//      |                     (uniform.h has a drawing)
//      +- wides           -> WideEntry   --+-> constraints[id]                      queued
//      +- clauses         -> ClauseWatch --+
//      +- counters        -> CounterWatch  --> counters[id]                         queued
//
//     gates.by_slot[s], presences.by_slot[s]      s is a membership that became TRUE: an object
//      |                                          appears (propagate_gates.cc)
//      +- presences.bits  one bit an object: the lanes of its runs take part from now on
//      +- gates.live      the decisions that become live, and with them the runs of their slots
//      +- gates.openings  what an opening gate finds done; or else gates.constraints, to be run
//
// A queued counter is computed again from what it adds up; what it then says reaches others:
//
//     counters[k] -> increments      -> increment_literals     one by one, or ...
//                 -> increment_runs  -> run_increments         ... the same increments by the row
//     clauses_by_counter[k] -> constraints,  parents_by_counter[k] -> counters     woken by it
//
// What a table allows, and whose fault it is when it leaves nothing:
//
//     Constraint::relation, Run::blame -> relations[r] -> masks    by values
//                                                      -> luts     by domains
//                                                      -> patterns -> origins
//
// Lists in lists are ranges of one flat array (`x_begin`, `x_end`; `Lists`): between a slot and its
// work there is no pointer to follow.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "runtime/ground.h"
#include "runtime/host.h"
#include "runtime/internal/network/uniform.h"
#include "runtime/propagation.h"
#include "runtime/space.h"
#include "runtime/state.h"

namespace exh::runtime::internal {

/// Boolean domains: memberships, fired triggers, quotient flags.
inline constexpr Bits kFalseBit = 1;
inline constexpr Bits kTrueBit = 2;

inline constexpr int kMaxTableArity = 4;

/// An atom over domains; three-valued on partial ones.
struct Literal {
  using Kind = LiteralKind;
  Kind kind = Kind::kIn;
  CompareOp op = CompareOp::kEq;
  std::uint32_t a = 0, b = 0;  ///< Slots, or counters; kLong: b words.
  /// kIn: x is the mask of values. kPair: x is the relation of values, y its complement.
  /// kCounterIn: [x, y]. kCounterNot: not x. kLong: Network::long_masks from x on. kTerm:
  /// Network::terms.tests[x]; y is 1: does not hold.
  std::uint64_t x = 0, y = 0;
  friend bool operator==(const Literal&, const Literal&) = default;
};

/// Which pairs of values of two decisions are allowed: row v is the mask of partners of value v.
struct PairRelation {
  std::uint8_t num_left = 0, num_right = 0;
  std::vector<Bits> rows, columns;
};

/// One ground clause in a table, by position of its slots; kept to say which clause is to blame.
struct Pattern {
  std::array<Bits, kMaxTableArity> masks{};
  std::uint32_t origin = 0;
  std::uint8_t num_pairs = 0;
  std::array<std::array<std::uint8_t, 2>, 2> pair_positions{};
  std::array<std::uint32_t, 2> pair_relations{};
  friend bool operator==(const Pattern&, const Pattern&) = default;
};

/// A table over 2 to 4 slots: for every combination of the others, the allowed values of the slot
/// at `mask_position` (the one with the most values).
struct Relation {
  std::uint8_t arity = 0;
  std::uint8_t mask_position = 0;
  std::array<std::uint8_t, kMaxTableArity> sizes{};
  /// The other positions and the strides of their values in the table, padded with stride 0.
  std::array<std::uint8_t, 3> others{};
  std::array<std::uint32_t, 3> strides{};
  std::uint32_t masks = 0;  ///< First of its masks in Network::masks.
  /// Look-up tables over domain bit sets, per target position; kNoLut when they would be too large.
  std::array<std::uint32_t, 3> luts{};
  std::uint32_t patterns_begin = 0, patterns_end = 0;  ///< In Network::pattern_lists.
};
inline constexpr std::uint32_t kNoLut = 0xFFFFFFFF;

struct Constraint {
  enum class Kind : std::uint8_t { kPairTable, kTripleTable, kWideTable, kClause, kJoint };
  Kind kind = Kind::kClause;
  std::uint8_t arity = 0;
  std::uint32_t gate = 0;
  std::array<Slot, kMaxTableArity> slots{};
  std::uint32_t relation = 0;                        ///< Tables; of a joint in JointTables::all.
  std::uint32_t literal_begin = 0, literal_end = 0;  ///< Clauses.
  std::uint32_t origin = 0;                          ///< Clauses and joints.
};

/// All combinations of values that 2 to 4 slots can have together (find_joints.cc), a bit for each.
struct Joint {
  static constexpr std::uint32_t kMaxWords = 64;
  std::uint32_t num_combinations = 0;
  std::uint32_t num_words = 0;
  /// In JointTables::supports, by position: for each value `num_words` words, the combinations
  /// that have it.
  std::array<std::uint32_t, kMaxTableArity> supports{};
  std::uint32_t origin_begin = 0, origin_end = 0;  ///< In JointTables::origins.
  /// The clause on terms that it was made of, in Network::literals; empty: it follows from a
  /// counter and what else there is, and is redundant.
  std::uint32_t literal_begin = 0, literal_end = 0;
};

/// The slot it hangs on changed: restrict `other` by luts[lut + domain].
struct PairEntry {
  std::uint32_t lut;
  Slot other;
  std::uint16_t gate;
};

/// The slot s it hangs on changed: restrict b by luts[lut_b + (s << s_b | c << c_b)], and c alike.
struct TripleEntry {
  std::uint32_t lut_b, lut_c;
  std::uint32_t classes;  ///< As in WideEntry.
  Slot b, c;
  std::uint16_t gate;
  std::uint8_t s_shift_b, c_shift_b, s_shift_c, b_shift_c;
};

/// The slot s changed: run the table when the values that it lost mattered to it. `classes` is the
/// number in Network::run_tables of 256 bytes that tell its domains apart; kNoLut: always.
///
/// Most tables with a wide slot say something only while one other slot, the guard, has certain
/// values, its *strict* ones: "order(x,y) is MERGED => size(x) == size(y)". While it may have
/// another one such a table can at most take strict values from it, and only those for which no
/// value of the slot has a partner any more. So it runs when the guard has nothing but strict
/// values left, or when one of these has lost its partners.
struct WideEntry {
  std::uint32_t constraint;
  std::uint32_t classes;
  Slot guard = 0, other = 0;  ///< Narrow; the third slot, or the slot itself when there is none.
  /// In Network::partners: by value of the guard and of the slot; kNoLut: no guard.
  std::uint32_t partners = kNoLut;
  std::uint8_t strict = 0, num_values = 0;  ///< Values of the guard; how many the slot has.
};

/// Run the clause when the slot has no value of the mask left, unless both guards, two other
/// literals of the clause, may still hold: it could not restrict anything then.
struct ClauseWatch {
  Bits mask;
  std::uint32_t constraint;
  Slot guard_a = 0, guard_b = 0;                    ///< Narrow slots.
  std::uint8_t guard_mask_a = 0, guard_mask_b = 0;  ///< 0: no guard.
};

/// One byte of the State's cells.
struct Cell {
  std::uint32_t mirror =
      0;          ///< The other cell of a pair, where the inverted domain stands; or itself.
  Slot slot = 0;  ///< The stored one of the two.
  std::uint16_t inverse = 0;  ///< In Network::inverses: from this cell's domain to the mirror's.
};

/// Rows of cells share their last object: lane z of a row is object z of a root set. This is a run
/// of ground constraints that differ in z alone; a change of the slot that they hang on propagates
/// through all of them at once. Lanes whose object is absent rest.
struct Run {
  std::uint64_t lanes = 0;
  std::uint32_t presence = 0;  ///< Word of StateLayout's presence bits.
  std::uint32_t gate = 0;      ///< The whole run rests until it is open.
  Slot slot = 0;               ///< It hangs on this one.
  std::uint32_t blame = 0;     ///< Relation of the slot and the rows, or kBlamesOrigin | origin.
};
inline constexpr std::uint32_t kBlamesOrigin = 1u << 31;

/// Of a domain with which a table can restrict none of the others.
inline constexpr std::uint8_t kUniversalClass = 0xFE;

/// Tables over the slot and one row: row &= masks[domain].
struct PairRun : Run {
  std::uint32_t row = 0;
  std::uint32_t masks = 0;  ///< In Network::run_tables: 256 bytes.
};

/// Tables over the slot and two rows b and c: b &= lut_b[domain][c], then c &= lut_c[domain][b].
struct TripleRun : Run {
  std::uint32_t row_b = 0, row_c = 0;
  /// In Network::run_tables, a multiple of kRowAlignment: 256 bytes that number what the domains of
  /// the slot can be told apart by, then for each domain lut_b and lut_c.
  std::uint32_t table = 0;
  std::uint16_t width_b = 0, width_c = 0;  ///< Bytes of a table over domains of b, of c.
};
inline constexpr std::uint32_t kRowAlignment = 64;

/// A literal on the cells of a run: bits 24 … 31 the values, bits 0 … 23 the cell or the row.
using PackedLiteral = std::uint32_t;
inline constexpr std::uint32_t kMaxPackedCells = 1u << 24;
constexpr PackedLiteral PackLiteral(Slot cell, std::uint8_t values) {
  return cell | static_cast<std::uint32_t>(values) << 24;
}
constexpr std::uint32_t CellOf(PackedLiteral literal) {
  return literal & (kMaxPackedCells - 1);
}
constexpr std::uint8_t ValuesOf(PackedLiteral literal) {
  return static_cast<std::uint8_t>(literal >> 24);
}

inline constexpr int kMaxRunScalars = 4, kMaxRunRows = 3;

/// Clauses: literals on cells that all lanes share, and literals on rows. The literal on the slot
/// that they hang on is false when the run is looked at.
struct ClauseRun : Run {
  std::uint8_t num_scalars = 0, num_rows = 0;
  std::array<PackedLiteral, kMaxRunScalars> scalars{};
  std::array<PackedLiteral, kMaxRunRows> rows{};
};

/// A clause on cells that all lanes share (as slots) and then on rows, each part ascending.
struct LaneClause {
  static constexpr int kMaxLiterals = 8;
  std::array<PackedLiteral, kMaxLiterals> literals{};
  std::uint64_t lanes = 0;
  /// While the objects of its lanes are absent they rest, unless `always`, and all of them until
  /// the gate is open.
  std::uint32_t gate = 0;
  bool always = false;
  std::uint32_t origin = 0;
  std::uint32_t first = 0;  ///< Object of the first lane …
  std::uint16_t root = 0;   ///< … and its root set.
  std::uint8_t num_scalars = 0, num_rows = 0;
  int size() const { return num_scalars + num_rows; }
};

/// The table of a relation in some lanes: over slots that all lanes share and rows, as in a
/// LaneClause; the relation speaks of domains as the rows show them.
struct LaneTable {
  std::uint64_t lanes = 0;
  std::array<std::uint32_t, 3> cells{};
  std::uint32_t relation = 0, gate = 0;
  std::uint8_t arity = 0, num_scalars = 0;
};

/// Clause runs whose shared literals lie in rows themselves: run number `lane` has its literals in
/// that lane. One look at the rows says which of the runs can have anything to do.
struct ClauseFilter {
  std::uint64_t lanes = 0;
  std::uint32_t first_run = 0;  ///< One a lane, ascending; of a family the run of `first_lane`.
  std::uint8_t num_rows = 0;
  std::uint8_t num_scalars = 0;  ///< A single run, in lane 0: its shared literals instead of rows.
  /// The runs are alike but for where their rows begin: each lane further by these many cells. With
  /// `but_own` the run of a lane has all lanes of the family but that one.
  bool is_family = false;
  bool but_own = false;
  std::uint8_t first_lane = 0;
  std::array<std::uint32_t, kMaxRunRows> strides{};
  std::array<PackedLiteral, kMaxRunScalars> rows{};
};

/// The run of a lane of a family.
inline ClauseRun MemberOf(const ClauseFilter& filter, const ClauseRun& family, std::uint32_t lane) {
  ClauseRun run = family;
  const std::uint32_t step = lane - filter.first_lane;
  for (int i = 0; i < run.num_rows; ++i) run.rows[i] += step * filter.strides[i];
  for (int i = 0; i < run.num_scalars; ++i) run.scalars[i] += step;
  if (filter.but_own) run.lanes &= ~(std::uint64_t{1} << lane);
  return run;
}

/// The clause runs of a slot whose literal on it has the same values.
struct ClauseRunList {
  std::uint32_t values = 0;
  std::uint32_t begin = 0, end = 0;  ///< In Network::clause_filters.
};

/// Increments of a counter that differ in their lane alone: they count when all literals hold.
struct IncrementRun {
  std::uint64_t lanes = 0;
  std::uint64_t value = 0;            ///< Constant weight of each; 0: look it up.
  std::uint32_t first_increment = 0;  ///< In Network::run_increments: one a lane, ascending.
  /// Entry k: the lanes whose weight may exceed 2^k at the root.
  std::array<std::uint64_t, 16> heavy{};
  std::uint64_t vanishing = 0;  ///< The lanes whose weight may be 0, and with it a product.
  std::uint8_t num_scalars = 0, num_rows = 0;
  std::array<PackedLiteral, kMaxRunScalars> scalars{};
  std::array<PackedLiteral, kMaxRunRows> rows{};
};

/// A slot that a counter reads: through a literal with these values, or, with none, as a weight.
struct CounterWatch {
  std::uint32_t counter = 0;
  std::uint32_t values = 0;  ///< 0: every change counts.
};

/// Where the lists of a slot begin in the arrays of the Network; those of the next slot end them.
struct SlotWork {
  std::uint32_t pairs = 0, triples = 0, pair_runs = 0, triple_runs = 0;
  std::uint32_t wides = 0, clauses = 0, clause_lists = 0, counters = 0;
  std::uint32_t wake = 0xFFFFFFFF;  ///< In Network::wake_tables; kNoLut: everything, always.
};

/// Kinds of work of a slot, as bits of its wake table.
enum Work : std::uint8_t {
  kPairWork = 1,
  kTripleWork = 2,
  kRunWork = 4,
  kClauseRunWork = 8,
  kScalarWork = 16,  ///< Wide tables, clauses, counters.
  kAllWork = 31,
};

/// A wake table says which work can tell a domain from a later one: entry before * 32 + now.
/// Domains of more values have none.
inline constexpr int kMaxWakeValues = 5;

struct Increment {
  enum class Weight : std::uint8_t { kConstant, kSlot, kCounter, kTerm };
  Weight weight = Weight::kConstant;
  std::uint32_t literal_begin = 0, literal_end = 0;  ///< It counts when all of them hold.
  std::uint64_t value = 0;                           ///< kConstant.
  std::uint32_t source = 0;    ///< kSlot, kCounter; kTerm: in TermTables::tests.
  std::uint32_t universe = 0;  ///< kSlot: in Objects::universes.
};

struct Counter {
  bool product = false;
  std::uint64_t base = 0;
  /// What the counter is worth beyond what it shows: its base, when that is negative, or 0.
  std::int64_t offset = 0;
  std::uint32_t increment_begin = 0, increment_end = 0;
  std::uint32_t run_begin = 0, run_end = 0;  ///< All increments as runs; none: one by one.
  bool constants = false;                    ///< Runs of constants: counting is enough.
  bool half = false;                         ///< The maximum shows only once it is the minimum.
  /// Once this gate is open a joint says all that the counter says of its decisions.
  std::uint32_t joint_gate = kNoJoint;
  static constexpr std::uint32_t kNoJoint = 0xFFFFFFFF;
  std::uint32_t origin = 0;
};

/// The slots of a long decision.
struct LongSlots {
  Slot first = 0;
  std::uint32_t words = 0;
};

/// Lists by slot, counter or gate: list i is begin[i] … begin[i + 1].
struct Lists {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> items;
  std::span<const std::uint32_t> list(std::uint32_t i) const {
    return {items.data() + begin[i], items.data() + begin[i + 1]};
  }
};

/// Cells of a block.
struct LiveCells {
  std::uint32_t block = 0;
  std::uint64_t cells = 0;
};

/// Position of the presence bit of an object.
struct Presence {
  std::uint32_t word = 0, bit = 0;
};

class Openings;  // rows/openings.h

/// How the cells of a choice lie.
struct RowTable {
  bool in_rows = false;          ///< Lane = number of the last object; else packed.
  int root = -1;                 ///< Root of the set of the last object.
  std::map<Object, Slot> first;  ///< Pairs: row of the pairs (object, …).
  /// First cell of each row, or kNoRow, by the objects but the last, as ChoiceTable counts them.
  std::vector<Slot> rows;
};
inline constexpr Slot kNoRow = 0xFFFFFFFF;

/// What opens when memberships become certain.
struct GateTables {
  Lists slots;                            ///< By gate: open when all are TRUE. Gate 0 has none.
  Lists by_slot;                          ///< The gates that need a membership.
  Lists constraints;                      ///< By gate: records that rest until it is open.
  Lists counting;                         ///< Those of them that read a counter.
  std::vector<std::uint32_t> live_begin;  ///< By gate, in `live`; and one more.
  std::vector<LiveCells> live;            ///< The cells whose decisions it brings to life.
  /// What each gate finds done; none while the root is being propagated, or where there are too
  /// many gates.
  std::shared_ptr<const Openings> openings;
};

/// The bits of a State that say which objects are present.
struct PresenceTables {
  std::vector<std::uint32_t> words;  ///< By set: its first word; 0 when all are present.
  std::vector<Presence> bits;        ///< One per object that may be absent.
  Lists slots;                       ///< By bit: the memberships that it needs.
  Lists by_slot;                     ///< The bits that need a membership.
};

/// The joints and their lists.
struct JointTables {
  std::vector<Joint> all;
  std::vector<std::uint64_t> supports;
  std::vector<std::uint32_t> origins;  ///< The first of each joint is that of its counter.
};

struct Network {
  // ---- The State as constraints see it: which cells show the same decision.
  std::vector<RowTable> rows_by_choice;
  std::vector<Cell> cells;                              ///< By cell.
  std::vector<std::array<std::uint8_t, 256>> inverses;  ///< [0] is the identity.
  std::vector<std::uint16_t> slot_gates;  ///< By slot: its runs rest until this gate is open.

  // ---- What constraints mean. Equal relations, patterns and tables are there once.
  std::vector<Origin> origins;
  std::vector<PairRelation> pair_relations;
  std::vector<std::vector<std::uint32_t>> universes;
  std::vector<Pattern> patterns;
  std::vector<std::uint32_t> pattern_lists;
  std::vector<Relation> relations;
  std::vector<Bits> masks;
  std::vector<std::uint8_t> luts;
  /// By domain: masks and look-up tables of runs, and classes of domains that a table can tell
  /// apart.
  std::vector<std::uint8_t, CacheLineAllocator<std::uint8_t>> run_tables;

  // ---- Records: constraints that some slot has in no run.
  std::vector<Constraint> constraints;
  /// The first ones are those that the queue of the propagation loop may hold: wide tables, joints,
  /// and clauses that are not in a run of every slot that they read.
  std::uint32_t num_loose = 0;
  /// By constraint: bit i says that it is in a run of the i-th slot that it reads. Empty: no runs.
  std::vector<std::uint8_t> covered;
  std::vector<Literal> literals;  ///< Of clauses.
  JointTables joints;
  TermTables terms;
  std::vector<LongSlots> longs;  ///< All of them, ascending.
  std::vector<Bits> long_masks;

  // ---- What a change of a slot wakes: the lists that SlotWork divides among the slots.
  std::vector<SlotWork> work;  ///< By slot, and one more.
  std::vector<std::uint8_t> wake_tables;
  std::vector<PairEntry> pairs;
  std::vector<std::uint32_t> pair_constraints;  ///< Beside `pairs`: the record, when it fails.
  std::vector<TripleEntry> triples;
  std::vector<std::uint32_t> triple_constraints;  ///< Beside `triples`.
  std::vector<PairRun> pair_runs;
  std::vector<TripleRun> triple_runs;
  std::vector<ClauseRunList> clause_lists;
  std::vector<ClauseFilter> clause_filters;
  std::vector<ClauseRun> clause_runs;
  std::vector<WideEntry> wides;
  /// Of guards: what the third slot may have, by value of the guard and of the wide slot.
  std::vector<Bits> partners;
  std::vector<ClauseWatch> clause_watches;
  std::vector<CounterWatch> counter_watches;

  // ---- What holds of all objects of a set alike, and is in none of these lists.
  Uniform uniform;

  // ---- Constraints without a record: in runs of all slots that they read. Each is here once;
  // propagation does not look at these.
  std::vector<LaneTable> lane_tables;
  std::vector<LaneClause> lane_clauses;

  // ---- Counters, and what a change of one wakes.
  std::vector<Counter> counters;
  std::size_t most_increments = 0;  ///< Of a counter.
  std::vector<Increment> increments;
  std::vector<Literal> increment_literals;
  std::vector<IncrementRun> increment_runs;
  std::vector<std::uint32_t> run_increments;
  Lists clauses_by_counter;
  Lists parents_by_counter;  ///< Counters that read it.

  // ---- Objects that may be absent.
  GateTables gates;
  PresenceTables presences;
};

}  // namespace exh::runtime::internal

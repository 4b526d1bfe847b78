// SPDX-License-Identifier: MIT
//
// Clauses in lanes. EmitClause() makes a run for each literal that all lanes share: when it becomes
// false, the run does unit propagation in all lanes. When a literal that differs by lane becomes
// false, one lane is to be looked at, which is a run of another view of the same clause, with
// another object as the lane, or the record.
//
// EmitList() puts the runs of a slot and value set in order. Most of them have nothing to do most
// of the time, for another shared literal holds or several are open. Runs whose shared literals lie
// in rows themselves are told apart by one look at these rows, a ClauseFilter. And where such runs
// are alike but for where their rows begin, by as much more with each lane, one of them is kept
// with these strides, a family; MemberOf() makes the others again.
#include "runtime/internal/ground/lane_emitter.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace exh::runtime::internal {
namespace {

/// Fewer runs are as well kept one by one.
constexpr std::size_t kMinFamily = 4;

/// Runs of neighbouring lanes that differ in where their rows begin, by as much from each lane to
/// the next, and perhaps in that each lacks its own lane.
class Family {
 public:
  Family(const ClauseRun& run, std::uint32_t lane) : first_(&run), first_lane_(lane) {
    own_[0] = run.lanes;
    own_[1] = run.lanes | Bit(lane);
    may_be_[1] = (run.lanes & Bit(lane)) == 0;
  }

  /// Adds the run when it fits.
  bool Takes(const ClauseRun& run, std::uint32_t lane) {
    if (run.num_rows != first_->num_rows) return false;
    const std::uint32_t steps = lane - first_lane_;
    std::array<std::uint32_t, kMaxRunRows> strides = strides_;
    for (int i = 0; i < run.num_rows; ++i) {
      if (ValuesOf(run.rows[i]) != ValuesOf(first_->rows[i])) return false;
      const std::uint32_t from = CellOf(first_->rows[i]), to = CellOf(run.rows[i]);
      if (!has_strides_) {
        if (to < from || (to - from) % steps != 0) return false;
        strides[i] = (to - from) / steps;
      }
      if (from + steps * strides[i] != to) return false;
    }
    const std::array<bool, 2> may_be = {
        may_be_[0] && run.lanes == own_[0],
        may_be_[1] && (run.lanes & Bit(lane)) == 0 && (run.lanes | Bit(lane)) == own_[1]};
    if (!may_be[0] && !may_be[1]) return false;
    may_be_ = may_be;
    strides_ = strides;
    has_strides_ = true;
    return true;
  }

  void Describe(ClauseFilter* filter, ClauseRun* run) const {
    filter->is_family = true;
    filter->but_own = !may_be_[0];
    filter->first_lane = static_cast<std::uint8_t>(first_lane_);
    filter->strides = strides_;
    run->lanes = own_[may_be_[0] ? 0 : 1];
  }

 private:
  static std::uint64_t Bit(std::uint32_t lane) { return std::uint64_t{1} << lane; }
  const ClauseRun* first_;
  std::uint32_t first_lane_;
  std::array<std::uint32_t, kMaxRunRows> strides_{};
  bool has_strides_ = false;
  /// All have the same lanes; or all but their own.
  std::array<bool, 2> may_be_ = {true, true};
  std::array<std::uint64_t, 2> own_{};
};

}  // namespace

/// The literals that read the object, as the rows in which it is the lane show them: choices and
/// values, in ascending order.
LaneEmitter::Terms LaneEmitter::TermsOf(const LaneClause& clause, std::span<const Slot> slots,
                                        std::uint32_t lane, RootObject object) const {
  Terms terms{};
  std::size_t size = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::optional<RowPlace> place = places_.InRow(slots[i], object);
    if (!place) continue;
    std::uint8_t values = ValuesOf(clause.literals[i]);
    const std::uint32_t cell =
        CellOf(clause.literals[i]) + (static_cast<int>(i) < clause.num_scalars ? 0 : lane);
    const Cell& at = network_.cells[cell];
    if ((at.slot != cell) != place->mirrored) values = network_.inverses[at.inverse][values];
    terms[size++] = static_cast<std::uint32_t>(
                        instance_.choice(instance_.decision_at(slots[i])) << 8 | values) +
                    1;
  }
  SortFirst(size, &terms);
  return terms;
}

void LaneEmitter::EmitClause(const LaneClause& clause) {
  const std::uint64_t open = clause.lanes;
  std::array<std::uint32_t, LaneClause::kMaxLiterals> cells{};
  const int size = clause.size();
  for (int i = 0; i < size; ++i) cells[i] = CellOf(clause.literals[i]);
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(open));
  const std::span<const std::uint32_t> all_cells(cells.data(), static_cast<std::size_t>(size));
  const auto all = SlotsAt(all_cells, clause.num_scalars, lane);
  const std::span<const Slot> slots(all.data(), static_cast<std::size_t>(size));
  const RootObject object{clause.root, static_cast<Object>(clause.first + lane)};
  const RowPlaces::Lanes lanes = places_.LanesOf(slots);
  std::uint64_t is_first = ~std::uint64_t{0};
  for (const RootObject other : lanes.all()) {
    if (other != object) is_first &= LanesAfter(other, clause.root, clause.first);
  }

  std::uint8_t covered = 0;
  for (int i = 0; i < size; ++i) {
    RowPlaces::Lanes also;
    const std::optional<RootObject> picked =
        places_.PickLane(slots, static_cast<std::size_t>(i), lanes, &also);
    if (!picked) continue;
    int rows = 0;
    for (const Slot slot : slots) rows += places_.Reads(slot, *picked);
    if (rows > kMaxRunRows || size - rows - 1 > kMaxRunScalars) continue;
    covered |= static_cast<std::uint8_t>(1u << i);
    if (i >= clause.num_scalars) continue;
    // In this view? Of objects that would do as well the one that is read first in the clause's
    // own terms is the lane, so that runs of a slot are alike; of equal ones the last.
    also.objects[also.size++] = *picked;
    if (std::ranges::count(also.all(), object) == 0) continue;
    std::uint64_t run_lanes = open;
    if (also.size > 1) {
      const Terms terms = TermsOf(clause, slots, lane, object);
      for (const RootObject other : also.all()) {
        if (other == object) continue;
        const Terms theirs = TermsOf(clause, slots, lane, other);
        if (theirs < terms) run_lanes = 0;
        if (theirs == terms) run_lanes &= LanesAfter(other, clause.root, clause.first);
      }
    }
    if (run_lanes == 0) continue;
    ClauseRun run;
    run.lanes = run_lanes;
    run.presence = PresenceOf(clause.root, clause.first, clause.always);
    run.gate = RestOf(clause.gate, slots[i], false);
    run.slot = slots[i];
    run.blame = kBlamesOrigin | clause.origin;
    const std::span<const RootObject> shared = places_.ObjectsOf(slots[i]);
    for (int j = 0; j < clause.num_scalars; ++j) {
      if (j == i) continue;
      // The same side of a pair for all runs of a slot: what the slot reads stands first.
      std::uint32_t cell = cells[j];
      std::uint8_t values = ValuesOf(clause.literals[j]);
      const Cell& stored = network_.cells[cell];
      if (stored.mirror != cell) {
        const std::span<const RootObject> pair = places_.ObjectsOf(cell);
        if (std::ranges::count(shared, pair[1]) != 0 && std::ranges::count(shared, pair[0]) == 0) {
          values = network_.inverses[stored.inverse][values];
          cell = stored.mirror;
        }
      }
      run.scalars[run.num_scalars++] = PackLiteral(cell, values);
    }
    SortFirst(run.num_scalars, &run.scalars);
    for (int j = clause.num_scalars; j < size; ++j) {
      run.rows[run.num_rows++] = clause.literals[j];
    }
    clause_runs_.push_back({slots[i], ValuesOf(clause.literals[i]), clause.first, run});
  }
  const std::uint64_t first = open & is_first;
  if (first == 0) return;
  if (covered == (1u << size) - 1) {
    for (const RowPlaces::Needed& needed : places_.NeededIn(clause.root, clause.first)) {
      if ((first & needed.lanes) == 0) continue;
      network_.lane_clauses.push_back(clause);
      network_.lane_clauses.back().lanes = first & needed.lanes;
      network_.lane_clauses.back().gate =
          store_.WithLane({clause.gate, clause.always}, needed.membership);
    }
    return;
  }
  for (std::uint64_t rest = first; rest != 0; rest &= rest - 1) {
    const auto at = static_cast<std::uint32_t>(std::countr_zero(rest));
    Constraint constraint;
    constraint.gate = store_.WithLane(
        {clause.gate, clause.always},
        places_.MembershipOf({clause.root, static_cast<Object>(clause.first + at)}));
    constraint.origin = clause.origin;
    constraint.literal_begin = static_cast<std::uint32_t>(network_.literals.size());
    for (int i = 0; i < size; ++i) {
      std::uint32_t cell = cells[i] + (i < clause.num_scalars ? 0 : at);
      std::uint8_t values = ValuesOf(clause.literals[i]);
      if (network_.cells[cell].slot != cell) {
        values = network_.inverses[network_.cells[cell].inverse][values];
        cell = network_.cells[cell].slot;
      }
      network_.literals.push_back({Literal::Kind::kIn, {}, cell, 0, values, 0});
    }
    constraint.literal_end = static_cast<std::uint32_t>(network_.literals.size());
    network_.constraints.push_back(constraint);
    covered_->push_back(covered);
  }
}

/// The clause runs of one list, those that can be filtered together side by side.
void LaneEmitter::EmitList(std::span<const Hung<ClauseRun>* const> runs) {
  struct Entry {
    std::array<PackedLiteral, kMaxRunScalars> rows{};
    std::uint32_t num_rows = 0, lane = 0, block = 0;
    const ClauseRun* run = nullptr;
    /// Runs that go through one filter: for each lane of the filter there is one.
    auto Group() const {
      return std::tie(num_rows, rows, run->blame, block, run->presence, run->gate);
    }
  };
  std::vector<Entry> entries;
  entries.reserve(runs.size());
  for (const Hung<ClauseRun>* const hung : runs) {
    const ClauseRun& run = hung->run;
    Entry entry;
    entry.run = &run;
    entry.block = hung->block;
    entry.lane = run.num_scalars == 0 ? 0 : CellOf(run.scalars[0]) % kLanes;
    for (int i = 0; i < run.num_scalars; ++i) {
      const std::uint32_t cell = CellOf(run.scalars[i]);
      if (cell % kLanes != entry.lane) {
        entry.num_rows = 0;
        break;
      }
      entry.rows[entry.num_rows++] = PackLiteral(cell - entry.lane, ValuesOf(run.scalars[i]));
    }
    if (entry.num_rows == 0) {
      entry.lane = 0;
      entry.rows = {};
    }
    entries.push_back(entry);
  }
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
    return std::tuple_cat(a.Group(), std::tie(a.lane)) <
           std::tuple_cat(b.Group(), std::tie(b.lane));
  });
  ClauseRunList list{runs.front()->values,
                     static_cast<std::uint32_t>(network_.clause_filters.size()), 0};
  for (std::size_t first = 0; first < entries.size();) {
    // As many as go through one filter, a run a lane.
    std::size_t end = first + 1;
    while (end < entries.size() && entries[first].num_rows != 0 &&
           entries[end].Group() == entries[first].Group() &&
           entries[end].lane != entries[end - 1].lane) {
      ++end;
    }
    while (first < end) {
      ClauseFilter filter;
      const Entry& entry = entries[first];
      filter.first_run = static_cast<std::uint32_t>(network_.clause_runs.size());
      filter.num_rows = static_cast<std::uint8_t>(entry.num_rows);
      filter.rows = entry.rows;
      if (entry.num_rows == 0) {
        filter.num_scalars = entry.run->num_scalars;
        filter.rows = entry.run->scalars;
      }
      Family family(*entry.run, entry.lane);
      std::size_t members = first + 1;
      while (members < end && family.Takes(*entries[members].run, entries[members].lane)) {
        ++members;
      }
      if (members - first >= kMinFamily) {
        network_.clause_runs.push_back(*entry.run);
        family.Describe(&filter, &network_.clause_runs.back());
      } else {
        // Those that are no family stay side by side.
        members = first;
        std::size_t next = first;
        while (next < end && next - first < kMinFamily) {
          network_.clause_runs.push_back(*entries[next++].run);
        }
        members = next;
      }
      for (; first < members; ++first) filter.lanes |= std::uint64_t{1} << entries[first].lane;
      network_.clause_filters.push_back(filter);
    }
  }
  list.end = static_cast<std::uint32_t>(network_.clause_filters.size());
  network_.clause_lists.push_back(list);
}

}  // namespace exh::runtime::internal

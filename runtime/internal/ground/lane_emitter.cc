// SPDX-License-Identifier: MIT
//
// The three steps of a LaneEmitter. Prepare() comes before gates are counted: it makes every gate
// that a run or a record will rest behind, and hands on what is no run of tables (tables of four
// decisions). Emit() makes runs and records of all views and clauses (emit_lane_tables.cc,
// emit_lane_clauses.cc) and sorts the runs by the slot that they hang on. DropEntailed() comes when
// the root was propagated: it leaves out runs, and lanes of tables, that can never do anything.
//
// Invariant after Emit(): for each slot that a ground constraint of the store reads there is either
// a run of that slot with its lane, or its record has bit i of `covered` clear and IndexScalars()
// will make an entry. One with all bits set has no record, and is once in lane_tables or
// lane_clauses: from the view whose lane is the last of all objects that could be it.
#include "runtime/internal/ground/lane_emitter.h"

#include <algorithm>
#include <bit>

#include "runtime/internal/rows/row_kernels.h"

namespace exh::runtime::internal {
namespace {

/// In the order of their slots, and of those with the same as they are.
template <typename H>
std::vector<const H*> BySlot(const std::vector<H>& hung, std::size_t num_slots) {
  std::vector<std::uint32_t> begin(num_slots + 1, 0);
  for (const H& one : hung) ++begin[one.slot + 1];
  for (std::size_t slot = 0; slot < num_slots; ++slot) begin[slot + 1] += begin[slot];
  std::vector<const H*> sorted(hung.size());
  for (const H& one : hung) sorted[begin[one.slot]++] = &one;
  return sorted;
}

std::span<const std::uint32_t> CellsOf(const LaneView& view) {
  return {view.cells.data(), view.arity};
}

}  // namespace

std::uint32_t LaneEmitter::RestOf(std::uint32_t gate, Slot slot, bool make) {
  if (gate == 0) return 0;
  const auto [known, is_new] =
      rests_.try_emplace({gate, instance_.live_gate(instance_.decision_at(slot))}, gate);
  if (!is_new) return known->second;
  const std::vector<Slot>& certain = root_.memberships[slot];
  std::vector<Slot> rest;
  for (const Slot member : gates_.slots(gate)) {
    if (!std::ranges::binary_search(certain, member)) rest.push_back(member);
  }
  if (make) return known->second = gates_.Intern(rest);
  return known->second = gates_.Find(rest).value_or(gate);
}

std::uint32_t LaneEmitter::PresenceOf(int root, std::uint32_t first, bool always) const {
  const std::uint32_t word = network_.presences.words[root];
  return word == 0 || always ? 0 : word + first / kLanes;
}

std::array<Slot, LaneClause::kMaxLiterals> LaneEmitter::SlotsAt(
    std::span<const std::uint32_t> cells, int num_scalars, std::uint32_t lane) const {
  std::array<Slot, LaneClause::kMaxLiterals> slots{};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    slots[i] = static_cast<int>(i) < num_scalars ? cells[i] : network_.cells[cells[i] + lane].slot;
  }
  return slots;
}

void LaneEmitter::Prepare() {
  // Tables of four: a single clause says as much by itself; several are a record.
  const std::size_t num_views = store_.views().size();
  for (std::size_t v = 0; v < num_views; ++v) {
    const LaneView view = store_.views()[v];
    if (view.arity != kMaxTableArity) continue;
    for (std::uint32_t c = view.classes; c != 0; c = store_.classes()[c - 1].next) {
      const LaneClass lanes = store_.classes()[c - 1];
      const std::optional<std::uint32_t> only = store_.pattern_sets().Only(lanes.patterns);
      if (only && network_.patterns[*only].num_pairs == 0) {
        const Pattern& pattern = network_.patterns[*only];
        LaneClause clause;
        for (int i = 0; i < view.arity; ++i) {
          clause.literals[i] =
              PackLiteral(view.cells[i], static_cast<std::uint8_t>(pattern.masks[i]));
        }
        clause.num_scalars = view.num_scalars;
        clause.num_rows = static_cast<std::uint8_t>(view.arity - view.num_scalars);
        clause.lanes = lanes.active;
        clause.gate = lanes.gate.rest;
        clause.always = lanes.gate.always;
        clause.origin = pattern.origin;
        clause.root = view.root;
        clause.first = view.first;
        store_.AddClause(clause);
        continue;
      }
      for (std::uint64_t rest = lanes.active; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        const auto all = SlotsAt(CellsOf(view), view.num_scalars, lane);
        const std::span<const Slot> slots(all.data(), view.arity);
        const RootObject object{view.root, static_cast<Object>(view.first + lane)};
        const RowPlaces::Lanes of_slots = places_.LanesOf(slots);
        if (object != *std::ranges::max_element(of_slots.all())) continue;
        std::vector<std::uint32_t> patterns;
        store_.pattern_sets().Append(lanes.patterns, &patterns);
        const Seen seen = See(view, slots, lane);
        for (const std::uint32_t pattern : patterns) {
          clauses_.AddToGroup(seen.sorted, view.arity,
                              store_.WithLane(lanes.gate, places_.MembershipOf(object)),
                              Canonical(pattern, seen));
        }
      }
    }
  }
  // All gates that anything asks for later, with what lanes wait for and without.
  const auto intern = [&](LaneGate gate, int root, std::uint32_t first, std::uint64_t lanes) {
    for (const RowPlaces::Needed& needed : places_.NeededIn(root, first)) {
      if ((needed.lanes & lanes) != 0) store_.WithLane(gate, needed.membership);
    }
  };
  for (const LaneView& view : store_.views()) {
    if (view.arity == kMaxTableArity) continue;
    for (std::uint32_t c = view.classes; c != 0; c = store_.classes()[c - 1].next) {
      const LaneClass& lanes = store_.classes()[c - 1];
      intern(lanes.gate, view.root, view.first, lanes.lanes);
      if (view.num_scalars == 1) RestOf(lanes.gate.rest, view.cells[0], true);
    }
  }
  for (const LaneClause& clause : store_.clauses()) {
    intern({clause.gate, clause.always}, clause.root, clause.first, clause.lanes);
    for (int i = 0; i < clause.num_scalars; ++i) {
      RestOf(clause.gate, CellOf(clause.literals[i]), true);
    }
  }
}

/// By slot, as Network::work counts them.
void LaneEmitter::Sort() {
  const auto pairs = BySlot(pairs_, network_.work.size());
  const auto triples = BySlot(triples_, network_.work.size());
  auto clauses = BySlot(clause_runs_, network_.work.size());
  std::size_t pair = 0, triple = 0, clause = 0;
  for (Slot slot = 0; slot < network_.work.size(); ++slot) {
    SlotWork& work = network_.work[slot];
    work.pair_runs = static_cast<std::uint32_t>(network_.pair_runs.size());
    work.triple_runs = static_cast<std::uint32_t>(network_.triple_runs.size());
    work.clause_lists = static_cast<std::uint32_t>(network_.clause_lists.size());
    for (; pair < pairs.size() && pairs[pair]->slot == slot; ++pair) {
      network_.pair_runs.push_back(pairs[pair]->run);
    }
    for (; triple < triples.size() && triples[triple]->slot == slot; ++triple) {
      network_.triple_runs.push_back(triples[triple]->run);
    }
    const std::size_t first = clause;
    while (clause < clauses.size() && clauses[clause]->slot == slot) ++clause;
    std::stable_sort(clauses.begin() + static_cast<std::ptrdiff_t>(first),
                     clauses.begin() + static_cast<std::ptrdiff_t>(clause),
                     [](const auto* a, const auto* b) { return a->values < b->values; });
    for (std::size_t begin = first; begin < clause;) {
      std::size_t end = begin;
      while (end < clause && clauses[end]->values == clauses[begin]->values) ++end;
      EmitList({clauses.data() + begin, end - begin});
      begin = end;
    }
  }
  pairs_ = {};
  triples_ = {};
  clause_runs_ = {};
}

void LaneEmitter::ReadRoot() {
  root_cells_.assign(instance_.layout().num_narrow, 0);
  for (Slot slot = 0; slot < instance_.layout().num_narrow; ++slot) {
    const Cell& cell = network_.cells[slot];
    if (cell.slot != slot || !places_.IsDecision(slot)) continue;
    const auto values = static_cast<std::uint8_t>(root_.slots[slot]);
    root_cells_[slot] = values;
    if (cell.mirror != slot) root_cells_[cell.mirror] = network_.inverses[cell.inverse][values];
  }
}

void LaneEmitter::Emit(FreezeTicker* ticker, std::vector<std::uint8_t>* covered) {
  covered_ = covered;
  ReadRoot();
  row_numbers_.assign(instance_.layout().num_narrow / kLanes, false);
  most_values_.assign(instance_.space().choices.size(), 0);
  for (DecisionId d = 0; d < instance_.num_decisions(); ++d) {
    const Slot slot = instance_.slot(d);
    if (slot >= instance_.layout().num_narrow) continue;
    const int choice = instance_.choice(d);
    most_values_[choice] = std::max(most_values_[choice], root_.sizes[slot]);
    if (instance_.space().choices[choice].kind == ChoiceKind::kInteger) {
      row_numbers_[slot / kLanes] = true;
    }
  }
  for (const LaneView& view : store_.views()) {
    ticker->Tick();
    if (view.arity != kMaxTableArity) EmitView(view);
  }
  clause_runs_.reserve(2 * store_.clauses().size());
  for (const LaneClause& clause : store_.clauses()) {
    ticker->Tick();
    EmitClause(clause);
  }
  store_.Clear();
  Sort();
}

void LaneEmitter::MarkCells(std::uint32_t gate, std::span<const std::uint32_t> cells,
                            int num_scalars, std::uint64_t lanes) {
  if (gate == 0) return;
  std::vector<std::uint64_t>& marked = cells_by_gate_[gate];
  if (marked.empty()) marked.assign(instance_.layout().num_narrow / kLanes, 0);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (static_cast<int>(i) < num_scalars) {
      marked[cells[i] / kLanes] |= std::uint64_t{1} << cells[i] % kLanes;
      continue;
    }
    for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      const Slot slot =
          network_.cells[cells[i] + static_cast<std::uint32_t>(std::countr_zero(rest))].slot;
      marked[slot / kLanes] |= std::uint64_t{1} << slot % kLanes;
    }
  }
}

bool LaneEmitter::IsNeverOpen(std::uint32_t gate) const {
  return std::ranges::any_of(gates_.slots(gate),
                             [&](Slot slot) { return root_.slots[slot] == kFalseBit; });
}

std::uint64_t LaneEmitter::OpenLanes(std::span<const PackedLiteral> scalars,
                                     std::span<const PackedLiteral> rows,
                                     std::uint64_t lanes) const {
  for (const PackedLiteral literal : scalars) {
    if ((root_cells_[CellOf(literal)] & ~ValuesOf(literal)) == 0) return 0;
  }
  for (const PackedLiteral literal : rows) {
    lanes &= ~ActiveRowKernels().certain(root_cells_.data() + CellOf(literal), ValuesOf(literal));
  }
  return lanes;
}

std::uint64_t LaneEmitter::OpenLanes(const PairRun& run) {
  const std::array<std::uint32_t, 2> cells = {run.slot, run.row};
  return IsNeverOpen(run.gate) ? 0 : OpenLanes(run.blame, cells, 1, run.lanes);
}

std::uint64_t LaneEmitter::OpenLanes(const TripleRun& run) {
  const std::array<std::uint32_t, 3> cells = {run.slot, run.row_b, run.row_c};
  return IsNeverOpen(run.gate) ? 0 : OpenLanes(run.blame, cells, 1, run.lanes);
}

std::uint64_t LaneEmitter::OpenLanes(const ClauseRun& run, std::uint32_t values) const {
  if (IsNeverOpen(run.gate)) return 0;
  const PackedLiteral hung = PackLiteral(run.slot, static_cast<std::uint8_t>(values));
  if (OpenLanes({&hung, 1}, {}, 1) == 0) return 0;
  return OpenLanes({run.scalars.data(), run.num_scalars}, {run.rows.data(), run.num_rows},
                   run.lanes);
}

/// Keeps the open lanes of all runs, in place and in order.
void LaneEmitter::DropEntailed(FreezeTicker* ticker) {
  ReadRoot();
  num_entailed_ = 0;
  const std::vector<SlotWork> before = network_.work;
  std::size_t pairs = 0, triples = 0, lists = 0, filters = 0, clauses = 0;
  for (Slot slot = 0; slot + 1 < network_.work.size(); ++slot) {
    ticker->Tick();
    SlotWork& work = network_.work[slot];
    const SlotWork &from = before[slot], &end = before[slot + 1];
    work.pair_runs = static_cast<std::uint32_t>(pairs);
    work.triple_runs = static_cast<std::uint32_t>(triples);
    work.clause_lists = static_cast<std::uint32_t>(lists);
    for (std::uint32_t i = from.pair_runs; i < end.pair_runs; ++i) {
      PairRun run = network_.pair_runs[i];
      run.lanes = OpenLanes(run);
      if (run.lanes != 0) network_.pair_runs[pairs++] = run;
    }
    for (std::uint32_t i = from.triple_runs; i < end.triple_runs; ++i) {
      TripleRun run = network_.triple_runs[i];
      run.lanes = OpenLanes(run);
      if (run.lanes != 0) network_.triple_runs[triples++] = run;
    }
    for (std::uint32_t l = from.clause_lists; l < end.clause_lists; ++l) {
      ClauseRunList list = network_.clause_lists[l];
      const std::uint32_t filters_end = list.end;
      const std::size_t first_filter = filters;
      for (std::uint32_t f = list.begin; f < filters_end; ++f) {
        ClauseFilter filter = network_.clause_filters[f];
        std::uint64_t kept = 0;
        const std::size_t first_run = clauses;
        std::uint32_t number = filter.first_run;
        const ClauseRun family = network_.clause_runs[number];
        for (std::uint64_t rest = filter.lanes; rest != 0; rest &= rest - 1) {
          // What is entailed in some lanes only stays as it is: families are all alike.
          const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
          const ClauseRun run =
              filter.is_family ? MemberOf(filter, family, lane) : network_.clause_runs[number++];
          if (OpenLanes(run, list.values) == 0) continue;
          if (!filter.is_family) network_.clause_runs[clauses++] = run;
          kept |= rest & (~rest + 1);
        }
        if (filter.is_family && kept != 0) network_.clause_runs[clauses++] = family;
        if (kept == 0) continue;
        filter.lanes = kept;
        filter.first_run = static_cast<std::uint32_t>(first_run);
        network_.clause_filters[filters++] = filter;
      }
      if (filters == first_filter) continue;
      list.begin = static_cast<std::uint32_t>(first_filter);
      list.end = static_cast<std::uint32_t>(filters);
      network_.clause_lists[lists++] = list;
    }
  }
  SlotWork& last = network_.work.back();
  last.pair_runs = static_cast<std::uint32_t>(pairs);
  last.triple_runs = static_cast<std::uint32_t>(triples);
  last.clause_lists = static_cast<std::uint32_t>(lists);
  network_.pair_runs.resize(pairs);
  network_.triple_runs.resize(triples);
  network_.clause_lists.resize(lists);
  network_.clause_filters.resize(filters);
  network_.clause_runs.resize(clauses);
  network_.pair_runs.shrink_to_fit();
  network_.triple_runs.shrink_to_fit();
  network_.clause_filters.shrink_to_fit();
  network_.clause_runs.shrink_to_fit();

  cells_by_gate_.assign(gates_.size(), {});
  for (LaneTable& table : network_.lane_tables) {
    const std::span<const std::uint32_t> cells(table.cells.data(), table.arity);
    const std::uint64_t open =
        IsNeverOpen(table.gate) ? 0
                                : OpenLanes(table.relation, cells, table.num_scalars, table.lanes);
    num_entailed_ += static_cast<std::size_t>(std::popcount(table.lanes & ~open));
    table.lanes = open;
    MarkCells(table.gate, cells, table.num_scalars, open);
  }
  std::erase_if(network_.lane_tables, [](const LaneTable& table) { return table.lanes == 0; });
  for (LaneClause& clause : network_.lane_clauses) {
    const std::span<const PackedLiteral> literals(clause.literals.data(),
                                                  static_cast<std::size_t>(clause.size()));
    const std::uint64_t open = IsNeverOpen(clause.gate)
                                   ? 0
                                   : OpenLanes(literals.first(clause.num_scalars),
                                               literals.subspan(clause.num_scalars), clause.lanes);
    num_entailed_ += static_cast<std::size_t>(std::popcount(clause.lanes & ~open));
    clause.lanes = open;
    std::array<std::uint32_t, LaneClause::kMaxLiterals> cells{};
    for (int i = 0; i < clause.size(); ++i) cells[i] = CellOf(clause.literals[i]);
    MarkCells(clause.gate, {cells.data(), literals.size()}, clause.num_scalars, open);
  }
  std::erase_if(network_.lane_clauses, [](const LaneClause& clause) { return clause.lanes == 0; });
  network_.lane_tables.shrink_to_fit();
  network_.lane_clauses.shrink_to_fit();
}

}  // namespace exh::runtime::internal

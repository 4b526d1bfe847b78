// SPDX-License-Identifier: MIT
//
// RowRuns: runs of ground constraints, a block of 64 lanes at a time. A run of tables is one or two
// look-ups over a row; a run of clauses asks in which lanes all literals but one are false. A
// kernel computes the new cells of all lanes and a mask of those that change; Commit() then writes
// these one by one, for each has a mirror cell and a slot that is to be queued.
//
// A run of the clause e(x,y) is A || c(x,z) is B || d(y,z) is C, when e(x,y) has just lost A:
//
//   lane z                0              1              2
//   c(x,z) is B fails     yes            no             yes
//   d(y,z) is C fails     no             yes            yes
//   the run says          d(y,0) is C    c(x,1) is B    dead end: this clause is to blame
//
// A lane takes part when it is in Run::lanes and its object is present.
//
// Invariant: a cell and its mirror say the same, and both are written before anything else is
// looked at; of a slot that changes again while it is queued, the domain before the first change
// stays noted.
//
// Included once by each file with kernels, after it has defined EXH_ROW_TARGET: the loop is
// compiled for each instruction set, so that the kernels are inlined into it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "runtime/internal/rows/propagator.h"

namespace exh::runtime::internal {

/// `Rows` has the kernels of row_kernels.h as static members.
template <typename Rows>
class RowRuns {
 public:
  explicit RowRuns(Propagator& propagator)
      : p_(propagator),
        network_(propagator.network_),
        layout_(propagator.layout_),
        state_(propagator.state_),
        work_(propagator.work_),
        domains_(propagator.state_.bytes()) {}

  EXH_ROW_TARGET bool Commit(const Run& run, std::uint32_t row, std::uint64_t changed,
                             const std::uint8_t* out) {
    std::uint8_t* const domains = domains_;
    for (; changed != 0; changed &= changed - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(changed));
      const std::uint32_t at = row + lane;
      const Cell& cell = network_.cells[at];
      const std::uint8_t before = domains[at], after = before & out[lane];
      if (after == 0) return p_.FailLane(run, lane, cell.slot);
      const auto& inverse = network_.inverses[cell.inverse];
      domains[at] = after;
      domains[cell.mirror] = inverse[after];
      if (work_.slots.Insert(cell.slot)) {
        work_.seen[cell.slot] = cell.slot == at ? before : inverse[before];
      }
    }
    return true;
  }

  EXH_ROW_TARGET bool KeepLanes(const Run& run, std::uint32_t row, std::uint8_t values,
                                std::uint64_t lanes) {
    if (lanes == 0) return true;
    alignas(64) std::array<std::uint8_t, kLanes> out;
    const std::uint64_t changed = lanes & Rows::Keep(domains_ + row, values, out.data());
    return Commit(run, row, changed, out.data());
  }

  EXH_ROW_TARGET bool RunPairRun(const PairRun& run, std::uint8_t now, std::uint64_t lanes) {
    return KeepLanes(run, run.row, network_.run_tables[run.masks + now], lanes);
  }

  EXH_ROW_TARGET bool RunTripleRun(const TripleRun& run, std::uint8_t now, std::uint64_t lanes) {
    std::uint8_t* const domains = domains_;
    const std::uint32_t stride = std::uint32_t{run.width_b} + run.width_c;
    const std::uint8_t* const lut_b = network_.run_tables.data() + run.table + 256 + now * stride;
    alignas(64) std::array<std::uint8_t, kLanes> out_b, out_c;
    std::uint64_t changed_b, changed_c;
    Rows::Compose(domains + run.row_b, domains + run.row_c, lut_b, lut_b + run.width_c, run.width_b,
                  run.width_c, lanes, out_b.data(), out_c.data(), &changed_b, &changed_c);
    return (changed_b == 0 || Commit(run, run.row_b, changed_b, out_b.data())) &&
           (changed_c == 0 || Commit(run, run.row_c, changed_c, out_c.data()));
  }

  /// Unit propagation in every lane: a literal must hold when all others are false. The literals
  /// that all lanes share are looked at first. With two of them open, or one true, there is nothing
  /// to do in any lane.
  EXH_ROW_TARGET bool RunClauseRun(const ClauseRun& run, std::uint64_t lanes) {
    const std::uint8_t* const domains = domains_;
    PackedLiteral open = 0;
    for (int i = 0; i < run.num_scalars; ++i) {
      const PackedLiteral literal = run.scalars[i];
      const std::uint8_t domain = domains[CellOf(literal)], values = ValuesOf(literal);
      if ((domain & values) == 0) continue;
      if ((domain & ~values) == 0 || open != 0) return true;
      open = literal;
    }
    std::array<std::uint64_t, kMaxRunRows> excluded;
    std::uint64_t all = lanes;
    for (int i = 0; i < run.num_rows; ++i) {
      excluded[i] = Rows::Excluded(domains + CellOf(run.rows[i]), ValuesOf(run.rows[i]));
      all &= excluded[i];
    }
    if (open != 0) {
      return all == 0 || p_.KeepCell(CellOf(open), ValuesOf(open), run);
    }
    for (int i = 0; i < run.num_rows; ++i) {
      std::uint64_t unit = lanes;
      for (int j = 0; j < run.num_rows; ++j) {
        if (j != i) unit &= excluded[j];
      }
      if (!KeepLanes(run, CellOf(run.rows[i]), ValuesOf(run.rows[i]), unit)) return false;
    }
    return true;
  }

  /// Runs those runs of a filter in which no shared literal is true and at most one is open.
  EXH_ROW_TARGET bool RunFilter(const ClauseFilter& filter, const std::uint64_t* presence) {
    const std::uint8_t* const domains = domains_;
    bool has_open = false;
    for (int i = 0; i < filter.num_scalars; ++i) {
      const std::uint8_t domain = domains[CellOf(filter.rows[i])],
                         values = ValuesOf(filter.rows[i]);
      if ((domain & values) == 0) continue;
      if (has_open || (domain & ~values) == 0) return true;
      has_open = true;
    }
    std::uint64_t lanes = filter.lanes, one_open = 0;
    for (int i = 0; i < filter.num_rows; ++i) {
      const std::uint8_t* const row = domains + CellOf(filter.rows[i]);
      const std::uint64_t excluded = Rows::Excluded(row, ValuesOf(filter.rows[i]));
      lanes &= excluded | ~(one_open | Rows::Certain(row, ValuesOf(filter.rows[i])));
      one_open |= ~excluded;
      if (lanes == 0) return true;
    }
    if (filter.is_family) {
      const ClauseRun& family = network_.clause_runs[filter.first_run];
      if ((family.lanes & presence[family.presence]) == 0 || !state_.gate(layout_, family.gate)) {
        return true;
      }
      for (; lanes != 0; lanes &= lanes - 1) {
        const ClauseRun run =
            MemberOf(filter, family, static_cast<std::uint32_t>(std::countr_zero(lanes)));
        if (!RunClauseRun(run, run.lanes & presence[run.presence])) return false;
      }
      return true;
    }
    for (; lanes != 0; lanes &= lanes - 1) {
      const std::uint64_t below = filter.lanes & ((lanes & (~lanes + 1)) - 1);
      const ClauseRun& run =
          network_.clause_runs[filter.first_run + static_cast<std::uint32_t>(Rows::Count(below))];
      const std::uint64_t run_lanes = run.lanes & presence[run.presence];
      if (run_lanes == 0 || !state_.gate(layout_, run.gate)) continue;
      if (!RunClauseRun(run, run_lanes)) return false;
    }
    return true;
  }

  EXH_ROW_TARGET bool RunRuns(std::uint8_t before, std::uint8_t now, const SlotWork& work,
                              const SlotWork& next) {
    const std::uint8_t* const tables = network_.run_tables.data();
    const std::uint8_t* const gates = domains_ + layout_.gate_byte;
    const std::uint64_t* const presence = &state_.presence(layout_, 0);
    const PairRun* const pairs_end = network_.pair_runs.data() + next.pair_runs;
    for (const PairRun* run = network_.pair_runs.data() + work.pair_runs; run != pairs_end; ++run) {
      const std::uint8_t* const masks = tables + run->masks;
      if (masks[before] != masks[now] && gates[run->gate] != 0 &&
          !RunPairRun(*run, now, run->lanes & presence[run->presence])) {
        return false;
      }
    }
    const TripleRun* const triples_end = network_.triple_runs.data() + next.triple_runs;
    for (const TripleRun* run = network_.triple_runs.data() + work.triple_runs; run != triples_end;
         ++run) {
      const std::uint8_t* const classes = tables + run->table;
      if (classes[before] == classes[now] || classes[now] == kUniversalClass) continue;
      if (gates[run->gate] != 0 && !RunTripleRun(*run, now, run->lanes & presence[run->presence])) {
        return false;
      }
    }
    return true;
  }

  EXH_ROW_TARGET bool RunClauseLists(std::uint8_t before, std::uint8_t now, const SlotWork& work,
                                     const SlotWork& next) {
    const ClauseRunList* const lists_end = network_.clause_lists.data() + next.clause_lists;
    for (const ClauseRunList* list = network_.clause_lists.data() + work.clause_lists;
         list != lists_end; ++list) {
      if ((now & list->values) != 0 || (before & list->values) == 0) continue;
      for (std::uint32_t f = list->begin; f < list->end; ++f) {
        if (!RunFilter(network_.clause_filters[f], &state_.presence(layout_, 0))) return false;
      }
    }
    return true;
  }

 protected:
  Propagator& p_;
  const Network& network_;
  const StateLayout& layout_;
  State& state_;
  Workspace& work_;
  std::uint8_t* const domains_;
};

}  // namespace exh::runtime::internal

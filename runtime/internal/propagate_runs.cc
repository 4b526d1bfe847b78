// SPDX-License-Identifier: MIT
//
// Runs of ground constraints, a block of lanes at a time (engine.md 6.5, kernels 2 to 4).
#include <array>
#include <bit>

#include "runtime/internal/propagator.h"

namespace exh::runtime::internal {

std::uint32_t Propagator::ConstraintOf(const Run& run, std::uint32_t lane) const {
  const std::uint64_t below = run.lanes & ((std::uint64_t{1} << lane) - 1);
  return network_.run_constraints[run.first_constraint +
                                  static_cast<std::uint32_t>(std::popcount(below))];
}

bool Propagator::FailLane(const Run& run, std::uint32_t lane, Slot target) {
  const Constraint& constraint = network_.constraints[ConstraintOf(run, lane)];
  if (constraint.kind == Constraint::Kind::kClause) return Fail(network_.origins[constraint.origin]);
  return FailTable(constraint, target);
}

bool Propagator::Commit(const Run& run, std::uint32_t row, std::uint64_t changed,
                        const std::uint8_t* out) {
  std::uint8_t* const domains = state_.bytes();
  for (; changed != 0; changed &= changed - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(changed));
    const std::uint32_t at = row + lane;
    const Cell& cell = network_.cells[at];
    const std::uint8_t before = domains[at], after = before & out[lane];
    if (after == 0) return FailLane(run, lane, cell.slot);
    const auto& inverse = network_.inverses[cell.inverse];
    domains[at] = after;
    domains[cell.mirror] = inverse[after];
    if (work_.slots.Insert(cell.slot)) {
      work_.seen[cell.slot] = cell.slot == at ? before : inverse[before];
    }
  }
  return true;
}

bool Propagator::KeepLanes(const Run& run, std::uint32_t row, std::uint8_t values,
                           std::uint64_t lanes) {
  if (lanes == 0) return true;
  alignas(64) std::array<std::uint8_t, kLanes> out;
  const std::uint64_t changed = lanes & rows_.keep(state_.bytes() + row, values, out.data());
  return Commit(run, row, changed, out.data());
}

bool Propagator::KeepCell(std::uint32_t at, std::uint8_t allowed, const Run& run,
                          std::uint32_t lane) {
  const Cell& cell = network_.cells[at];
  if (cell.slot != at) allowed = network_.inverses[cell.inverse][allowed];
  return Keep(cell.slot, allowed, network_.origins[network_.constraints[ConstraintOf(run, lane)].origin]);
}

bool Propagator::RunPairRun(const PairRun& run, std::uint8_t now) {
  return KeepLanes(run, run.row, network_.run_tables[run.masks + now],
                   run.lanes & state_.presence(layout_, run.presence));
}

bool Propagator::RunTripleRun(const TripleRun& run, std::uint8_t now) {
  const std::uint64_t lanes = run.lanes & state_.presence(layout_, run.presence);
  std::uint8_t* const domains = state_.bytes();
  const std::uint32_t stride = std::uint32_t{run.width_b} + run.width_c;
  const std::uint8_t* const lut_b = network_.run_tables.data() + run.table + 256 + now * stride;
  alignas(64) std::array<std::uint8_t, kLanes> out_b, out_c;
  std::uint64_t changed_b, changed_c;
  rows_.compose(domains + run.row_b, domains + run.row_c, lut_b, lut_b + run.width_c, run.width_b,
                run.width_c, lanes, out_b.data(), out_c.data(), &changed_b, &changed_c);
  return (changed_b == 0 || Commit(run, run.row_b, changed_b, out_b.data())) &&
         (changed_c == 0 || Commit(run, run.row_c, changed_c, out_c.data()));
}

/// Unit propagation in every lane. What all lanes share is looked at first: with two such literals
/// open, or one true, there is nothing to do in any lane.
bool Propagator::RunClauseRun(const ClauseRun& run) {
  const std::uint8_t* const domains = state_.bytes();
  PackedLiteral open = 0;
  for (int i = 0; i < run.num_scalars; ++i) {
    const PackedLiteral literal = run.scalars[i];
    const std::uint8_t domain = domains[CellOf(literal)], values = ValuesOf(literal);
    if ((domain & values) == 0) continue;
    if ((domain & ~values) == 0 || open != 0) return true;
    open = literal;
  }
  const std::uint64_t lanes = run.lanes & state_.presence(layout_, run.presence);
  std::array<std::uint64_t, kMaxRunRows> excluded;
  std::uint64_t all = lanes;
  for (int i = 0; i < run.num_rows; ++i) {
    excluded[i] = rows_.excluded(domains + CellOf(run.rows[i]), ValuesOf(run.rows[i]));
    all &= excluded[i];
  }
  if (open != 0) {
    return all == 0 || KeepCell(CellOf(open), ValuesOf(open), run,
                                static_cast<std::uint32_t>(std::countr_zero(all)));
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

bool Propagator::RunRuns(Slot slot, std::uint8_t before, std::uint8_t now) {
  const SlotWork &work = network_.work[slot], &next = network_.work[slot + 1];
  for (std::uint32_t i = work.pair_runs; i < next.pair_runs; ++i) {
    const PairRun& run = network_.pair_runs[i];
    const std::uint8_t* const masks = network_.run_tables.data() + run.masks;
    if (masks[before] != masks[now] && state_.gate(layout_, run.gate) && !RunPairRun(run, now)) {
      return false;
    }
  }
  for (std::uint32_t i = work.triple_runs; i < next.triple_runs; ++i) {
    const TripleRun& run = network_.triple_runs[i];
    const std::uint8_t* const classes = network_.run_tables.data() + run.table;
    if (classes[before] != classes[now] && state_.gate(layout_, run.gate) &&
        !RunTripleRun(run, now)) {
      return false;
    }
  }
  for (std::uint32_t i = work.clause_lists; i < next.clause_lists; ++i) {
    const ClauseRunList& list = network_.clause_lists[i];
    if ((now & list.values) != 0 || (before & list.values) == 0) continue;
    for (std::uint32_t r = list.begin; r < list.end; ++r) {
      const ClauseRun& run = network_.clause_runs[r];
      if (state_.gate(layout_, run.gate) && !RunClauseRun(run)) return false;
    }
  }
  return true;
}

/// What the increments say, when they are runs. Absent objects need no presence bits here: their
/// memberships are literals of the increments.
Interval Propagator::SumOfRuns(const Counter& counter) const {
  const std::uint8_t* const domains = state_.bytes();
  Interval sum{counter.base, counter.base};
  for (std::uint32_t i = counter.run_begin; i < counter.run_end; ++i) {
    const IncrementRun& run = network_.increment_runs[i];
    bool certain = true, possible = true;
    for (int s = 0; s < run.num_scalars; ++s) {
      const std::uint8_t domain = domains[CellOf(run.scalars[s])], values = ValuesOf(run.scalars[s]);
      possible &= (domain & values) != 0;
      certain &= (domain & ~values) == 0;
    }
    if (!possible) continue;
    std::uint64_t may_count = run.lanes, counts = certain ? run.lanes : 0;
    for (int r = 0; r < run.num_rows; ++r) {
      const std::uint8_t* const row = domains + CellOf(run.rows[r]);
      may_count &= ~rows_.excluded(row, ValuesOf(run.rows[r]));
      counts &= rows_.certain(row, ValuesOf(run.rows[r]));
    }
    sum.min = SaturatingAdd(
        sum.min, SaturatingMul(run.value, static_cast<std::uint64_t>(std::popcount(counts))));
    sum.max = SaturatingAdd(
        sum.max, SaturatingMul(run.value, static_cast<std::uint64_t>(std::popcount(may_count))));
  }
  return sum;
}

}  // namespace exh::runtime::internal

// SPDX-License-Identifier: MIT
//
// Runs of ground constraints, a block of lanes at a time (engine.md 6.5, kernels 2 to 4).
#include <algorithm>
#include <array>
#include <bit>

#include "runtime/internal/propagator.h"

namespace exh::runtime::internal {

std::uint32_t Propagator::ConstraintOf(const Run& run, std::uint32_t lane) const {
  const std::uint64_t below = run.lanes & ((std::uint64_t{1} << lane) - 1);
  return network_
      .run_constraints[run.first_constraint + static_cast<std::uint32_t>(std::popcount(below))];
}

bool Propagator::FailLane(const Run& run, std::uint32_t lane, Slot target) {
  const Constraint& constraint = network_.constraints[ConstraintOf(run, lane)];
  if (constraint.kind == Constraint::Kind::kClause)
    return Fail(network_.origins[constraint.origin]);
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
  return Keep(cell.slot, allowed,
              network_.origins[network_.constraints[ConstraintOf(run, lane)].origin]);
}

bool Propagator::RunPairRun(const PairRun& run, std::uint8_t now, std::uint64_t lanes) {
  return KeepLanes(run, run.row, network_.run_tables[run.masks + now], lanes);
}

bool Propagator::RunTripleRun(const TripleRun& run, std::uint8_t now, std::uint64_t lanes) {
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
bool Propagator::RunClauseRun(const ClauseRun& run, std::uint64_t lanes) {
  const std::uint8_t* const domains = state_.bytes();
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

/// Runs with a true literal, or two open ones, among those that their lanes share need no look.
bool Propagator::RunFilter(const ClauseFilter& filter, const std::uint64_t* presence) {
  const std::uint8_t* const domains = state_.bytes();
  bool has_open = false;
  for (int i = 0; i < filter.num_scalars; ++i) {
    const std::uint8_t domain = domains[CellOf(filter.rows[i])], values = ValuesOf(filter.rows[i]);
    if ((domain & values) == 0) continue;
    if (has_open || (domain & ~values) == 0) return true;
    has_open = true;
  }
  std::uint64_t lanes = filter.lanes, one_open = 0;
  for (int i = 0; i < filter.num_rows; ++i) {
    const std::uint8_t* const row = domains + CellOf(filter.rows[i]);
    const std::uint64_t excluded = rows_.excluded(row, ValuesOf(filter.rows[i]));
    lanes &= excluded | ~(one_open | rows_.certain(row, ValuesOf(filter.rows[i])));
    one_open |= ~excluded;
    if (lanes == 0) return true;
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t below = filter.lanes & ((lanes & (~lanes + 1)) - 1);
    const ClauseRun& run =
        network_.clause_runs[filter.first_run + static_cast<std::uint32_t>(rows_.count(below))];
    const std::uint64_t run_lanes = run.lanes & presence[run.presence];
    if (run_lanes == 0 || !state_.gate(layout_, run.gate)) continue;
    if (!RunClauseRun(run, run_lanes)) return false;
  }
  return true;
}

bool Propagator::RunRuns(std::uint8_t before, std::uint8_t now, const SlotWork& work,
                         const SlotWork& next) {
  const std::uint8_t* const tables = network_.run_tables.data();
  const std::uint8_t* const gates = state_.bytes() + layout_.gate_byte;
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

bool Propagator::RunClauseLists(std::uint8_t before, std::uint8_t now, const SlotWork& work,
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

/// All runs of a slot, in the lanes of objects that have just appeared.
bool Propagator::RunFresh(Slot slot, const std::uint64_t* fresh) {
  const SlotWork &work = network_.work[slot], &next = network_.work[slot + 1];
  const std::uint8_t* const tables = network_.run_tables.data();
  const std::uint8_t now = state_.bytes()[slot];
  for (std::uint32_t i = work.pair_runs; i < next.pair_runs; ++i) {
    const PairRun& run = network_.pair_runs[i];
    const std::uint64_t lanes = run.lanes & fresh[run.presence];
    if (lanes != 0 && state_.gate(layout_, run.gate) && !RunPairRun(run, now, lanes)) return false;
  }
  for (std::uint32_t i = work.triple_runs; i < next.triple_runs; ++i) {
    const TripleRun& run = network_.triple_runs[i];
    const std::uint64_t lanes = run.lanes & fresh[run.presence];
    if (lanes == 0 || tables[run.table + now] == kUniversalClass) continue;
    if (state_.gate(layout_, run.gate) && !RunTripleRun(run, now, lanes)) return false;
  }
  for (std::uint32_t i = work.clause_lists; i < next.clause_lists; ++i) {
    const ClauseRunList& list = network_.clause_lists[i];
    if ((now & list.values) != 0) continue;
    for (std::uint32_t f = list.begin; f < list.end; ++f) {
      if (!RunFilter(network_.clause_filters[f], fresh)) return false;
    }
  }
  return true;
}

/// The lanes of a run of increments that may count, those that do, and those that would not with a
/// single literal made false. Absent objects need no presence bits here: their memberships are
/// literals of the increments.
std::uint64_t Propagator::MayCount(const IncrementRun& run, std::uint64_t* counts,
                                   std::uint64_t* one_open) const {
  const std::uint8_t* const domains = state_.bytes();
  std::uint64_t open = 0, several_open = 0;
  for (int s = 0; s < run.num_scalars; ++s) {
    const std::uint8_t domain = domains[CellOf(run.scalars[s])], values = ValuesOf(run.scalars[s]);
    if ((domain & values) == 0) {
      *counts = *one_open = 0;
      return 0;
    }
    if ((domain & ~values) != 0) {
      several_open |= open;
      open = run.lanes;
    }
  }
  std::uint64_t may_count = run.lanes;
  for (int r = 0; r < run.num_rows; ++r) {
    const std::uint8_t* const row = domains + CellOf(run.rows[r]);
    may_count &= ~rows_.excluded(row, ValuesOf(run.rows[r]));
    if (may_count == 0) break;
    const std::uint64_t open_here = ~rows_.certain(row, ValuesOf(run.rows[r]));
    several_open |= open & open_here;
    open |= open_here;
  }
  *counts = may_count & ~open;
  *one_open = may_count & open & ~several_open;
  return may_count;
}

Interval Propagator::CountRuns(const Counter& counter, std::uint64_t* max_open) const {
  Interval sum{counter.base, counter.base};
  for (std::uint32_t i = counter.run_begin; i < counter.run_end; ++i) {
    const IncrementRun& run = network_.increment_runs[i];
    std::uint64_t counts, one_open;
    const std::uint64_t may_count = MayCount(run, &counts, &one_open);
    if (may_count == 0) continue;
    if (may_count != counts) *max_open = std::max(*max_open, run.value);
    sum.min = SaturatingAdd(sum.min, SaturatingMul(run.value, rows_.count(counts)));
    sum.max = SaturatingAdd(sum.max, SaturatingMul(run.value, rows_.count(may_count)));
  }
  return sum;
}

/// The minimum of a half product, and whether no single increment can take it above `limit`. Only
/// what counts for certain is looked at; of the rest it is enough to know that it is light.
bool Propagator::HasSlack(const Counter& counter, std::uint64_t limit, Interval* product) const {
  product->min = counter.base;
  std::uint64_t largest = 1;
  bool settled = true;
  std::array<std::uint64_t, 16> open_heavy{};
  for (std::uint32_t i = counter.run_begin; i < counter.run_end; ++i) {
    const IncrementRun& run = network_.increment_runs[i];
    std::uint64_t counts, one_open;
    if (MayCount(run, &counts, &one_open) != counts) settled = false;
    if (one_open != 0) {  // The others could not be kept from counting anyway.
      for (std::size_t k = 0; k < open_heavy.size(); ++k) {
        open_heavy[k] |= one_open & run.heavy[k];
      }
    }
    for (; counts != 0; counts &= counts - 1) {
      const std::uint64_t below = run.lanes & ((counts & (~counts + 1)) - 1);
      const Contribution c = Contribute(
          network_
              .run_increments[run.first_increment + static_cast<std::uint32_t>(rows_.count(below))],
          Truth::kTrue);
      product->min = SaturatingMul(product->min, c.min);
      settled &= c.min == c.max;
      if (c.min != 0) largest = std::max(largest, c.max / c.min + (c.max % c.min != 0));
    }
  }
  product->max = settled ? product->min : kSaturated;
  if (product->min == 0 || product->min > limit) return false;
  const std::uint64_t factor = limit / product->min;
  if (largest > factor) return false;
  const auto k = std::min<std::size_t>(std::bit_width(factor) - 1, open_heavy.size() - 1);
  return open_heavy[k] == 0;
}

void Propagator::ReadRuns(const Counter& counter) {
  for (std::uint32_t i = counter.run_begin; i < counter.run_end; ++i) {
    const IncrementRun& run = network_.increment_runs[i];
    std::uint64_t counts, one_open;
    std::uint64_t may_count = MayCount(run, &counts, &one_open);
    for (; may_count != 0; may_count &= may_count - 1) {
      const std::uint64_t bit = may_count & (~may_count + 1);
      const std::uint32_t rank = static_cast<std::uint32_t>(rows_.count(run.lanes & (bit - 1)));
      work_.contributions.push_back(Contribute(network_.run_increments[run.first_increment + rank],
                                               (counts & bit) != 0 ? Truth::kTrue : Truth::kMaybe));
    }
  }
}

}  // namespace exh::runtime::internal

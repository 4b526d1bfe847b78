// SPDX-License-Identifier: MIT
//
// RowCounts: a counter that runs, by the row where that is possible. RunCounter() tries what is
// cheap first: nothing, when a joint says all; two population counts, for sums of constants; what
// counts for certain, for products of which only the minimum shows. Each of these also knows
// whether anything can follow for the increments. Only then the contributions are listed one by
// one, and propagate_counters.cc reasons with them.
//
// A sum that counts 1 for each task t with on(m, t) is YES, in one run over the row on(m,.):
//
//   lane t       0        1            2       3
//   on(m,.)     {YES}   {YES, NO}     {NO}    {YES}
//   may count    1        1                    1        three lanes: the maximum is 3
//   counts       1                             1        two lanes: the minimum is 2
//   one open              1                             it could be kept from counting
//
// Between 2 and 3 with a largest open increment of 1: bounds of [0, 5] push nothing back, bounds of
// [0, 2] do.
//
// Included once by each file with kernels, after it has defined EXH_ROW_TARGET: the loop is
// compiled for each instruction set, so that the kernels are inlined into it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "runtime/internal/rows/row_uniform.h"

namespace exh::runtime::internal {

template <typename Rows>
class RowCounts : public RowUniform<Rows> {
 public:
  using RowUniform<Rows>::RowUniform;

  /// The lanes of a run of increments that may count; `counts`: those that do for certain;
  /// `one_open`: those that wait for a single literal, and so could be kept from counting. Absent
  /// objects need no presence bits here: their memberships are literals of the increments.
  EXH_ROW_TARGET std::uint64_t MayCount(const IncrementRun& run, std::uint64_t* counts,
                                        std::uint64_t* one_open) const {
    const std::uint8_t* const domains = domains_;
    std::uint64_t open = 0, several_open = 0;
    for (int s = 0; s < run.num_scalars; ++s) {
      const std::uint8_t domain = domains[CellOf(run.scalars[s])],
                         values = ValuesOf(run.scalars[s]);
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
      may_count &= ~Rows::Excluded(row, ValuesOf(run.rows[r]));
      if (may_count == 0) break;
      const std::uint64_t open_here = ~Rows::Certain(row, ValuesOf(run.rows[r]));
      several_open |= open & open_here;
      open |= open_here;
    }
    *counts = may_count & ~open;
    *one_open = may_count & open & ~several_open;
    return may_count;
  }

  /// The interval of a sum of constants, and the largest that is open.
  EXH_ROW_TARGET Interval CountRuns(const Counter& counter, std::uint64_t* max_open) const {
    Interval sum{counter.base, counter.base};
    for (std::uint32_t i = counter.run_begin; i < counter.run_end; ++i) {
      const IncrementRun& run = network_.increment_runs[i];
      std::uint64_t counts, one_open;
      const std::uint64_t may_count = MayCount(run, &counts, &one_open);
      if (may_count == 0) continue;
      if (may_count != counts) *max_open = std::max(*max_open, run.value);
      sum.min = SaturatingAdd(sum.min, SaturatingMul(run.value, Rows::Count(counts)));
      sum.max = SaturatingAdd(sum.max, SaturatingMul(run.value, Rows::Count(may_count)));
    }
    return sum;
  }

  /// The interval that a half product shows, and whether no single increment can take its minimum
  /// above `limit`. Weights are looked up of what counts for certain; of what is open,
  /// IncrementRun::heavy says whether any lane weighs too much.
  EXH_ROW_TARGET bool HasSlack(const Counter& counter, std::uint64_t limit,
                               Interval* product) const {
    product->min = counter.base;
    std::uint64_t largest = 1;
    bool settled = true;
    std::array<std::uint64_t, 16> open_heavy{};
    for (std::uint32_t i = counter.run_begin; i < counter.run_end; ++i) {
      const IncrementRun& run = network_.increment_runs[i];
      std::uint64_t counts, one_open;
      const std::uint64_t open = MayCount(run, &counts, &one_open) & ~counts;
      // What is open and multiplies by one changes nothing.
      for (std::uint64_t rest = open; settled && rest != 0; rest &= rest - 1) {
        const Contribution c = InLane(run, rest, Truth::kMaybe);
        settled = c.min == 1 && c.max == 1;
      }
      for (std::uint64_t rest = open & run.vanishing; rest != 0; rest &= rest - 1) {
        if (InLane(run, rest, Truth::kMaybe).min == 0) product->min = 0;
      }
      if (one_open != 0) {  // The others could not be kept from counting anyway.
        for (std::size_t k = 0; k < open_heavy.size(); ++k) {
          open_heavy[k] |= one_open & run.heavy[k];
        }
      }
      for (; counts != 0; counts &= counts - 1) {
        const Contribution c = InLane(run, counts, Truth::kTrue);
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

  /// Appends what the runs contribute, increment by increment.
  EXH_ROW_TARGET void ReadRuns(const Counter& counter) {
    for (std::uint32_t i = counter.run_begin; i < counter.run_end; ++i) {
      const IncrementRun& run = network_.increment_runs[i];
      std::uint64_t counts, one_open;
      std::uint64_t may_count = MayCount(run, &counts, &one_open);
      for (; may_count != 0; may_count &= may_count - 1) {
        const std::uint64_t bit = may_count & (~may_count + 1);
        work_.contributions.push_back(
            InLane(run, bit, (counts & bit) != 0 ? Truth::kTrue : Truth::kMaybe));
      }
    }
  }

  /// False on a dead end.
  EXH_ROW_TARGET bool RunCounter(std::uint32_t id) {
    const Counter& record = network_.counters[id];
    if (record.joint_gate != Counter::kNoJoint && state_.gate(layout_, record.joint_gate)) {
      return true;
    }
    if (record.constants && record.run_begin != record.run_end) {
      std::uint64_t max_open = 0;
      const Interval sum = CountRuns(record, &max_open);
      Interval bounds;
      if (!p_.SetInterval(id, p_.Shown(record, sum), network_.origins[record.origin], &bounds))
        return false;
      // Slack for the largest open increment, either way: nothing follows.
      if (SaturatingAdd(sum.min, max_open) <= bounds.max &&
          (bounds.min == sum.min || (sum.max != kSaturated && sum.max - max_open >= bounds.min))) {
        return true;
      }
    } else if (record.half && record.product && record.run_begin != record.run_end) {
      Interval product, bounds;
      const bool has_slack = HasSlack(record, p_.counter(id).max, &product);
      if (!p_.SetInterval(id, product, network_.origins[record.origin], &bounds)) return false;
      if (has_slack && bounds.min == product.min) return true;
    }
    ReadContributions(record);
    return record.product ? p_.RunProduct(id) : p_.RunSum(id);
  }

 private:
  /// What the increment in the lowest of `lanes` contributes.
  EXH_ROW_TARGET Contribution InLane(const IncrementRun& run, std::uint64_t lanes,
                                     Truth counts) const {
    const std::uint64_t below = run.lanes & ((lanes & (~lanes + 1)) - 1);
    return p_.Contribute(
        network_
            .run_increments[run.first_increment + static_cast<std::uint32_t>(Rows::Count(below))],
        counts);
  }

  EXH_ROW_TARGET void ReadContributions(const Counter& record) {
    work_.contributions.clear();
    if (record.run_begin != record.run_end) {
      ReadRuns(record);
    } else {
      p_.ReadIncrements(record);
    }
  }

 protected:
  using RowRuns<Rows>::p_;
  using RowRuns<Rows>::network_;
  using RowRuns<Rows>::layout_;
  using RowRuns<Rows>::state_;
  using RowRuns<Rows>::work_;
  using RowRuns<Rows>::domains_;
};

}  // namespace exh::runtime::internal

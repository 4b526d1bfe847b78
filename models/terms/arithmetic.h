// SPDX-License-Identifier: MIT
#pragma once

#include "models/terms/term.h"

namespace exh::models::terms {

/// Lanes of the pipes for products and sums, of the busiest unit. Each point is computed, and a
/// warp takes all of its lanes however few of its threads work. The fp64 matrix unit is no faster
/// than these pipes are at floats. That of halves has a rate of its own, and that of floats of 8
/// bits is twice as fast at most.
class Arithmetic : public CountedTerm {
 public:
  static constexpr std::string_view kResource = "arithmetic";
  static constexpr Group kGroup = Group::kInstructions;
  static constexpr Ends kEnds = Ends::kGapAndRead;

  static double Of(const ComputationWork& computed) {
    if (!computed.computation.is_fma) return 0;
    const DeviceRates& rates = computed.view.rates();
    if (computed.computation.is_of_doubles && computed.work.is_of_unit) {
      return computed.lanes * ClocksOfDoubles(rates);
    }
    const bool may_be_unit = computed.work.at_once > 1;
    const double share = computed.computation.unit_share;
    if (share == 0 || !may_be_unit) return computed.lanes;
    if (rates.half_unit_per_clk == 0) return 0;
    return share * computed.lanes * rates.fma_per_clk / rates.half_unit_per_clk;
  }
  /// How many times as long as by the pipes a product takes in the matrix unit of doubles: never
  /// less.
  static double ClocksOfDoubles(const DeviceRates& rates) {
    return rates.double_unit_per_clk > 0
               ? std::max(1.0, rates.fma_per_clk / rates.double_unit_per_clk)
               : 1;
  }

  static Rate RateOf(const DeviceRates& rates) { return Rate::PerClock(rates.fma_per_clk, rates); }
  static std::string Unit(const WorkView&) { return "lanes of the busiest unit"; }
};

}  // namespace exh::models::terms

// SPDX-License-Identifier: MIT
#pragma once

#include "models/terms/term.h"

namespace exh::models::terms {

/// Lanes of the pipes for products and sums, of the busiest unit. Each point is computed, and a
/// warp takes all of its lanes however few of its threads work. The fp64 matrix unit is no faster
/// than these pipes are at floats. That of halves has a rate of its own.
class Arithmetic : public CountedTerm {
 public:
  static constexpr std::string_view kResource = "arithmetic";
  static constexpr Group kGroup = Group::kInstructions;

  static double Of(const ComputationWork& computed) {
    if (!computed.computation.is_fma) return 0;
    const bool may_be_unit = computed.work.at_once > 1;
    if (!computed.computation.is_of_halves || !may_be_unit) return computed.lanes;
    const DeviceRates& rates = computed.view.rates();
    if (rates.half_unit_per_clk == 0) return 0;
    return computed.lanes * rates.fma_per_clk / rates.half_unit_per_clk;
  }
  static Rate RateOf(const DeviceRates& rates) { return Rate::PerClock(rates.fma_per_clk, rates); }
  static std::string Unit(const WorkView&) { return "lanes of the busiest unit"; }
};

}  // namespace exh::models::terms

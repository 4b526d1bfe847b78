// SPDX-License-Identifier: MIT
#pragma once

#include "models/terms/term.h"

namespace exh::models::terms {

/// Lanes of the pipes for products and sums, of the busiest unit. Each point is computed, and a
/// warp takes all of its lanes however few of its threads work.
class Arithmetic : public Term {
 public:
  static constexpr std::string_view kResource = "arithmetic";
  static constexpr Group kGroup = Group::kInstructions;

  static double Of(const ComputationWork& computed) {
    return computed.computation.is_fma ? computed.lanes : 0;
  }
  static Rate RateOf(const DeviceRates& rates) { return Rate::PerClock(rates.fma_per_clk, rates); }
  static std::string Unit(const CandidateView&) { return "lanes of the busiest unit"; }
};

}  // namespace exh::models::terms

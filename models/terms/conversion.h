// SPDX-License-Identifier: MIT
#pragma once

#include "models/terms/term.h"

namespace exh::models::terms {

/// Lanes of the unit that makes doubles of floats, of the busiest unit. A matrix unit of doubles
/// takes its factors as doubles, and memory has them as floats: each element that a warp reads of
/// an operand is converted at least once by that warp, however many products it is a factor of. So
/// of a tile of 16 x 16 elements a lane converts 8, and of one of 16 x 8 it converts 4. Nothing
/// that a model learns from: accesses tell the same.
class Conversions : public TermOfAccesses {
 public:
  static constexpr std::string_view kResource = "conversion";
  static constexpr Group kGroup = Group::kInstructions;
  static constexpr Ends kEnds = Ends::kGapAndRead;

  static double Of(const OperandWork& operand) {
    return operand.is_converted ? operand.warps * operand.width * operand.view.rates().warp_lanes
                                : 0;
  }

  static Rate RateOf(const DeviceRates& rates) {
    return Rate::PerClock(rates.conversions_per_clk, rates);
  }
  static std::string Unit(const WorkView&) {
    return "floats that become doubles, of the busiest unit";
  }
  static std::array<double, 0> Numbers() { return {}; }
};

}  // namespace exh::models::terms

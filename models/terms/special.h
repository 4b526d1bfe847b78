// SPDX-License-Identifier: MIT
#pragma once

#include "models/terms/term.h"

namespace exh::models::terms {

/// Lanes of the pipe for reciprocals, roots and powers of 2, of the busiest unit. Compilers make
/// one instruction of that pipe at least of each exponential, hyperbolic tangent, root and quotient
/// of floats; logarithms are sums of products, and of powers some are. Nothing that a model learns
/// from.
class Special : public CountedTerm {
 public:
  static constexpr std::string_view kResource = "special";
  static constexpr Group kGroup = Group::kInstructions;
  static constexpr Ends kEnds = Ends::kGapAndRead;

  static double Of(const ComputationWork& computed) {
    return computed.computation.is_special ? computed.lanes : 0;
  }

  static Rate RateOf(const DeviceRates& rates) {
    return Rate::PerClock(rates.specials_per_clk, rates);
  }
  static std::string Unit(const WorkView&) { return "special functions of the busiest unit"; }
  static std::array<double, 0> Numbers() { return {}; }
};

}  // namespace exh::models::terms

// SPDX-License-Identifier: MIT
#pragma once

#include "models/terms/term.h"

namespace exh::models::terms {

/// Warp instructions, of the busiest unit: those that compute, and accesses at the widest that they
/// may be. A unit begins only so many instructions in a clock, whatever they do.
class Issue : public TermOfAccesses {
 public:
  static constexpr std::string_view kResource = "issue";
  static constexpr Group kGroup = Group::kInstructions;
  static constexpr Ends kEnds = Ends::kGap;

  static double Of(const ComputationWork& computed) {
    return computed.lanes / (computed.view.rates().warp_lanes * computed.work.at_once);
  }
  static double Of(const AccessWork& access) { return access.warps; }
  static double Of(const OperandWork& operand) { return operand.warps; }

  static Rate RateOf(const DeviceRates& rates) {
    return Rate::PerClock(rates.issues_per_clk, rates);
  }
  static std::string Unit(const WorkView&) { return "warp instructions of the busiest unit"; }
};

}  // namespace exh::models::terms

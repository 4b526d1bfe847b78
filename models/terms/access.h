// SPDX-License-Identifier: MIT
#pragma once

#include "models/terms/term.h"

namespace exh::models::terms {

/// Accesses of warps to a memory of any kind, of the busiest unit: one a clock reaches it. Where
/// the device says so, each line that a warp touches is an access of its own. And an access moves
/// only so many bytes: blocks get what they need in no fewer.
class Accesses : public TermOfAccesses {
 public:
  static constexpr std::string_view kResource = "access";
  static constexpr Group kGroup = Group::kInstructions;
  static constexpr Ends kEnds = Ends::kGap;

  static double Of(const AccessWork& access) {
    const double lines = access.lines;
    return std::max(access.warps, access.view.OfUnit(access.points, access.work, lines));
  }
  static double Of(const OperandWork& operand) {
    // No warp has more points of the other axes than its block.
    const WorkView& view = operand.view;
    return std::max(operand.warps, view.Demand(operand.read) * view.share() *
                                       operand.read.element_bytes / view.rates().access_bytes);
  }

  static Rate RateOf(const DeviceRates& rates) {
    return Rate::PerClock(rates.accesses_per_clk, rates);
  }
  static std::string Unit(const WorkView&) { return "accesses of warps of the busiest unit"; }
};

}  // namespace exh::models::terms

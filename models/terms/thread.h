// SPDX-License-Identifier: MIT
#pragma once

#include "models/terms/term.h"

namespace exh::models::terms {

/// Instructions of one thread. Thread 0 takes part in every nest of its block, so that what a
/// thread has of each adds up; and a warp begins one instruction after the other, however idle its
/// unit is.
class Thread : public TermOfAccesses {
 public:
  static constexpr std::string_view kResource = "thread";
  static constexpr Group kGroup = Group::kInstructions;
  static constexpr Ends kEnds = Ends::kGap;

  static double Of(const ComputationWork& computed) {
    const Work& work = computed.work;
    return computed.view.OfThread(work) * computed.share / (work.lanes_of_thread * work.at_once);
  }
  static double Of(const AccessWork& access) {
    return access.view.OfThread(access.work) / (access.width * access.work.lanes_of_thread);
  }
  static double Of(const OperandWork& operand) {
    if (operand.may_stay) return 0;
    const double share = operand.view.OfThread(operand.work) / operand.reuse;
    return std::max(operand.of_thread, share) / (operand.width * operand.work.lanes_of_thread);
  }

  static Rate RateOf(const DeviceRates& rates) {
    return Rate::PerClock(rates.warp_issues_per_clk, rates);
  }
  static std::string Unit(const WorkView&) { return "instructions of a thread"; }
};

}  // namespace exh::models::terms

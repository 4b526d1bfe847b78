// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "models/terms/term.h"

namespace exh::models::terms {

/// Clocks of the longest sum of a lane, one step after the other. A thread does not reorder its
/// sum: each step waits for the result of the one before, but where lanes have parts of it. What
/// lanes, threads that have slices of a sum, or blocks that divide it, do to make one of them is
/// not counted. Nothing that a model learns from: latency knows the same.
class SumChain : public CountedTerm {
 public:
  static constexpr std::string_view kResource = "chain";
  static constexpr Group kGroup = Group::kInstructions;
  static constexpr Ends kEnds = Ends::kGapAndRead;

  void Begin(const WorkView& view) {
    double steps = 1;
    for (const std::size_t nest : view.inventory().chains) {
      steps = std::max(steps, view.work(nest).steps);
    }
    SetAmount((steps - 1) * view.rates().fma_latency_clk);
  }

  static Rate RateOf(const DeviceRates& rates) { return Rate::Clocks(rates); }
  static std::string Unit(const WorkView&) { return "clocks of one sum after another"; }
  static std::array<double, 0> Numbers() { return {}; }
};

}  // namespace exh::models::terms

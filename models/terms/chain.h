// SPDX-License-Identifier: MIT
#pragma once

#include "models/terms/term.h"

namespace exh::models::terms {

/// Clocks of the longest sum, one step after the other. A sum is not reordered: each step waits for
/// the result of the one before. The same for all candidates, and so nothing that a model learns
/// from.
class Chain : public Term {
 public:
  static constexpr std::string_view kResource = "chain";
  static constexpr Group kGroup = Group::kInstructions;

  void Begin(const CandidateView& view) { SetAmount(view.inventory().chain_clk); }

  static Rate RateOf(const DeviceRates& rates) { return Rate::Clocks(rates); }
  static std::string Unit(const CandidateView&) { return "clocks of one sum after another"; }
  static std::array<double, 0> Numbers() { return {}; }
};

}  // namespace exh::models::terms

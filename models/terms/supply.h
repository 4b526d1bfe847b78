// SPDX-License-Identifier: MIT
#pragma once

#include "models/terms/term.h"

namespace exh::models::terms {

/// Bytes of arguments that arrive in all units together, from the second cache or from behind it.
/// Each element that is read arrives in some unit, whose first cache begins with nothing. One unit
/// alone gets them faster (traffic) than all at once, which share what the second cache yields.
/// Nothing that a model learns from: of one kernel it is always the same.
class Supply : public CountedTerm {
 public:
  static constexpr std::string_view kResource = "supply";
  static constexpr Group kGroup = Group::kBytes;
  static constexpr Ends kEnds = Ends::kGapAndRead;

  void Take(const ArrayUse& use, const WorkView& view) {
    if (!use.is_read) return;
    Add(view.inventory().function.array(use.id).name, use.elements * use.element_bytes);
  }

  static Rate RateOf(const DeviceRates& rates) {
    return Rate::PerClock(rates.units_bytes_per_clk, rates);
  }
  static std::string Unit(const WorkView&) { return "bytes into all units"; }
  static std::array<double, 0> Numbers() { return {}; }
};

}  // namespace exh::models::terms

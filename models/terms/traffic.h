// SPDX-License-Identifier: MIT
#pragma once

#include "models/terms/term.h"

namespace exh::models::terms {

/// Bytes of arguments that arrive in the busiest unit, from wherever they are. A unit starts with
/// nothing in its first cache: what its blocks read arrives at least once, and where that cache
/// takes no arguments, once for each access. So do parts of a reduction that blocks divide, where
/// units make one value of them.
class Traffic : public TermOfAccesses {
 public:
  static constexpr std::string_view kResource = "traffic";
  static constexpr Group kGroup = Group::kBytes;
  static constexpr Ends kEnds = Ends::kGapAndRead;

  static double Of(const ArgumentWork& access) { return access.element_bytes * access.work.block; }
  static double Of(const SectorWork& sectors) {
    return sectors.view.OfUnit(sectors.points, sectors.work, sectors.bytes);
  }
  void Take(const ArrayUse& use, const WorkView& view) {
    const double accessed = TakeMost();
    if (!use.is_read) return;  // What is written leaves the unit.
    const double shared =
        use.element_bytes * (use.elements / std::min(view.max_blocks(), view.rates().units));
    Add(view.inventory().function.array(use.id).name, std::max(accessed, shared));
  }

  void Count(const PartialResults& partial) {
    if (!partial.are_read) return;
    const WorkView& view = partial.view;
    const double units = std::min(view.max_blocks(), view.rates().units);
    Add(view.inventory().function.inst(partial.division.reduction).name_, partial.bytes / units);
  }

  static Rate RateOf(const DeviceRates& rates) {
    return Rate::PerClock(rates.unit_bytes_per_clk, rates);
  }
  static std::string Unit(const WorkView&) { return "bytes into the busiest unit"; }
};

}  // namespace exh::models::terms

// SPDX-License-Identifier: MIT
#pragma once

#include "models/terms/term.h"

namespace exh::models::terms {

/// Bytes out of the second cache, or into it, whichever are more, of all units together. Where the
/// first cache takes no arguments, each access has its sectors there; and temporaries in main
/// memory are written through it and read back, as are the parts of reductions that blocks divide.
class Cache : public TermOfAccesses {
 public:
  static constexpr std::string_view kResource = "cache";
  static constexpr Group kGroup = Group::kBytes;
  static constexpr Ends kEnds = Ends::kGap;

  static double Of(const SectorWork& sectors) {
    const double in_blocks = sectors.work.any_block * sectors.view.min_blocks();
    return sectors.bytes * std::max(sectors.points, in_blocks);
  }
  void Take(const ArrayUse& use, const WorkView&) {
    (use.is_read ? read_ : written_) += TakeMost();
  }
  void Count(const TemporaryWork& temporary) {
    const WorkView& view = temporary.view;
    if (view.rates().cache_bytes_per_clk == 0 || !view.IsFenced(temporary.read)) return;
    const double stored = view.work(temporary.read.store).points;
    const double bytes =
        temporary.read.element_bytes * std::max(stored, view.Demand(temporary.read));
    read_ += bytes;
    written_ += bytes;
  }
  void Count(const PartialResults& partial) {
    if (partial.view.rates().cache_bytes_per_clk == 0) return;
    written_ += partial.bytes;
    if (partial.are_read) read_ += partial.bytes;
  }
  double amount() const { return std::max(read_, written_); }

  static Rate RateOf(const DeviceRates& rates) {
    return Rate::PerClock(rates.cache_bytes_per_clk, rates);
  }
  std::string Unit(const WorkView&) const {
    return read_ >= written_ ? "bytes out of the second cache" : "bytes into the second cache";
  }
  std::array<double, 2> Numbers() const { return {read_, written_}; }

 private:
  double read_ = 0, written_ = 0;
};

}  // namespace exh::models::terms

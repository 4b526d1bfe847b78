// SPDX-License-Identifier: MIT
#pragma once

#include "models/terms/term.h"

namespace exh::models::terms {

/// Bytes between main memory and the caches: unique sectors of all arguments, and temporaries that
/// are there, of which each block has its own and which leave the caches as results do. Less the
/// largest cache, which may keep so much from run to run. Where it is known how fast a device goes
/// through as many bytes as the arguments have, wherever they are (DeviceRates::sweeps), what takes
/// longer counts. Caches may write back between launches, and sweeps were measured with the gaps
/// between theirs: there are no ends beside.
class Memory : public CountedTerm {
 public:
  static constexpr std::string_view kResource = "memory";
  static constexpr Group kGroup = Group::kBytes;

  void Begin(const WorkView& view) { written_ = view.inventory().bytes_written; }
  void Count(const TemporaryWork& temporary);
  void Finish(const WorkView& view);

  /// For the mix of reads and writes that there are.
  Rate RateOf(const DeviceRates&) const { return Rate::Gbs(gbs_); }
  std::string Unit(const WorkView&) const {
    return counts_ == Counts::kLeavesCaches ? "bytes of main memory that no cache holds"
           : counts_ == Counts::kTouched    ? "bytes of arguments, wherever the caches have them"
                                            : "bytes that are read, wherever the caches have them";
  }

 private:
  double written_ = 0;  ///< With temporaries.
  double gbs_ = 0;
  enum class Counts { kLeavesCaches, kTouched, kRead } counts_ = Counts::kLeavesCaches;
};

}  // namespace exh::models::terms

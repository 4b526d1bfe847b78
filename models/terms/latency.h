// SPDX-License-Identifier: MIT
//
// The second tier of the lower bound: latency.
//
// Loops are not unrolled behind our back (kernels/codegen/print/gpu/printer.cc), so each
// instruction of a loop's body writes the same register in each of its rounds, and not before the
// last value has been used: from round to round passes the time from the instruction to what needs
// its value. Unrolled copies and lanes have registers of their own and wait together. Before the
// first sum something has been read, and what is read last is still to be added.
//
// A unit holds no more blocks than fit at once (residency.h), so that some place of a unit runs
// ceil(blocks / places) of them, one after the other. That needs the number of blocks and of
// rounds. While these are open, their product is known: all threads together have all points, and
// a unit that holds so many threads ends at most that many rounds in the time of one.
#pragma once

#include "models/terms/term.h"
#include "models/terms/thread.h"

namespace exh::models::terms {

/// Clocks that a thread waits, one round of a loop after the other, times the blocks that its place
/// runs; or, without any wait, those of its instructions. What is awaited longest counts.
class Latency : public CountedTerm {
 public:
  static constexpr std::string_view kResource = "latency";
  static constexpr Group kGroup = Group::kWaits;

  /// `thread`: what the first tier has counted.
  void Finish(const WorkView& view, const Thread& thread);

  /// Where something is awaited, the first that is read takes longer than what a round waits for:
  /// no unit has it. Else instructions may begin before it has come.
  double EndsNs(const WorkView& view) const;

  static Rate RateOf(const DeviceRates& rates) { return Rate::Clocks(rates); }
  /// Whose rounds they are.
  std::string Unit(const WorkView& view) const;
  /// Blocks, clocks, and how the blocks run.
  std::array<double, 4> Numbers() const { return {blocks_, amount(), waves_, resident_}; }

 private:
  const Waiting* longest_ = nullptr;  ///< None: the thread's instructions.
  double rounds_ = 1;                 ///< Of it.
  double clk_ = 0;                    ///< Of one of them.
  bool is_share_ = false;  ///< Counted from the points of all threads, not from one after another.
  double blocks_ = 1;      ///< At least.
  double waves_ = 1;       ///< Blocks that a place of a unit has to run …
  double times_ = 1;       ///< … and those of them that wait so long.
  double resident_ = 1;    ///< Places of a unit.
};

}  // namespace exh::models::terms

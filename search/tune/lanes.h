// SPDX-License-Identifier: MIT
//
// Lanes: what a machine can run at once. A GPU is a lane, and a processor is one. Each lane takes
// the next shape that is not done, and runs its search to the end. A shape that fails costs nothing
// but itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/tune/shape_run.h"

namespace exh::search {

struct LaneWork {
  const ShapeRunner& runner;
  std::vector<TuneShape> shapes;  ///< In the order in which they are begun.
  /// Names the journal and the board that are written.
  std::string element;
  /// The GPU of each lane; nothing: the usual one, or a processor.
  std::vector<std::optional<int>> lanes;
  /// As DeviceKey(): of which winners are looked for.
  std::string device;
  /// Do searches begin with winners of other sizes?
  bool hands_winners = true;
  /// Do they begin with what ended searches say (shared/fleet_priors.h)?
  bool hands_priors = true;
};

struct LaneTotals {
  std::size_t done = 0;    ///< Those that were done before are among them.
  std::size_t before = 0;  ///< Done before.
  std::size_t waiting = 0;
  std::vector<std::string> failures;  ///< "matmul-m512-…: signal 9 (Killed)".
};

/// Runs the shapes, and prints a line for each that ends. Throws UsageError when another process
/// writes the element's journal, Error when that cannot be written at all.
LaneTotals RunLanes(const LaneWork& work);

}  // namespace exh::search

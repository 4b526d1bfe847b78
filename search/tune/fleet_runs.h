// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace exh::search {

/// What of a list of runs can be taken home.
struct FleetRuns {
  std::vector<std::string> runs;      ///< In their order.
  std::vector<std::string> left_out;  ///< Shapes without a best, each with its reason.
};

/// A shell makes FLEET/* the shapes of a fleet and whatever else lies there: what is no shape is
/// passed over, and a shape that has no best is left out. Names that are of no fleet stay, whatever
/// they are.
FleetRuns RunsWithBest(const std::vector<std::string>& names);

}  // namespace exh::search

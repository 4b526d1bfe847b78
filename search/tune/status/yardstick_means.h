// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "search/tune/status/fleet_status.h"

namespace exh::search {

/// How many times as fast as this yardstick the best of a shape is; nothing: one of both takes no
/// one number, for the machine was busy, or nothing was found.
std::optional<double> RatioAgainst(const ShapeState& state, const ShapeYardstick& yardstick);

/// How the bests of a kernel compare with a yardstick.
struct YardstickMean {
  std::string kernel;
  std::string type;       ///< Empty: nobody says it.
  std::string yardstick;  ///< Empty: the fastest one of each shape.
  std::size_t shapes = 0;
  double mean = 0;  ///< Of the ratios, geometric.
  double least = 0, most = 0;
  std::size_t faster = 0;  ///< Shapes whose best is the faster one.
};

/// For each kernel and type, in the order of the fleet: against the fastest yardstick of each
/// shape, and against each of them.
std::vector<YardstickMean> MeansOf(const std::vector<ShapeStatus>& shapes);

}  // namespace exh::search

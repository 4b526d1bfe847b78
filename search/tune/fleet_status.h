// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "search/tune/fleet_folder.h"
#include "search/tune/shape_state.h"

namespace exh::search {

/// A shape with how far it is.
struct ShapeStatus {
  std::string name;
  ShapeState state;
};

/// Of all shapes of a fleet, in their order.
std::vector<ShapeStatus> StatusOf(const FleetFolder& folder, const std::vector<TuneShape>& shapes);

/// "3 done, 1 running, 4 waiting, 0 failed".
std::string CountsOf(const std::vector<ShapeStatus>& all);

/// A table for people: a line a shape, and the counts.
std::string StatusText(const std::vector<ShapeStatus>& all);

/// The same as one JSON object: "shapes", a list, and "counts".
std::string StatusJson(const std::vector<ShapeStatus>& all);

}  // namespace exh::search

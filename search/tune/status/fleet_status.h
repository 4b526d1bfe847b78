// SPDX-License-Identifier: MIT
//
// How far a fleet is, and what came of it: what `search tune --status` prints, and what the page of
// a fleet shows.
#pragma once

#include <string>
#include <vector>

#include "search/tune/fleet_folder.h"
#include "search/tune/shape_state.h"

namespace exh::search {

/// A shape with how far it is.
struct ShapeStatus {
  TuneShape shape;
  ShapeState state;
};

/// A fleet with all of its shapes, in their order.
struct FleetStatus {
  std::string folder;
  FleetOptions options;
  std::vector<ShapeStatus> shapes;
};

/// Of all shapes of a fleet, in their order. Several logs are read at once, each at its ends alone.
std::vector<ShapeStatus> StatusOf(const FleetFolder& folder, const std::vector<TuneShape>& shapes);

/// Of the fleet in this folder. Throws UsageError where there is none.
FleetStatus ReadFleetStatus(const std::string& folder);

/// The kernel of a shape, as people tell kernels apart: one that is a text has a name that changes
/// with it, "dense-1a2b3c4d".
std::string KernelOf(const TuneShape& shape);
/// Its type as --type has it, as the shape or its log says; empty: neither does.
std::string TypeOf(const TuneShape& shape, const ShapeState& state);

/// "3 done, 1 running, 4 waiting, 0 failed".
std::string CountsOf(const std::vector<ShapeStatus>& all);

/// A table for people: a line a shape, and the counts.
std::string StatusText(const FleetStatus& fleet);

/// All of it as one JSON object; docs/fleet.md has its members. `indent`: of its lines; negative:
/// it is one line.
std::string StatusJson(const FleetStatus& fleet, int indent);

}  // namespace exh::search

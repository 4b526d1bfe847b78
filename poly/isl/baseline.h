// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poly/isl/dependences.h"
#include "poly/schedule.h"
#include "poly/scop.h"

namespace exh::poly {

/// Options of isl's own scheduler, by isl's names; the values here are isl's defaults. isl's manual
/// says what they do. Which schedule comes out depends on them and on the kind of dependences: who
/// compares with "isl" says both.
struct IslOptions {
  bool maximize_coincidence = false;
  bool whole_component = false;
  bool outer_coincidence = false;
  bool maximize_band_depth = false;
  bool serialize_sccs = false;
  bool treat_coalescing = true;
  bool is_feautrier = false;  // schedule_algorithm
};

struct NamedIslOptions {
  std::string name;
  IslOptions options;
};

/// The settings to compare with: "default", and one for each option that changes how loops are
/// fused.
const std::vector<NamedIslOptions>& IslSettings();

/// The version of isl that is linked, as it names itself.
std::string IslVersion();

struct IslScheduled {
  /// Rows, where each statement has one date everywhere, in whole numbers; rows have no traits then
  /// but is_scalar. None otherwise.
  std::optional<Schedule> schedule;
  std::string loops;  // Of isl's own schedule, as LoopsText.
};

/// What isl's scheduler makes of a scop, with all dependences as validity, proximity and
/// coincidence constraints. `max_operations` of isl are allowed, 0 for any number. Throws IslError,
/// also when they are spent.
IslScheduled ScheduleByIsl(const Scop& scop, const std::vector<Dependence>& dependences,
                           const IslOptions& options, std::uint64_t max_operations = 0);

}  // namespace exh::poly

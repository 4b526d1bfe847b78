// SPDX-License-Identifier: MIT
//
// `search --simulate`: what policies would have done, as tables and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "search/log/log_json.h"
#include "search/log/log_records.h"
#include "search/simulate/simulation.h"

namespace exh::search {

/// What was simulated, beside the record.
struct SimulationSetup {
  std::vector<std::string> runs;  ///< As they were named.
  RunRecord run;                  ///< Header of the first.
  std::string bound;              ///< Name of the bound; empty: none is known.
  std::uint64_t seed = 1;         ///< The first one.
  int seeds = 8;
};

/// What was simulated, as the members that an object of results begins with.
Json SetupJson(const SimulationSetup& setup);

/// Two tables: evaluations until near the best of the record, and the best after so many.
std::string SimulationText(const SimulationSetup& setup, const Record& record,
                           std::span<const SimulationResult> results);

/// One object: what was simulated, and of each policy the curves with their quartiles. Where there
/// is no time yet stands null. docs/log.md explains its members.
std::string SimulationJson(const SimulationSetup& setup, const Record& record,
                           std::span<const SimulationResult> results);

}  // namespace exh::search

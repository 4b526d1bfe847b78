// SPDX-License-Identifier: MIT
//
// `search --simulate --whole`: what came of the settings, as a table and as JSON.
#pragma once

#include <string>

#include "search/simulate/simulation_report.h"
#include "search/simulate/whole/whole_simulation.h"

namespace exh::search {

/// What answers are made of, and a table with a row for each setting.
std::string WholeText(const SimulationSetup& setup, const Oracle& oracle, std::uint64_t evaluations,
                      const WholeResults& results);

/// One object; docs/log.md explains its members. Where there is no time yet stands null.
std::string WholeJson(const SimulationSetup& setup, const Oracle& oracle, std::uint64_t evaluations,
                      const WholeResults& results);

}  // namespace exh::search

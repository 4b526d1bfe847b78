// SPDX-License-Identifier: MIT
//
// A run as what a page shows of it.
#pragma once

#include <string>

#include "search/log/log_reader.h"
#include "search/page/columns.h"
#include "search/page/script_json.h"

namespace exh::search {

/// An object with all that a page shows of a run: its header, its evaluations in columns, bests,
/// dead ends by requirement, yardsticks, its end, the winner, and what is damaged. `name` is how a
/// person named the run.
void WriteRun(const std::string& name, const Log& log, const ColumnLimits& limits,
              ScriptJson& json);

}  // namespace exh::search

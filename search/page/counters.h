// SPDX-License-Identifier: MIT
//
// What counters said, for a page: of what `search replay --counters` wrote beside the log.
#pragma once

#include <string>

#include "search/log/log_reader.h"
#include "search/page/script_json.h"

namespace exh::search {

/// The member "counters": null where nothing was counted, or the file is of another record than the
/// log has, or is damaged. Otherwise the record, who counted, what was not counted and why, and
/// rows [what, unit, source, counted, at least or null, guessed or null]. `name`: how the run is
/// called.
void WriteCounters(const std::string& name, const Log& log, ScriptJson& json);

}  // namespace exh::search

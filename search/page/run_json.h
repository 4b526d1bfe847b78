// SPDX-License-Identifier: MIT
//
// A run as what a page shows of it.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "search/log/log_reader.h"
#include "search/page/again/rebuilt.h"
#include "search/page/columns.h"
#include "search/page/decisions/dead_ends.h"
#include "search/page/script_json.h"

namespace exh::search {

/// An object with all that a page shows of a run: its header, its evaluations in columns, bests,
/// dead ends by requirement, yardsticks, its end, the winner, and what is damaged. `name` is how a
/// person named the run.
void WriteRun(const std::string& name, const Log& log, const ColumnLimits& limits,
              ScriptJson& json);

// Its parts, for what writes a run that goes on.

/// The member "run".
void WriteHeader(const RunRecord& run, ScriptJson& json);

/// What is damaged, mended and went on: the members "numProblems", "problems", "cutOff", "resumes"
/// and "repairs".
void WriteDamage(const Log& log, ScriptJson& json);

/// What happened beside evaluations: the members "bests", "deadEnds", "references", "rates",
/// "violations", "seconds" and "end".
void WriteEvents(const Log& log, const DeadEndsByLabel& dead_ends, ScriptJson& json);

/// An object with the members "winner", "requirements" and "roofline". `dead_ends`: labels of those
/// that were met.
std::string AgainMembers(const Log& log, const std::set<std::string>& dead_ends,
                         const Rebuilt& rebuilt, std::size_t most_in_roofline);

}  // namespace exh::search

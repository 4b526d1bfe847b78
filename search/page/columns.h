// SPDX-License-Identifier: MIT
//
// The evaluations of a log in columns: one list per field, each as long as there are evaluations. A
// field that is the same nothing everywhere is left out.
#pragma once

#include <cstddef>

#include "search/log/log_reader.h"
#include "search/page/script_json.h"

namespace exh::search {

/// How much the columns may take, in bytes. What does not fit is left out, and the page says so.
struct ColumnLimits {
  std::size_t reasons = 1'500'000;
  std::size_t reason = 2000;     ///< One of them.
  std::size_t all = 11'000'000;  ///< Decisions have what the rest leaves of it.
  std::size_t tree_nodes = 40'000;
};

/// The members "count", "evals" (columns by name), "verdicts", "reasons" and "reasonsLeftOut".
/// "verdict" and "reason" are indices; the reason is -1 where there is none, and -2 where it was
/// left out. Times are nanoseconds, "dt" seconds.
void WriteEvaluations(const Log& log, const ColumnLimits& limits, ScriptJson& json);

/// The members "decisions" and "decisionsLeftOut", in at most `most` bytes. A decision that was
/// taken in some evaluation, and that is not the same in all of them, is an object with its name,
/// its choice, its values (of a long one the ranges of its numbers) and a column: one character per
/// evaluation, as in `vector`, or where one of them does not do, a list of the indices of the
/// values, -1 for none. Those that were taken most often come first.
void WriteDecisions(const Log& log, std::size_t most, ScriptJson& json);

}  // namespace exh::search

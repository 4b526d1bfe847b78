// SPDX-License-Identifier: MIT
//
// What the end of a run says of candidates that were dropped (search/descend/dropped/dropped.h).
#pragma once

#include <string>
#include <vector>

#include "search/log/log_records.h"
#include "search/report/report.h"

namespace exh::search {

/// The exit code of a run in which a check of ours failed, whatever else was found.
inline constexpr int kChecksFailed = 4;

/// Did a check of ours fail, on an evaluation or beside them?
bool HaveChecksFailed(const std::vector<Failure>& failures,
                      const std::vector<FailedCheckRecord>& checks);

/// How many were refused, and why; which checks of ours failed, on what, and that somebody should
/// report them with the log. Empty where there is nothing of it. `program` and `run` as for
/// CommandsText(). `writes_code`: Subject::writes_code().
std::string DroppedText(const std::vector<Failure>& failures,
                        const std::vector<FailedCheckRecord>& checks, const std::string& program,
                        const RunRecord& header, const std::string& run, bool writes_code = true);

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// Building a logged implementation again.
#pragma once

#include <string>
#include <vector>

#include "runtime/candidate.h"
#include "search/log/log_reader.h"

namespace exh::search {

/// Takes the decisions of a record, by name, from the root candidate. Throws UsageError when a name
/// no longer exists, a decision is contradicted, or the result is not the logged decision vector:
/// the space or the kernel is not the one of the log.
void ReplayRecord(const Log& log, const EvalRecord& eval, runtime::Candidate& candidate);

/// Throws UsageError when the log of the run at `path` is of another space, or numbers its
/// decisions in another way. A run that was killed early may lack the last of them, a repaired one
/// any.
void CheckSameSpace(const Log& log, const std::string& path, const runtime::Instance& instance);

/// A step of the log with the numbers that this program gives to the same names. The candidate's
/// instance is one on which ReplayRecord() succeeded.
PathStep LocalStep(const Log& log, const PathStep& step, const runtime::Candidate& candidate);

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// A result that is wrong is a mistake of Exhaust or of a compiler. The first of a run is kept as a
// folder with all that it takes to look into it.
#pragma once

#include <string>
#include <vector>

#include "kernels/devices/evaluator.h"
#include "runtime/candidate.h"
#include "search/log/log_records.h"
#include "search/report/report.h"
#include "search/subject/subject.h"

namespace exh::search {

/// What is known of the run.
struct WrongRun {
  const Subject& subject;
  const RunRecord& header;
  const std::string& folder;  ///< Of the run, with its log.
  std::string replay;         ///< What the command begins with that runs a record again.
  kernels::Evaluator& evaluator;
  runtime::Candidate root;
};

/// Keeps the first implementation of the run whose result was wrong in the folder `wrong` of its
/// folder, and says in a few lines how many there were, where it is, and that it is to be reported.
/// Empty when there was none. When it cannot be kept, the lines say why.
std::string KeepFirstWrong(const WrongRun& run, const std::vector<Failure>& failures);

}  // namespace exh::search

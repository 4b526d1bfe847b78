// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "search/log/log_reader.h"
#include "search/subject/subject.h"

namespace exh::search {

/// What a run searched, built again from its header, whatever it is. Throws UsageError and Error.
std::unique_ptr<Subject> SubjectOf(const RunRecord& run);

/// The loops of a record in lines below a title, or a line with the reason why this program cannot
/// make them again. `name`: of the run, for messages. Empty where the subject has no words for
/// them.
std::string LoopsOf(const Log& log, const std::string& name, const EvalRecord& eval);

}  // namespace exh::search

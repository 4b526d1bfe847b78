// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "search/log/log_reader.h"

namespace exh::search {

/// The loops of a record in lines below a title, or a line with the reason why this program cannot
/// make them again. `name`: of the run, for messages. Empty where the subject has no words for
/// them.
std::string LoopsOf(const Log& log, const std::string& name, const EvalRecord& eval);

/// The loops of two records beside each other, below a title; "their loops are the same", or why
/// they cannot be made again. Empty where the subject has no words for them.
std::string LoopsBesideEachOther(const Log& log_a, const std::string& name_a,
                                 const EvalRecord& eval_a, const Log& log_b,
                                 const std::string& name_b, const EvalRecord& eval_b);

/// Throws UsageError unless two runs have the same kernel and the same space, so that their
/// decisions can be compared.
void CheckComparable(const Log& log_a, const std::string& name_a, const Log& log_b,
                     const std::string& name_b);

}  // namespace exh::search

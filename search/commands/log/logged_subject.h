// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "search/log/log_reader.h"

namespace exh::search {

/// The loops of a record in lines below a title, or a line with the reason why this program cannot
/// make them again. `name`: of the run, for messages. Empty where the subject has no words for
/// them.
std::string LoopsOf(const Log& log, const std::string& name, const EvalRecord& eval);

}  // namespace exh::search

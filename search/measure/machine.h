// SPDX-License-Identifier: MIT
#pragma once

#include "search/log/log_records.h"
#include "search/measure/evaluator.h"

namespace exh::search {

/// The machine that an evaluator measures on: its processor, and the versions of what else times
/// depend on. What is not known is left out.
Machine MachineOf(const Evaluator& evaluator);

}  // namespace exh::search

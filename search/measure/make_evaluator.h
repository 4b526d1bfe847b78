// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "search/measure/evaluator.h"
#include "search/subject/problem.h"

namespace exh::search {

/// The evaluator of the problem's device. `problem` and the token outlive it. Throws Error when
/// what it needs is not there, in a line that says what to install and which device runs here, and
/// UsageError for a device on which nothing runs.
std::unique_ptr<Evaluator> MakeEvaluator(const Problem& problem, const EvaluatorOptions& options);

}  // namespace exh::search

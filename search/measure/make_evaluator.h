// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/devices/workload.h"
#include "search/measure/evaluator.h"
#include "search/subject/problem.h"

namespace exh::search {

/// The evaluator of the workload's device. The token outlives it. Throws Error when what it needs
/// is not there, in a line that says what to install and which device runs here, and UsageError for
/// a device on which nothing runs.
std::unique_ptr<Evaluator> MakeEvaluator(std::unique_ptr<const kernels::Workload> workload,
                                         const EvaluatorOptions& options);

/// That of a kernel. `problem` outlives it. Throws as well when there is no memory for it.
std::unique_ptr<Evaluator> MakeEvaluator(const Problem& problem, const EvaluatorOptions& options);

}  // namespace exh::search

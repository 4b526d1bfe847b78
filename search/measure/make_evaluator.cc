// SPDX-License-Identifier: MIT
#include "search/measure/make_evaluator.h"

#include "base/system/process_tree.h"
#include "kernels/devices/backend.h"

namespace exh::search {

std::unique_ptr<Evaluator> MakeEvaluator(const Problem& problem, const EvaluatorOptions& options) {
  kernels::RequireRuns(problem.device);
  kernels::RequireRoom(problem.task);
  StartSupervisor();  // Before the arrays of the problem are here.
  return kernels::BackendOf(problem.device).MakeEvaluator(problem.task, options);
}

}  // namespace exh::search

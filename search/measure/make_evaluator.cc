// SPDX-License-Identifier: MIT
#include "search/measure/make_evaluator.h"

#include <utility>

#include "base/system/process_tree.h"
#include "kernels/devices/backend.h"
#include "kernels/devices/task_workload.h"

namespace exh::search {

std::unique_ptr<Evaluator> MakeEvaluator(std::unique_ptr<const kernels::Workload> workload,
                                         const EvaluatorOptions& options) {
  const kernels::Backend& backend = kernels::BackendOf(workload->device());
  kernels::RequireRuns(workload->device());
  StartSupervisor();  // Before the arrays of a problem are here.
  return backend.MakeEvaluator(std::move(workload), options);
}

std::unique_ptr<Evaluator> MakeEvaluator(const Problem& problem, const EvaluatorOptions& options) {
  kernels::RequireRuns(problem.device);
  kernels::RequireRoom(problem.task);
  return MakeEvaluator(kernels::WorkloadOf(problem.task), options);
}

}  // namespace exh::search

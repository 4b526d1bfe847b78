// SPDX-License-Identifier: MIT
#include "search/measure/make_evaluator.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/system/process_tree.h"
#include "search/measure/cpu_evaluator.h"
#include "search/measure/cuda_evaluator.h"

namespace exh::search {

std::unique_ptr<Evaluator> MakeEvaluator(const Problem& problem, const EvaluatorOptions& options) {
  if (!problem.device.runs) {
    throw UsageError(fmt::format(
        "nothing runs on device '{}': its spaces can be counted (search size, dead-ends), exported "
        "and explained; --device cpu runs here",
        problem.device.name));
  }
  StartSupervisor();  // Before the arrays of the problem are here.
  if (problem.device.language == "cuda") return MakeCudaEvaluator(problem, options);
  return MakeCpuEvaluator(problem, options.stop);
}

double SlowFactor(const kernels::ir::Device& device) {
  return device.language == "cuda" ? kCudaSlowFactor : 4;
}

}  // namespace exh::search

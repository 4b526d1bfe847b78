// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "base/stop.h"
#include "search/measure/evaluator.h"
#include "search/subject/problem.h"

namespace exh::search {

struct EvaluatorOptions {
  int jobs = 1;       ///< Compilers at once.
  int gpu = 0;        ///< Which GPU, for a device whose language is CUDA.
  bool cold = false;  ///< Time kernels with inputs that are not in L2.
  /// What compiles or runs when this is stopped is ended: Verdict::kStopped. Null: nobody stops it.
  const StopToken* stop = nullptr;
};

/// The evaluator of the problem's device. `problem` and the token outlive it. Throws Error when
/// what it needs is not there, in a line that says what to install and which device runs here, and
/// UsageError for a device on which nothing runs.
std::unique_ptr<Evaluator> MakeEvaluator(const Problem& problem, const EvaluatorOptions& options);

/// How much slower than the best a candidate of the device may be before it is stopped early.
double SlowFactor(const kernels::ir::Device& device);

}  // namespace exh::search

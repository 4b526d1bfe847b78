// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/devices/evaluator.h"
#include "kernels/fused/graph/graph.h"
#include "kernels/fused/schedule/schedules.h"
#include "kernels/fused/space/mapping_space.h"

namespace exh::search {

/// Compiles, checks and times implementations of a fused operator on this machine's processor; the
/// yardsticks are the schedules of isl, with each of its settings. Everything outlives it, and
/// so does the options' token. Throws Error when there is no compiler, TooLarge when the reference
/// takes more memory than the options allow, and Interrupted when their token is stopped.
std::unique_ptr<kernels::Evaluator> MakeFusedEvaluator(const kernels::fused::Graph& graph,
                                                       const kernels::fused::Schedules& schedules,
                                                       const kernels::fused::MappingSpace& space,
                                                       int threads,
                                                       const kernels::EvaluatorOptions& options);

}  // namespace exh::search

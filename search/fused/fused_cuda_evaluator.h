// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/devices/evaluator.h"
#include "kernels/fused/graph/graph.h"
#include "kernels/fused/schedule/schedules.h"
#include "kernels/fused/space/mapping_space.h"
#include "kernels/ir/device.h"

namespace exh::search {

/// MakeFusedEvaluator() for a GPU. Throws Error when the driver, a GPU or its compiler is missing,
/// and TooLarge when there is no memory for the reference.
std::unique_ptr<kernels::Evaluator> MakeFusedCudaEvaluator(
    const kernels::fused::Graph& graph, const kernels::fused::Schedules& schedules,
    const kernels::fused::MappingSpace& space, const kernels::ir::Device& device,
    const kernels::EvaluatorOptions& options);

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/devices/workload.h"
#include "kernels/fused/graph/graph.h"
#include "kernels/fused/schedule/schedules.h"
#include "kernels/fused/space/mapping_space.h"

namespace exh::search {

/// A fused operator on a device; its yardsticks are the schedules of isl, with each of its
/// settings. Everything outlives it. `most_bytes`: of each reference. Throws TooLarge when it takes
/// more.
std::unique_ptr<const kernels::Workload> WorkloadOf(const kernels::fused::Graph& graph,
                                                    const kernels::fused::Schedules& schedules,
                                                    const kernels::fused::MappingSpace& space,
                                                    const kernels::ir::Device& device,
                                                    std::uint64_t most_bytes);

}  // namespace exh::search

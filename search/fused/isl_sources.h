// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "kernels/devices/yardsticks.h"
#include "kernels/fused/code/nest.h"
#include "kernels/fused/schedule/schedules.h"

namespace exh::search {

/// What implementations of a fused operator are compared with: the schedules of isl with each of
/// its settings, as `text` prints their loops. Each program once.
std::vector<kernels::NamedSource> IslSources(
    const kernels::fused::Schedules& schedules,
    const std::function<kernels::Source(const std::vector<kernels::fused::NestNode>&)>& text);

}  // namespace exh::search

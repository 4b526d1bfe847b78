// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/devices/workload.h"
#include "kernels/task.h"

namespace exh::kernels {

/// A kernel at given sizes. The task outlives it. What is wrong in the kernel itself is thrown when
/// its problems are made (KernelError).
std::unique_ptr<const Workload> WorkloadOf(const Task& task);

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/devices/cuda/driver/gpu.h"
#include "kernels/devices/own/own_kernel.h"

namespace exh::kernels::cuda {

/// Why no GPU with these facts launches this; empty: it may, and `wide` is it.
std::string ProblemOfLaunch(const OwnLaunch& launch, const DeviceFacts& facts, WideLaunch& wide);

}  // namespace exh::kernels::cuda

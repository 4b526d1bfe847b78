// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/devices/backend.h"

namespace exh::kernels::cuda {

/// Driver, GPUs, run-time compiler and libraries of CUDA on this machine: what is there, and how to
/// get what is not.
std::vector<Finding> ExamineCuda();

}  // namespace exh::kernels::cuda

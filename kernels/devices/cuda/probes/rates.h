// SPDX-License-Identifier: MIT
//
// What the GPU itself can do, as yardsticks for candidates: how fast it copies, how fast it
// multiplies and adds.
#pragma once

#include "kernels/devices/cuda/driver/gpu.h"
#include "kernels/devices/cuda/driver/timer.h"
#include "kernels/evaluation.h"

namespace exh::kernels::cuda {

/// The programs that are measured: exh_copy and exh_fma.
struct RateFunctions {
  CUfunction copy = nullptr, fma = nullptr;
};

/// Takes half a second and 4 GiB of memory. Throws GpuError when there is not as much.
MeasuredRates MeasureRates(const Gpu& gpu, const Timer& timer, const RateFunctions& functions);

}  // namespace exh::kernels::cuda

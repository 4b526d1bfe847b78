// SPDX-License-Identifier: MIT
//
// `--device cuda`: whatever GPU of NVIDIA is in this machine.
#pragma once

#include <string>
#include <vector>

#include "kernels/devices/backend.h"
#include "kernels/devices/cuda/driver/driver.h"
#include "kernels/devices/device.h"

namespace exh::kernels::cuda {

/// What a GPU is called, with the driver that it was met with: "NVIDIA H200, driver 13.0".
std::string ModelOf(const DeviceFacts& facts, const Driver& driver);

/// The GPUs that answer.
std::vector<GpuHere> GpusHere();

/// The limits of a GPU, by what it says of itself. Nothing, and a line that says so, when it does
/// not say enough.
DeviceResult LimitsOf(const DeviceFacts& facts, const std::string& model);

/// The limits of the GPU with this number. Nothing when there is none: the line says what to do.
DeviceResult DetectGpu(int ordinal);

/// The number of the first GPU of this model. Throws UsageError: none of those here is one.
int FindGpu(const std::string& model);

/// Measures the rates of a model in a process of its own (`search characterize --quick`), for the
/// device `name`, and keeps them. Says so on stderr, before and after. Throws UsageError: there is
/// no such GPU, no compiler, or no place to keep them.
void MeasureRatesOf(const std::string& model, const std::string& name);

}  // namespace exh::kernels::cuda

// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/devices/evaluator.h"
#include "kernels/devices/own/own_kernel.h"

namespace exh::kernels::cuda {

/// The sub-command of this program that measures: ServeProcessMain().
inline constexpr const char* kServeCuda = "serve-cuda";

/// NVRTC in processes that `compiler` starts, and `program serve-cuda FILE`, which measures on
/// EvaluatorOptions::gpu. Throws Error when the driver, a GPU or NVRTC is missing, or when the
/// default configuration does not compile, and UsageError for what is wrong with the file.
std::unique_ptr<OwnKernelBench> MakeCudaOwnBench(const OwnKernelTask& task,
                                                 const EvaluatorOptions& options,
                                                 const std::vector<std::string>& compiler,
                                                 const std::string& program);

}  // namespace exh::kernels::cuda

// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/devices/evaluator.h"
#include "kernels/fused/run/rows.h"
#include "kernels/ir/device.h"

namespace exh::search {

/// A GPU that runs programs of fused operators for rows. Throws Error when the driver, a GPU or its
/// compiler is missing.
std::unique_ptr<kernels::fused::RowMachine> MakeGpuMachine(
    const kernels::ir::Device& device, const kernels::EvaluatorOptions& options);

}  // namespace exh::search

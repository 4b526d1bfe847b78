// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/devices/evaluator.h"
#include "kernels/fused/run/rows.h"
#include "kernels/ir/device.h"

namespace exh::search {

/// The device's evaluator, for programs of one operator after the other. The device outlives it.
/// Throws Error when what it needs is missing, and UsageError when nothing runs there.
std::unique_ptr<kernels::fused::RowMachine> MakeRowMachine(
    const kernels::ir::Device& device, const kernels::EvaluatorOptions& options);

}  // namespace exh::search

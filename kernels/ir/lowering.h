// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/ir/function.h"

namespace exh::kernels::ir {

/// Adds every object that lowering a communication could create, marked `planned`, and fills
/// `statements`, `ranks` and `lowered`. Lowering a communication means: a temporary array, a store
/// that fills it after the producer and a load that reads it before the consumer, each with a loop
/// nest of its own (the paper, section 4.4). Planning all of them ahead (docs/design.md,
/// "Everything is planned") gives every decision one position and one name for ever. Call
/// once, when the backbone is complete. `windows`: reads whose axes meet get windows, too
/// (target/plan_windows.h). `matrix_reads`: Function::matrix_reads.
void PlanLowering(Function& function, bool windows = false, bool matrix_reads = false);

}  // namespace exh::kernels::ir

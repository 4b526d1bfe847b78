// SPDX-License-Identifier: MIT
//
// Covered axes: those that loops run further along than they have points (ir::LogicalDim). What is
// computed beyond them means nothing, and is kept from being seen where that matters:
//
//   a load of an argument   reads nothing and is what it is outside of the argument: 0, mostly
//   a store of an output    writes nothing
//   a step of a reduction   is not taken, unless it adds 0 anyway
//
// Everything else is computed beyond, and nobody reads it: temporaries are as large as the loops.
#pragma once

#include <vector>

#include "kernels/ir/function.h"

namespace exh::kernels::codegen {

/// The covered axes beyond which the instruction is not to do what it does.
std::vector<ir::LogicalDimId> GuardedAxes(const ir::Function& function,
                                          const ir::Instruction& inst);

}  // namespace exh::kernels::codegen

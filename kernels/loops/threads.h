// SPDX-License-Identifier: MIT
//
// Passes: the loops that threads divide, of a processor and of a GPU.
#pragma once

#include "kernels/loops/nest.h"

namespace exh::kernels::loops {

/// Every outermost parallel loop that is worth it has threads: what is done where nothing is
/// decided.
void DivideAmongThreads(NestNode& nest);

/// A nest as threads of a GPU take it: of loops right in each other those that are independent come
/// first, in their order; vectors are not wider than wide accesses are, and none where others went
/// into them.
NestNode ForThreads(const NestNode& nest);

}  // namespace exh::kernels::loops

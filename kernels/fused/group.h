// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/fused/statements.h"

namespace exh::kernels::fused {

/// The same with fewer statements: one whose value a single other statement reads, at one point for
/// each of its own, becomes a part of that one, and its tensor is gone from all accesses. Results
/// are the same, bit by bit.
///
/// What stays a statement of its own: reductions, what writes a result, what several statements
/// read, what is read with quotients, remainders or guards, and what would then be computed behind
/// a write in place to something that it reads.
StatementList Grouped(const StatementList& list);

}  // namespace exh::kernels::fused

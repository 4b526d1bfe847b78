// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/loops/nest.h"
#include "poly/schedule.h"
#include "poly/scop.h"

namespace exh::poly {

using kernels::loops::NestNode;

/// The row of the schedule whose dates a loop counts: row 3 is that of the variable "c3", whose
/// number is twice as large.
inline int RowOf(const NestNode& loop) {
  return loop.range.variable.number / 2;
}

/// The loops that execute the statements in the order of a schedule, at the extents that the scop
/// has; nothing is known of them yet. The schedule must be legal. Throws IslError.
NestNode LoopTreeOf(const Scop& scop, const Schedule& schedule);

}  // namespace exh::poly

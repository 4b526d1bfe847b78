// SPDX-License-Identifier: MIT
//
// The loops of a part as passes and printers need them: which may run in parallel, and which are
// vectors.
#pragma once

#include <vector>

#include "kernels/fused/schedule/program.h"
#include "kernels/loops/nest.h"
#include "poly/isl/dependences.h"
#include "poly/schedule.h"

namespace exh::kernels::fused {

using loops::NestNode;

/// The loops of a part in the order of a legal schedule. No block is in a block. A loop is parallel
/// if it carries none of the dependences between the statements in it, and independent if the
/// dependences between the statements of all loops that it is in stay within one of its iterations.
/// It is a vector, if `has_vectors`, where it is parallel, has no loops or conditions in it, its
/// extent is a multiple of 4 or 2, each statement in it writes neighbours, and one access at least
/// can be 64 or 128 bits wide. Throws poly::IslError.
NestNode NestOf(const ProgramPart& part, const std::vector<poly::Dependence>& dependences,
                const poly::Schedule& schedule, bool has_vectors);

}  // namespace exh::kernels::fused

// SPDX-License-Identifier: MIT
//
// Loops as isl prints them, made simpler without a change of what is computed:
//
//   * A sum that begins in the first iteration of the loop that adds it up begins in front of the
//     loop: `for c: { if (c == 0) begin; take }` is `begin; for c: take`, a loop that carries
//     nothing but the sum.
//   * A loop from one number to another counts from 0.
#pragma once

#include "kernels/fused/schedule/program.h"
#include "poly/isl/loop_tree.h"

namespace exh::kernels::fused {

poly::ScopNode Simpler(const ProgramPart& part, poly::ScopNode node);

}  // namespace exh::kernels::fused

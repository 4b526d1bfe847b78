// SPDX-License-Identifier: MIT
//
// A pass: what happens in the first or the last iteration of a loop alone leaves the loop.
//
//   * `for c: { if (c == 0) begin; take }` is `begin; for c: take`: a sum begins in front of the
//     loop that adds it up, which then carries nothing but the sum.
//   * `for c: { take; if (c == 63) end }` is `for c: take; end`.
//   * A loop from one number to another counts from 0.
//
// What is computed stays the same.
#pragma once

#include "kernels/loops/nest.h"

namespace exh::kernels::loops {

/// In all loops of the nest. Where there may be no iteration, nothing leaves.
NestNode WithoutEdges(NestNode nest);

/// Beginnings of sums that stand in the first iteration of this loop, and in it alone, come in
/// front of it, where the loop carries nothing but sums.
NestNode WithBeginsInFront(NestNode loop);

}  // namespace exh::kernels::loops

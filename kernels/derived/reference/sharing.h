// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/derived/expression.h"

namespace exh::kernels::derived {

/// How many elements of the output that `store` writes err together, at least 1: their sums have
/// rows of terms in common, or are the same sum. The last sums on the way to the output count, and
/// of the loads that their terms come of the one that fewest elements share.
double Sharing(const Expression& expression, int store);

/// Do the elements of this output err by roundings that differ from one to the next, or not at all?
/// Only arithmetic of floats does, where it converts nothing.
bool ErrsAtRandom(const Expression& expression, int store);

}  // namespace exh::kernels::derived

// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/derived/expression.h"

namespace exh::kernels::derived {

/// How many elements of the output that `store` writes err together, at least 1: they come of the
/// same rounding, their sums have rows of terms in common, or are the same sum. The last sums on
/// the way to the output count, and of the loads that their terms come of the one that fewest
/// elements share. `roundings`: RoundingsInARow().
double Sharing(const Expression& expression, const std::vector<double>& roundings, int store);

/// Do the elements of this output err by roundings that differ from one to the next, or not at all?
/// Only arithmetic of floats does, where it converts nothing.
bool ErrsAtRandom(const Expression& expression, int store);

/// Is anything a float of less than single precision?
bool HasNarrowFloats(const Expression& expression);

}  // namespace exh::kernels::derived

// SPDX-License-Identifier: MIT
//
// Neighbouring axes that always move together become one: y[i, j] = 2 * x[i, j] is a loop over all
// elements. An axis of one iteration goes. So all forms of a computation that differ in how they
// cut the same row of elements are one, and no program divides an index to find its way.
//
// Axes i and j are one where, in every access, one step of i is as far as all steps of j, or
// neither moves the element; where every left side and every reduction has both or neither; where
// i meets no third axis in an access, as s meets j in x[j + s, c]; and where nothing else asks for
// one of them: no `tile` line, no index that is a number, no border.
#pragma once

#include "kernels/notation/resolve.h"

namespace exh::kernels::notation {

/// Joins what can be joined. The new axis is called after both: "i_j".
void JoinAxes(const Kernel& kernel, ResolvedKernel& resolution);

}  // namespace exh::kernels::notation

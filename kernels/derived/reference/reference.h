// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/derived/expression.h"
#include "kernels/ir/function.h"
#include "kernels/problem_data.h"

namespace exh::kernels::derived {

/// Fills reference, tolerance, rms_limit and largest_sum of every output array of `expression` from
/// the inputs' values in `data`, which has an entry for every array: what the nodes say, in
/// double precision, and how far single precision may be from it (tolerance.h). What comes of a
/// NaN, an infinity or a zero of either sign is what the operations say; a result that is no finite
/// number has no tolerance. Runs on all cores. Ends early as products do (stoppable.h): then `data`
/// is of no use.
void ComputeReference(Expression expression, ProblemData& data);

/// The same of a backbone, with the scalars that `data` has.
void ComputeReference(const ir::Function& function, ProblemData& data);

}  // namespace exh::kernels::derived

// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/derived/expression.h"

namespace exh::kernels::text {

/// The same outputs of the same inputs, without the arrays between them: what was stored to be
/// loaded again is a value that is used. Where it is loaded as it was stored, all who load it share
/// the value, and its node has the name of the array. Where it is loaded elsewhere, at x[i + 1] or
/// as a part, it is computed there once more. `expression`: SplitAxes() may have made it. Throws
/// Refused where the place of a load is no sum of multiples of axes.
derived::Expression InlineArrays(const derived::Expression& expression);

}  // namespace exh::kernels::text

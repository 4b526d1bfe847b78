// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/derived/expression.h"
#include "kernels/text/shapes.h"

namespace exh::kernels::text {

/// Joins axes that divide one dimension of an array between them, and always move together: of
/// y[7 * i + j] and x[7 * i + j + r], i and j become one. So nothing is left of tiles. Dimensions
/// stay apart, even where all arrays have both side by side.
void JoinAxes(derived::Expression& expression, const Shapes& shapes);

}  // namespace exh::kernels::text

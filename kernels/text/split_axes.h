// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/derived/expression.h"

namespace exh::kernels::text {

/// Splits axes until each load of what was stored before walks the elements in the steps that they
/// were stored in, as far as whole factors allow that: where t[8 * i + j] is stored and t[k] is
/// loaded, k becomes 8 * k0 + k1. What a reshape merges or splits, all others then see split. A
/// split axis keeps its outer part; the inner one is a new axis.
void SplitAxes(derived::Expression& expression);

}  // namespace exh::kernels::text

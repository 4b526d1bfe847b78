// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/derived/expression.h"

namespace exh::kernels::derived {

/// Operations of one run, those on integers with the others: of every operation as many as it has
/// points. A multiply-add counts two; memory, constants, casts and indices none.
double Flops(const Expression& expression);

}  // namespace exh::kernels::derived

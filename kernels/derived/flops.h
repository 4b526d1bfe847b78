// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/derived/expression.h"

namespace exh::kernels::derived {

/// Floating-point operations of one run: of every operation as many as it has points. A
/// multiply-add counts two, memory and constants none.
double Flops(const Expression& expression);

}  // namespace exh::kernels::derived

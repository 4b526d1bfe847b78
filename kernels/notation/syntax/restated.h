// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/notation/syntax/ast.h"

namespace exh::kernels::notation {

/// Values that a statement reads with two indices at the same place are stated once for each:
///
///     t[i, k] = x[i, k] / s[i]                    t[i, k] = x[i, k] / s[i]
///     c[i, j] = sum(k) t[i, k] * t[j, k]    ->    t_2[i, k] = x[i, k] / s_2[i]
///                                                 c[i, j] = sum(k) t[i, k] * t_2[j, k]
///
/// with s_2 as s. For a value's axes are those of what reads it, and no nest of loops has an axis
/// twice. What cannot be told apart like that, as in t[i, i], stays as it is.
void RestateShared(Kernel& kernel);

}  // namespace exh::kernels::notation

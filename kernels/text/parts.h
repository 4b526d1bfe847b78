// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/derived/expression.h"

namespace exh::kernels::text {

/// Outputs by part, in their order: those of one part have a value in common, or dimensions of the
/// same extents, so that one grid of blocks fits them. Inputs may be common to several parts.
/// `expression` loads nothing that it has stored.
std::vector<std::vector<int>> PartsOf(const derived::Expression& expression);

}  // namespace exh::kernels::text

// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/fused/statements.h"

namespace exh::kernels::fused {

/// The same with as few dimensions as can be: dimensions and iterators of one step are gone, and
/// neighbours that all statements only use together, the inner one's step next to the outer one's,
/// are one. Tensors have the same elements in the same order.
StatementList Merged(const StatementList& list);

}  // namespace exh::kernels::fused

// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/derived/expression.h"
#include "kernels/fused/statements.h"

namespace exh::kernels::fused {

/// The array of ExpressionOf() that a tensor is. Names of tensors need not be unique.
std::string ArrayNameOf(int tensor);

/// What statements compute: the iterators of each are axes of their own, each step is a node, and
/// what one stores the next ones load. Results are outputs. `list`: every tensor is written by one
/// statement at most, inputs by none (WrittenOnce()); what is read was written before, or is an
/// input.
derived::Expression ExpressionOf(const StatementList& list);

}  // namespace exh::kernels::fused

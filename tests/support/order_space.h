// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/table_host.h"

namespace exh::tests {

/// The values of `order` as bits, in the order of kernels/codegen/loops/schedule.h.
inline constexpr runtime::Bits kBefore = 1, kAfter = 2, kInner = 4, kOuter = 8, kMerged = 16;

/// Statements (instructions first, then dimensions) and their order with the triangle rules of the
/// linear-algebra space: the largest part of a real instance.
TestSpace OrderSpace(int num_instructions, int num_dims);

}  // namespace exh::tests

// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/derived/expression.h"

namespace exh::kernels::text::testing {

/// The test fails unless the kernel of this text computes what the expression does, of inputs drawn
/// from `seed`: small numbers from `least` on. Arrays have the same names in both, as far as those
/// are names of the notation.
void ExpectSameResults(const derived::Expression& expression, const std::string& text,
                       std::uint64_t seed, int least = -4);

}  // namespace exh::kernels::text::testing

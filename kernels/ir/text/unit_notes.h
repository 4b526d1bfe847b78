// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/ir/target.h"

namespace exh::kernels::ir {

/// What a person should know of the matrix units of a device with groups of warps: which product
/// they do not do although its types would fit, which operand no bulk copy brings, why, and what
/// would fit. One line each.
std::vector<std::string> UnitNotes(const Target& target);

}  // namespace exh::kernels::ir

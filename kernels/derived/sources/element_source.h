// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/ir/function.h"

namespace exh::kernels::derived {

/// Kernel::ReferenceElement() of this backbone (kernels/library/kernel.h): the body of a function
/// that returns {value, tolerance} of element `i` of the only output, in double precision. What
/// does not change from one element to the next is kept: it is not for several threads. Elements of
/// inputs become doubles by double(x); where the output is a narrower float than what is stored,
/// the value is not rounded, but the tolerance knows. Empty if there are several outputs, or
/// something that has no rule (error_squares.h).
std::string ReferenceElement(const ir::Function& function);

}  // namespace exh::kernels::derived

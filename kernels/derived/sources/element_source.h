// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/ir/function.h"

namespace exh::kernels::derived {

/// Kernel::ReferenceElement() of this backbone (kernels/library/kernel.h): the body of a function
/// that returns {value, tolerance} of element `i` of the only output, in double precision. What
/// does not change from one element to the next is kept: it is not for several threads. Empty if
/// there are several outputs.
std::string ReferenceElement(const ir::Function& function);

}  // namespace exh::kernels::derived

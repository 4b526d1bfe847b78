// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "functional/meaning/program.h"

namespace exh::functional {

/// What a program computes as the text of a kernel (docs/kernels.md): results that no later kernel
/// of the program reads are its outputs. Of its parameters nothing is left, nor of how its maps
/// run. `parameters`: values that the program allows. Throws Error as ExpressionOf() does, and
/// Refused where the notation has no words for it (kernels/text/kernel_text.h).
std::string KernelTextOf(const Program& program, const Assignment& parameters,
                         const std::string& name);

}  // namespace exh::functional

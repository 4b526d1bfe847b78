// SPDX-License-Identifier: MIT
#pragma once

#include "dsl/diagnostics/diagnostic.h"
#include "kernels/notation/numbers.h"
#include "kernels/notation/syntax/ast.h"

namespace exh::kernels::notation {

/// Whether the sizes, with what is declared of them, can be: ranges that are not empty, defaults in
/// them, sizes of 1 or more, options that have the value. `sizes`: all of the kernel.
bool CheckSizes(const Kernel& kernel, const Sizes& sizes, dsl::DiagnosticSink& sink);

/// Whether sizes and options are as the kernel requires. The sink says which requirement does not
/// hold, with the sizes and options that it speaks of. `sizes`: all of the kernel.
bool CheckRequirements(const Kernel& kernel, const Sizes& sizes, dsl::DiagnosticSink& sink);

}  // namespace exh::kernels::notation

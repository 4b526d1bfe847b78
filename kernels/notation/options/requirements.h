// SPDX-License-Identifier: MIT
#pragma once

#include "dsl/diagnostics/diagnostic.h"
#include "kernels/notation/numbers.h"
#include "kernels/notation/syntax/ast.h"

namespace exh::kernels::notation {

/// Whether sizes and options are as the kernel requires. The sink says which requirement does not
/// hold, with the sizes and options that it speaks of. `sizes`: all of the kernel.
bool CheckRequirements(const Kernel& kernel, const Sizes& sizes, dsl::DiagnosticSink& sink);

}  // namespace exh::kernels::notation

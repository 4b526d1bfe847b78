// SPDX-License-Identifier: MIT
#pragma once

#include "dsl/diagnostics/diagnostic.h"
#include "kernels/notation/resolve.h"
#include "kernels/notation/syntax/ast.h"

namespace exh::kernels::notation {

/// Finds `types` of a resolution that has all names. False when operands do not fit each other,
/// which the sink says.
bool CheckTypes(const Kernel& kernel, ResolvedKernel& resolution, dsl::DiagnosticSink& sink);

}  // namespace exh::kernels::notation

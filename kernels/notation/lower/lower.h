// SPDX-License-Identifier: MIT
#pragma once

#include "dsl/diagnostics/diagnostic.h"
#include "kernels/ir/builder.h"
#include "kernels/notation/resolve.h"
#include "kernels/notation/syntax/ast.h"

namespace exh::kernels::notation {

/// Writes the backbone of a kernel at the sizes that it was resolved with. False when that is not
/// possible; the sink has the reason.
bool Lower(const Kernel& kernel, const ResolvedKernel& resolution, ir::Builder& builder,
           dsl::DiagnosticSink& sink);

}  // namespace exh::kernels::notation

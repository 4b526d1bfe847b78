// SPDX-License-Identifier: MIT
#pragma once

#include "dsl/diagnostics/diagnostic.h"
#include "kernels/notation/syntax/ast.h"

namespace exh::kernels::notation {

/// Puts numbers in the place of the words that options have as values: in defaults and ranges, and
/// where an option is compared with one, `op == max`. From there on an option is a number. What is
/// wrong with words is in the sink.
void NumberOptionWords(Kernel& kernel, dsl::DiagnosticSink& sink);

}  // namespace exh::kernels::notation

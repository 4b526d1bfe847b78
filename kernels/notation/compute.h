// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "dsl/diagnostics/diagnostic.h"
#include "kernels/notation/numbers.h"

namespace exh::kernels::notation {

/// The text of the kernel that statements alone make, as on a command line:
/// `c[i, j] = sum(k) a[i, k] * b[k, j]`, several with semicolons between them.
/// Names with subscripts that nothing states are inputs, as large as their subscripts make them.
/// Names without are scalars. What is stated and not read is an output. Inputs and scalars have the
/// type, and outputs whose statement says no other. Each index is a size whose default is in
/// `sizes`. `file` of `sink.sources()` has the statements; nothing when they are wrong, or `sizes`
/// lacks an index, which the sink says.
std::optional<std::string> KernelOfStatements(std::uint32_t file, const std::string& name,
                                              const std::string& type, const Sizes& sizes,
                                              dsl::DiagnosticSink& sink);

}  // namespace exh::kernels::notation

// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "dsl/diagnostics/diagnostic.h"
#include "kernels/notation/numbers.h"
#include "kernels/notation/resolve.h"
#include "kernels/notation/syntax/ast.h"

namespace exh::kernels::notation {

/// An array of this type at the sizes of `numbers`. Nothing when its extents or strides make no
/// array, or the elements of an output would overlap or leave gaps; the sink has the reason.
std::optional<ArrayShape> ShapeOf(const ArrayDecl& decl, ir::Type type, Numbers& numbers,
                                  dsl::DiagnosticSink& sink);

}  // namespace exh::kernels::notation

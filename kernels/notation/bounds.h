// SPDX-License-Identifier: MIT
//
// Reads of arrays held against how large these are, once all extents are known.
#pragma once

#include <vector>

#include "dsl/diagnostics/diagnostic.h"
#include "kernels/notation/numbers.h"
#include "kernels/notation/resolve.h"

namespace exh::kernels::notation {

/// A read of an array, and what its subscripts say.
struct PendingRead {
  const Expr* expr = nullptr;
  int array = -1;
  std::vector<IndexMap> maps;  ///< By dimension; 0 where the subscript is computed.
  std::vector<Index*> scope;   ///< The indices around it.
};

/// Have all indices in its subscripts an extent?
bool IsKnown(const PendingRead& read);

/// Of a read that IsKnown(). Notes in `resolution.reads` which dimensions the read leaves. False
/// when it reaches outside of an array that has nothing there, or never is inside; the sink has the
/// reason.
bool CheckBounds(const PendingRead& read, ResolvedKernel& resolution, dsl::DiagnosticSink& sink);

}  // namespace exh::kernels::notation

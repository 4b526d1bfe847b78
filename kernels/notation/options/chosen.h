// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/notation/resolve.h"
#include "kernels/notation/syntax/ast.h"

namespace exh::kernels::notation {

/// Finds `needed`, and leaves nothing in the resolution of what is not computed at its sizes: the
/// sides of options that are not meant, and values that nobody else reads. `chosen` is known.
void KeepChosen(const Kernel& kernel, ResolvedKernel& resolution);

}  // namespace exh::kernels::notation

// SPDX-License-Identifier: MIT
#pragma once

#include "dsl/name_uses.h"
#include "kernels/notation/syntax/ast.h"

namespace exh::kernels::notation {

/// Where the names of a kernel as it is written (WrittenKernel) stand, and where they are declared.
/// Within a kernel a name is one thing: indices of one name belong together, and to the size of
/// that name if there is one, which says how many steps they have where nothing else does. So they
/// are renamed together. What declares a name is the size, scalar or array of that name, else the
/// first statement that states it, else the first index. Names of functions, of types and of values
/// of options are not in it.
dsl::NameUses NamesOf(const Kernel& kernel);

}  // namespace exh::kernels::notation

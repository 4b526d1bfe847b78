// SPDX-License-Identifier: MIT
#pragma once

#include "dsl/name_uses.h"
#include "functional/syntax/ast.h"

namespace exh::functional {

/// Where the names of a program stand, and where they are declared: by statements, by patterns of
/// functions and of `let`. A name in an expression is the innermost one around it. What a statement
/// may use must stand before it; that is not asked here. Labels and the words of the language are
/// not in it.
dsl::NameUses NamesOf(const File& file);

}  // namespace exh::functional

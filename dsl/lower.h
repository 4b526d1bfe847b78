// SPDX-License-Identifier: MIT
#pragma once

#include "dsl/ast.h"
#include "dsl/symbols.h"

namespace exh::dsl {

/// Fills the requirements (those of `require` and, lowered, those of `requires`), quotients,
/// triggers, the order of choices and the host of the spec, in file order. Choices are defined
/// already.
void LowerStatements(const ast::File& file, Resolution& r);

}  // namespace exh::dsl

// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "dsl/meaning/symbols.h"
#include "dsl/syntax/ast.h"

namespace exh::dsl {

/// Fills the requirements (those of `require` and those that `requires` stands for), quotients,
/// triggers, the order of choices and the host of the spec, in file order. Choices are defined
/// already.
void DefineStatements(const ast::File& file, Resolution& r);

/// Fills the terms that stand beside the space.
void DefineTerms(const std::vector<ast::ObjectiveDecl>& terms, Resolution& r);

}  // namespace exh::dsl

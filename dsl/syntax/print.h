// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "dsl/syntax/ast.h"

namespace exh::dsl {

/// Canonical `.exh` text of a tree. Parsing it gives an equal tree; broken statements are left out.
std::string Print(const ast::File& file);

/// `$a in Dims`.
std::string Print(const ast::VarDef& def);

/// `order($a in Dims, $b in Dims)`: how a name that takes arguments is declared.
std::string PrintHead(const ast::Name& name, const std::vector<ast::VarDef>& arguments);

/// One term, condition, formula or constraint on one line, for messages and comments.
std::string Print(const ast::Term& term);
std::string Print(const ast::Condition& condition);
std::string Print(const ast::Formula& formula);
std::string Print(const ast::Constraint& constraint);

}  // namespace exh::dsl

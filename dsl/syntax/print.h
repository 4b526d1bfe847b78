// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "dsl/syntax/ast.h"

namespace exh::dsl {

/// Canonical `.exh` text of a tree. Parsing it gives an equal tree; broken statements are left out.
std::string Print(const ast::File& file);

/// One term, condition, formula or constraint on one line, for messages and comments.
std::string Print(const ast::Term& term);
std::string Print(const ast::Condition& condition);
std::string Print(const ast::Formula& formula);
std::string Print(const ast::Constraint& constraint);

}  // namespace exh::dsl

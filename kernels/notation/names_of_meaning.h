// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>

#include "kernels/notation/syntax/ast.h"

namespace exh::kernels::notation {

/// Every name that arrays, scalars and statements mention, so all that says what is computed. What
/// only tiles and requirements mention is missing.
std::set<std::string> NamesOfMeaning(const Kernel& kernel);

}  // namespace exh::kernels::notation

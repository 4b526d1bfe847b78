// SPDX-License-Identifier: MIT
//
// What is legal, means something, and is hardly what its author wants. Internal to dsl.
#pragma once

#include "dsl/meaning/symbols.h"

namespace exh::dsl {

/// Reports unused names and requirements that say nothing, or nothing new. The spec has no errors.
void Lint(Resolution& r);

}  // namespace exh::dsl

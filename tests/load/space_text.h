// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "runtime/space.h"

namespace exh::load {

/// All that stands in the tables of a space, a line an entry: equal spaces have equal texts.
std::string SpaceText(const runtime::Space& space);

}  // namespace exh::load

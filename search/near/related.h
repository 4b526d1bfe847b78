// SPDX-License-Identifier: MIT
#pragma once

#include "runtime/instance.h"

namespace exh::search {

/// Do the decisions speak of one object?
bool ShareObject(const runtime::Instance& instance, runtime::DecisionId a, runtime::DecisionId b);

}  // namespace exh::search

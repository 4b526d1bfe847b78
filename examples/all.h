// SPDX-License-Identifier: MIT
//
// The examples of this folder, one function each.
#pragma once

#include "examples/example.h"

namespace exh::examples {

const Example& QueensExample();
const Example& ColouringExample();
const Example& KnapsackExample();
const Example& JobShopExample();
const Example& LiftExample();

}  // namespace exh::examples

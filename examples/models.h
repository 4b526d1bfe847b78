// SPDX-License-Identifier: MIT
//
// The models of this folder, one function each.
#pragma once

#include "examples/model.h"

namespace exh::examples {

const Model& QueensModel();
const Model& ColouringModel();
const Model& KnapsackModel();
const Model& JobShopModel();

}  // namespace exh::examples

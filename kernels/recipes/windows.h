// SPDX-License-Identifier: MIT
//
// Sums of products like those of a convolution: one factor is read through windows.
#pragma once

#include <vector>

#include "kernels/ir/target.h"
#include "kernels/recipes/recipe.h"

namespace exh::kernels {

/// Recipes for a kernel that is one sum of products, one factor of which has a window with its halo
/// (kernels/spaces/windows.exh), while threads may copy the other one: x and the filter of a
/// convolution. A block has a tile of pixels (results that the window moves along) by channels
/// (those that it does not), each thread some of both in registers. Where the sum has an axis along
/// which nothing meets, a loop takes it piece by piece: in each round the threads copy the window
/// and the other factor's tile. Empty: it is no such kernel, or nothing fits.
std::vector<Recipe> WindowRecipes(const ir::Target& function);

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
//
// Matrix products whose operands threads copy into shared memory, tile by tile.
#pragma once

#include <vector>

#include "kernels/ir/target.h"
#include "kernels/recipes/recipe.h"

namespace exh::kernels {

/// Recipes for a kernel that is one sum of products, where each operand is needed along one of the
/// last two axes of the result: tiles of 64 x 64 and 128 x 128 results for a block, 8 x 4 and 8 x 8
/// for a thread, a copy of each operand's tile in shared memory (kernels/spaces/copies.exh), and
/// the next one on its way to registers meanwhile. Empty: it is no such kernel, it has too few
/// results for a GPU, or the device has no threads.
std::vector<Recipe> CopiedTileRecipes(const ir::Target& function);

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
//
// Matrix products of processors: a tile of the result stays in registers while the sum runs.
#pragma once

#include <vector>

#include "kernels/ir/target.h"
#include "kernels/recipes/recipe.h"

namespace exh::kernels {

/// Recipes for a kernel that is one sum of products, one factor of which lies along the columns of
/// the result as lanes need it: tiles of some rows by some vectors, as many as the registers hold,
/// and work items that are panels of columns. In the one recipe that factor's panel is copied to
/// memory of its own before, so that what is read one after the other lies so (what BLIS calls
/// packing); in the other it is read where it lies. The first one is what promises more. Empty: it
/// is no such kernel, no tile fits, or lanes of the device do not compute.
std::vector<Recipe> RegisterTileRecipes(const ir::Target& function);

}  // namespace exh::kernels

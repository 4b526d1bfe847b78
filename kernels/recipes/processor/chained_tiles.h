// SPDX-License-Identifier: MIT
//
// Matrix products in a row on a processor: (A B) C.
#pragma once

#include <optional>

#include "kernels/ir/target.h"
#include "kernels/recipes/recipe.h"

namespace exh::kernels {

/// A recipe for a kernel of several sums of products, each a factor of the next one, whose results
/// have their rows in common: a work item has some rows of all of them. What one product yields for
/// these rows is in a temporary array, and each product has tiles in registers
/// (recipes/processor/register_tiles.h). Nothing: it is no such kernel, or no tile fits.
std::optional<Recipe> ChainedTileRecipe(const ir::Target& function);

}  // namespace exh::kernels

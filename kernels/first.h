// SPDX-License-Identifier: MIT
//
// What a search tries first: decisions that make a decent implementation of any kernel, as wishes
// by the names of choices and values. A search knows no choice by more than its name, and takes
// what it can of them (search/descend/first.h); a space without these choices has no such start.
#pragma once

#include <vector>

#include "kernels/ir/target.h"
#include "kernels/recipes/recipe.h"

namespace exh::kernels {

/// Recipes for a frozen backbone on its device, the most promising first: those of products that a
/// matrix unit does (recipes/unit_recipe.h), or whose operands go through rings (recipes/rings.h)
/// or are copied tile by tile (recipes/copied_tiles.h), or whose result has tiles in the registers
/// of a processor (recipes/processor/register_tiles.h); tiles that registers hold, with vectors (or
/// threads) along the rows of the result and blocks around everything, which divide reductions that
/// have too few results for the whole machine; vectors are along a reduction where only that lies
/// in memory as they need it; where there are threads the same with two rows for each of them,
/// which takes fewer registers; last the naive nest, without tiles, all of it in the loops of the
/// result.
std::vector<Recipe> FirstRecipes(const ir::Target& function);

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
//
// Two products with a softmax between them, such as attention, as one loop over tiles.
#pragma once

#include <vector>

#include "kernels/ir/target.h"
#include "kernels/recipes/recipe.h"

namespace exh::kernels {

/// Recipes for a product whose results go, by way of a maximum that may be read while it runs, into
/// the terms of a second product (docs/running.md): a block has tiles of 128 or 64 rows, goes
/// through the axis of the maximum in tiles of 64, and holds the results of both products in
/// registers; what both read goes through shared memory. Empty: it is no such kernel, or the
/// device has no threads.
std::vector<Recipe> RunningTileRecipes(const ir::Target& function);

/// Of attention in which no two queries read the same keys, as when a model writes one word after
/// the other: few of them, and many keys, which blocks divide (split_keys.cc). Empty for any other
/// kernel, and for devices without clusters.
std::vector<Recipe> SplitKeyRecipes(const ir::Target& function);

}  // namespace exh::kernels

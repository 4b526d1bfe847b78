// SPDX-License-Identifier: MIT
//
// Computations without sums on a processor: what counts is how memory is gone through.
#pragma once

#include <vector>

#include "kernels/ir/target.h"
#include "kernels/recipes/recipe.h"

namespace exh::kernels {

/// Recipes for a kernel without reductions: each thread goes through a share of neighbours in
/// memory (block_schedule STATIC), vector by vector, in work items of some thousand elements; in
/// the first recipe results go past the caches (cache NO_CACHE), in the second they do not. Empty:
/// it has reductions, or lanes of the device do not compute.
std::vector<Recipe> StreamRecipes(const ir::Target& function);

}  // namespace exh::kernels

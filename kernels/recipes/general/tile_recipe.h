// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/ir/target.h"
#include "kernels/recipes/general/axis_plan.h"
#include "kernels/recipes/recipe.h"

namespace exh::kernels {

/// A decent implementation of any kernel: tiles of its results that registers hold, blocks around
/// everything, reductions spread over the machine (spread.cc); or, not tiled, the naive nest.
Recipe TileRecipe(const ir::Target& function, const TileShape& shape);

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/ir/target.h"
#include "kernels/recipes/recipe.h"

namespace exh::kernels {

/// Recipes for products that a matrix unit of the device does (kernels/spaces/units.exh), both
/// operands in shared memory: large tiles of C that warps share, and small ones of which each warp
/// has a slice of k; wide ones where an operand's elements are no neighbours in memory; slices in
/// blocks that divide k where C is small. First those whose operands are copied asynchronously into
/// rings, where the device does so; then the same with one tile of each. Those whose tiles fit the
/// axes; none where the unit may do none of the reductions, or several.
std::vector<Recipe> UnitRecipes(const ir::Target& function);

}  // namespace exh::kernels

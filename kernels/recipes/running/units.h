// SPDX-License-Identifier: MIT
//
// Two products of halves with a softmax between them, such as attention, by matrix units.
#pragma once

#include <vector>

#include "kernels/ir/target.h"
#include "kernels/recipes/recipe.h"

namespace exh::kernels {

/// Recipes for the kernels of RunningTileRecipes() whose products a matrix unit of halves does, the
/// results of the first one as its operand of the second one (kernels/ir/fragments.h). Empty: it is
/// no such kernel, or the device has no such unit.
std::vector<Recipe> RunningUnitRecipes(const ir::Target& function);

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "kernels/ir/target.h"
#include "kernels/recipes/recipe.h"

namespace exh::kernels {

/// A product of two arguments whose tiles are copied asynchronously, into rings of several slots
/// (kernels/spaces/ring.exh); nothing where the device cannot do so, or the backbone is no product,
/// or its sizes are not those of whole tiles.
std::optional<Recipe> RingRecipe(const ir::Target& function);

}  // namespace exh::kernels

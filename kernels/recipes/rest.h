// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/recipes/recipe.h"

namespace exh::kernels {

/// Wishes for whatever a recipe has left open: the plainest value of every choice. They come last.
/// `is_wide`: accesses take as many elements at once as they can.
void AppendRest(bool is_wide, Recipe& recipe);

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
//
// Reductions of rows that lie in memory as they are reduced: softmax, norms, statistics, scans.
#pragma once

#include <vector>

#include "kernels/ir/target.h"
#include "kernels/recipes/recipe.h"

namespace exh::kernels {

/// Recipes for a kernel with a scan, or with several reductions, all of which go along one axis,
/// whose neighbours are neighbours in memory: the threads of a block share a row, or some rows, all
/// nests alike, and hold in registers what is needed again. Where a maximum may be read while it
/// runs, there is one recipe that does so and one that waits for it. Where a scan has few rows, the
/// first recipes divide it among blocks. Empty: it is no such kernel,
/// or the device has no threads.
std::vector<Recipe> RowTileRecipes(const ir::Target& function);

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
#include "kernels/first.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "kernels/recipes/copied_tiles.h"
#include "kernels/recipes/general/tile_recipe.h"
#include "kernels/recipes/processor/chained_tiles.h"
#include "kernels/recipes/processor/register_tiles.h"
#include "kernels/recipes/processor/streams.h"
#include "kernels/recipes/rings.h"
#include "kernels/recipes/row_tiles.h"
#include "kernels/recipes/running/tiles.h"
#include "kernels/recipes/running/units.h"
#include "kernels/recipes/unit_recipe.h"
#include "kernels/recipes/windows.h"

namespace exh::kernels {
namespace {

/// The tiles of the general recipe.
TileShape TilesFor(const ir::Device& device) {
  TileShape tiles{.name = "tiles"};
  if (device.max_threads > 1) {
    tiles.columns = tiles.rows = {4, 2, 1};
    tiles.threads = {16, 8, 32};
    // Of an axis that these do not divide: 14 columns have 7 threads with two each.
    for (std::uint32_t size = 15; size > 0; --size) {
      if (size != 8) tiles.threads.push_back(size);
    }
    tiles.all_threads = {256, 128, 64, 32, 16, 8, 4, 2, 1};
  } else {
    tiles.columns = device.vector_sizes;
    std::ranges::sort(tiles.columns, std::greater<>());
    tiles.columns.push_back(1);
    tiles.rows = {4, 2, 3, 5, 6, 7, 8, 1};
  }
  return tiles;
}

}  // namespace

std::vector<Recipe> FirstRecipes(const ir::Target& function) {
  std::vector<Recipe> recipes = UnitRecipes(function);
  const auto add = [&](std::vector<Recipe> more) {
    std::ranges::move(more, std::back_inserter(recipes));
  };
  if (auto rings = RingRecipe(function)) recipes.push_back(std::move(*rings));
  add(RunningUnitRecipes(function));
  add(SplitKeyRecipes(function));
  add(RunningTileRecipes(function));
  add(RowTileRecipes(function));
  add(CopiedTileRecipes(function));
  add(RegisterTileRecipes(function));
  if (auto chained = ChainedTileRecipe(function)) recipes.push_back(std::move(*chained));
  add(StreamRecipes(function));
  add(WindowRecipes(function));
  TileShape tiles = TilesFor(function.device);
  recipes.push_back(TileRecipe(function, tiles));
  if (function.device.max_threads > 1) {
    // Of two products in a row a block holds whole rows of the second: with four rows for each
    // thread registers do not hold those of a long row.
    tiles.name = "low tiles";
    tiles.rows = {2, 1};
    recipes.push_back(TileRecipe(function, tiles));
  }
  recipes.push_back(TileRecipe(function, {.name = "naive", .tiled = false}));
  recipes.back().is_exact = true;
  return recipes;
}

}  // namespace exh::kernels

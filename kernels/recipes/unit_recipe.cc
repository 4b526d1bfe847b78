// SPDX-License-Identifier: MIT
#include "kernels/recipes/unit_recipe.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "kernels/ir/target/nest_axes.h"
#include "kernels/recipes/unit_tile.h"

namespace exh::kernels {
namespace {

using ir::Communication;
using ir::Instruction;
using ir::LogicalDim;
using ir::Target;

/// Of doubles.
const UnitTile kTiles[] = {
    {.name = "unit, large tiles", .row_warps = 4, .row_copies = 2, .column_warps = 2, .steps = 2},
    {.name = "unit, small tiles", .row_warps = 2, .row_copies = 2, .column_warps = 2, .steps = 2},
    {.name = "unit, slices", .row_copies = 2, .slices = 4},
};
/// Of halves and bytes, whose sums take half as many registers and whose steps are eight times as
/// fast, or more.
const UnitTile kHalfTiles[] = {
    {.name = "unit, large tiles",
     .row_warps = 2,
     .row_copies = 4,
     .column_warps = 2,
     .column_copies = 8,
     .steps = 2},
    {.name = "unit, deep tiles",
     .row_warps = 2,
     .row_copies = 4,
     .column_warps = 2,
     .column_copies = 8,
     .steps = 4},
    {.name = "unit, wide tiles",
     .row_warps = 2,
     .row_copies = 4,
     .column_warps = 4,
     .column_copies = 8,
     .steps = 2},
    {.name = "unit, small tiles",
     .row_warps = 2,
     .row_copies = 2,
     .column_warps = 2,
     .column_copies = 4,
     .steps = 4},
    {.name = "unit, slices", .row_copies = 2, .slices = 4},
};
/// Of groups of warps: as many sums as two groups, three, or one have registers for, and fewer
/// where the result is small. A step along the sum is as long as a row of the swizzle.
const UnitTile kGroupTiles[] = {
    {.name = "groups, wide tiles", .row_warps = 8, .column_copies = 32, .steps = 4},
    {.name = "groups, high tiles",
     .row_warps = 8,
     .row_copies = 2,
     .column_copies = 16,
     .steps = 4},
    {.name = "groups, tall tiles", .row_warps = 12, .column_copies = 24, .steps = 4},
    {.name = "groups, square tiles",
     .row_warps = 4,
     .row_copies = 2,
     .column_copies = 16,
     .steps = 4},
    // For results that are small, and for what is made of sums before they are stored: that is
    // written out for each of them.
    {.name = "groups, even tiles", .row_warps = 8, .column_copies = 16, .steps = 4},
    {.name = "groups, narrow tiles", .row_warps = 8, .column_copies = 8, .steps = 4},
    {.name = "groups, flat tiles", .row_warps = 4, .column_copies = 16, .steps = 4},
    {.name = "groups, small tiles", .row_warps = 4, .column_copies = 8, .steps = 4},
};

/// Of groups whose sums are promoted, and so are in registers twice.
const UnitTile kPromotedTiles[] = {
    {.name = "groups, square tiles", .row_warps = 8, .column_copies = 16, .steps = 4},
    {.name = "groups, wide tiles", .row_warps = 8, .column_copies = 24, .steps = 4},
    {.name = "groups, flat tiles", .row_warps = 4, .column_copies = 16, .steps = 4},
    {.name = "groups, small tiles", .row_warps = 4, .column_copies = 8, .steps = 4},
};

/// Where the elements of the first operand are no neighbours, each is a transfer of its own: few
/// blocks read it.
const UnitTile kWideTile = {.name = "unit, wide tiles",
                            .row_copies = 2,
                            .column_warps = 8,
                            .column_copies = 8,
                            .splits = 2};

constexpr std::uint32_t kStages = 3;  ///< Of rings.

/// Is an operand of the product read one element here and one there?
bool HasScatteredOperand(const Target& function, const Instruction& product) {
  return std::ranges::any_of(ir::OperandsOf(function, product), [&](const Communication* comm) {
    const Instruction& read = function.inst(comm->producer);
    return read.op == ir::Op::kLoad &&
           std::ranges::find(read.access, 1, &ir::AccessAxis::stride) == read.access.end();
  });
}

/// Slices in blocks that divide the sum, so many that there is a block for each multiprocessor;
/// nothing where the result alone has that many.
std::optional<UnitTile> DividedTile(const Target& function, const Instruction& product) {
  UnitTile tile{.name = "unit, divided slices",
                .unit = ir::UnitOf(function, product),
                .row_copies = 2,
                .slices = 4};
  std::uint64_t points = 1;
  for (const LogicalDim* axis : ir::ResultAxes(function, product)) points *= axis->extent;
  const std::uint64_t blocks = points / (tile.rows() * tile.columns());
  if (blocks == 0 || kUnitBlocks / blocks < 2) return std::nullopt;
  tile.splits = std::bit_floor(static_cast<std::uint32_t>(kUnitBlocks / blocks));
  return tile;
}

/// Those of groups of warps: each with as many slots as there is memory for.
void AddGroupRecipes(const Target& function, const Instruction& product,
                     std::vector<Recipe>& recipes) {
  if (!function.may_use_groups(product)) return;
  struct Way {
    bool is_bulk = false, has_producers = false, is_persistent = false, has_clusters = false;
  };
  std::vector<Way> ways = {{}};
  if (function.may_have_producers()) ways = {{true, true}, {true}, {}};
  if (function.may_persist()) {
    ways.insert(ways.begin(), {true, true, true});
    if (!function.cluster_dims().empty()) ways.insert(ways.begin(), {true, true, true, true});
  }
  // Copies of 16 bytes count as 16 instructions where each byte is an element (limits.exh): those
  // of large tiles are more than a device takes.
  const bool has_bytes = ir::BytesOf(*function.TypeOf(product.operands.front())) == 1;
  const std::span<const UnitTile> tiles = ir::IsPromoted(ir::UnitOf(function, product))
                                              ? std::span<const UnitTile>(kPromotedTiles)
                                              : kGroupTiles;
  for (const Way& way : ways) {
    if (has_bytes && !way.is_bulk) continue;
    for (UnitTile tile : tiles) {
      tile.unit = ir::UnitOf(function, product);
      tile.is_of_groups = true;
      tile.is_bulk = way.is_bulk;
      tile.has_producers = way.has_producers;
      tile.is_persistent = way.is_persistent;
      tile.has_clusters = way.has_clusters;
      for (tile.stages = function.device.max_stages; tile.stages > (way.is_bulk ? 1u : 0u);
           --tile.stages) {
        auto recipe = UnitRecipe(function, product, tile);
        if (!recipe) continue;
        recipes.push_back(std::move(*recipe));
        break;
      }
    }
  }
}

}  // namespace

std::vector<Recipe> UnitRecipes(const Target& function) {
  std::vector<Recipe> recipes;
  const Instruction* product = nullptr;
  for (const Instruction& inst : function.insts) {
    if (!inst.is_reduction() || !function.may_use_unit(inst)) continue;
    // Several products share the threads of a block and what it has of memory: tiles that are good
    // for one of them leave no room for the others.
    if (product != nullptr) return recipes;
    product = &inst;
  }
  if (product == nullptr) return recipes;
  const ir::MatrixUnit unit = ir::UnitOf(function, *product);
  const bool is_narrow = unit != ir::MatrixUnit::kDmma;
  // The tables say steps of 16.
  const bool is_deep = ir::ShapeOf(unit) == ir::kDeepShape;
  AddGroupRecipes(function, *product, recipes);
  std::vector<UnitTile> tiles = is_narrow
                                    ? std::vector(std::begin(kHalfTiles), std::end(kHalfTiles))
                                    : std::vector(std::begin(kTiles), std::end(kTiles));
  if (HasScatteredOperand(function, *product)) tiles.push_back(kWideTile);
  if (const auto tile = DividedTile(function, *product)) tiles.push_back(*tile);
  const std::vector<UnitTile> fitted = FittedTiles(function, *product);
  tiles.insert(tiles.begin(), fitted.begin(), fitted.end());
  for (const std::uint32_t stages : {kStages, 1u}) {
    for (UnitTile tile : tiles) {
      tile.unit = unit;
      tile.stages = stages;
      if (is_deep) tile.steps = std::max(1u, tile.steps / 2);
      if (auto recipe = UnitRecipe(function, *product, tile)) recipes.push_back(std::move(*recipe));
    }
  }
  return recipes;
}

}  // namespace exh::kernels

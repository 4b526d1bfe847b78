// SPDX-License-Identifier: MIT
//
// Tiles of recipes for matrix units.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/ir/fragments.h"
#include "kernels/ir/target.h"
#include "kernels/recipes/recipe.h"

namespace exh::kernels {

/// About as many blocks as a large GPU has multiprocessors.
inline constexpr std::uint32_t kUnitBlocks = 128;

/// What a block does of a product.
struct UnitTile {
  std::string name;
  ir::MatrixUnit unit = ir::MatrixUnit::kNone;
  std::uint32_t row_warps = 1, row_copies = 1, column_warps = 1, column_copies = 4;
  /// Along a further axis of the result, which one of the operands moves along.
  std::uint32_t more_warps = 1, more_copies = 1;
  std::uint32_t steps = 1, slices = 1;  ///< Of the sum: of a warp, and warps.
  std::uint32_t splits = 1;             ///< Blocks that divide the sum along the unit's depth.
  /// Of the axes that are summed over beside that one the first so many have blocks, not loops.
  std::uint32_t divided_loops = 0;
  std::uint32_t stages = 1;  ///< Tiles of an operand in shared memory.
  /// Groups of four warps do it, with operands in place: `row_warps` is a multiple of four, and a
  /// group's rows are neighbours.
  bool is_of_groups = false;
  /// Bulk copies bring operands; threads of their own ask for these; blocks go on with other tiles.
  bool is_bulk = false, has_producers = false, is_persistent = false;
  /// Two blocks are a cluster, which share the larger operand.
  bool has_clusters = false;

  const ir::UnitShape& shape() const { return ir::ShapeOf(unit); }
  std::uint32_t rows() const { return row_warps * row_copies * shape().rows.size(); }
  std::uint32_t columns() const { return column_warps * column_copies * shape().columns.size(); }
  std::uint32_t more() const { return more_warps * more_copies; }
  std::uint32_t depth() const { return steps * slices * shape().depth.size(); }
  std::uint32_t threads() const {
    return row_warps * column_warps * more_warps * slices * shape().lanes;
  }
};

/// The axes of a unit's tile; invalid: it has none.
struct UnitAxes {
  ir::LogicalDimId rows, columns, depth;
};
UnitAxes UnitAxesOf(const ir::Target& function, const ir::Instruction& product);

/// Do the same operands of the product move along both axes?
bool MoveTogether(const ir::Target& function, const ir::Instruction& product, ir::LogicalDimId a,
                  ir::LogicalDimId b);

/// The last axis of the result beside the unit's rows and columns that moves together with either;
/// invalid: there is none.
ir::LogicalDimId FurtherAxis(const ir::Target& function, const ir::Instruction& product);

/// What is summed over besides the unit's depth.
std::vector<ir::LogicalDimId> LoopsAround(const ir::Target& function,
                                          const ir::Instruction& product);

/// Of a sum over several axes, such as that of a convolution, which has not as many pixels or
/// channels as a matrix has rows: tiles that divide its axes as they are, for blocks of four and of
/// eight warps, of which blocks may divide the sum or not. Those that promise to take least time on
/// a large GPU; none of other sums.
std::vector<UnitTile> FittedTiles(const ir::Target& function, const ir::Instruction& product);

/// The recipe for a product that a matrix unit does tile by tile (unit_writer.cc); nothing: the
/// tile does not fit.
std::optional<Recipe> UnitRecipe(const ir::Target& function, const ir::Instruction& product,
                                 const UnitTile& tile);

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
//
// All ways to divide rows, columns and a further axis among warps and their copies are looked at,
// and all ways in which blocks divide the sum. What a way takes is estimated: products, what their
// operands take from shared and from main memory, rings that begin to turn, blocks, and what blocks
// that divide a sum hand over.
#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/ir/target/nest_axes.h"
#include "kernels/recipes/unit_tile.h"

namespace exh::kernels {
namespace {

using ir::Dimension;
using ir::FragmentPart;
using ir::Instruction;
using ir::LogicalDim;
using ir::LogicalDimId;
using ir::Target;

class TileFinder {
 public:
  TileFinder(const Target& function, const Instruction& product)
      : f_(function), product_(product), further_(FurtherAxis(function, product)) {
    const UnitAxes axes = UnitAxesOf(function, product);
    rows_ = f_.logical(axes.rows).extent;
    columns_ = f_.logical(axes.columns).extent;
    depth_ = f_.logical(axes.depth).extent;
    for (const LogicalDim* axis : ir::ResultAxes(f_, product)) results_ *= axis->extent;
    for (const LogicalDimId axis : LoopsAround(f_, product)) {
      loops_.push_back(f_.logical(axis).extent);
    }
    if (further_.valid()) more_ = f_.logical(further_).extent;
    is_of_rows_ = further_.valid() && MoveTogether(f_, product, further_, axes.rows);
  }

  /// Of the tiles for so many warps the one that promises most. `may_divide`: blocks may divide the
  /// sum. Nothing: none fits.
  std::optional<UnitTile> Find(std::uint32_t warps, bool may_divide) {
    best_.reset();
    UnitTile tile{.name = "unit, fitted tiles, " + std::to_string(warps) + " warps",
                  .unit = ir::UnitOf(f_, product_)};
    constexpr std::uint32_t kDeep = 128;  // Rings of a short depth turn more often than once.
    tile.steps = depth_ % (2 * tile.shape().depth.size()) == 0 && depth_ >= kDeep ? 2 : 1;
    for (tile.row_warps = 1; tile.row_warps <= warps; tile.row_warps *= 2) {
      for (tile.more_warps = 1; tile.more_warps * tile.row_warps <= warps; tile.more_warps *= 2) {
        tile.column_warps = warps / tile.row_warps / tile.more_warps;
        for (tile.row_copies = 1; tile.row_copies <= 4; tile.row_copies *= 2) {
          for (const std::uint32_t column_copies : {1u, 2u, 4u, 7u, 8u}) {
            for (const std::uint32_t more_copies : {1u, 2u, 4u, 7u}) {
              tile.column_copies = column_copies;
              tile.more_copies = more_copies;
              ConsiderDivided(tile, may_divide);
            }
          }
        }
      }
    }
    if (best_ && SplitsOf(*best_) > 1) best_->name += ", divided";
    return best_;
  }

 private:
  static constexpr std::uint32_t kMostTiles = 16;  ///< Of a warp: four sums each, in every lane.
  // Clocks of a multiprocessor: multiply-adds in one, those until a ring has begun to turn, those
  // of a block, of a launch, and bytes of all of them together in one.
  static constexpr double kProducts = 128, kTurn = 600, kBlock = 2500, kLaunch = 4000,
                          kBytes = 1100;
  /// Of what it takes to multiply: for operands that come from shared and from main memory.
  static constexpr double kShared = 3, kMain = 8;

  double SplitsOf(const UnitTile& tile) const {
    double splits = tile.splits;
    for (std::uint32_t i = 0; i < tile.divided_loops; ++i) splits *= loops_[i];
    return splits;
  }

  void ConsiderDivided(UnitTile tile, bool may_divide) {
    Consider(tile);
    if (!may_divide) return;
    for (tile.divided_loops = 1; tile.divided_loops <= loops_.size(); ++tile.divided_loops) {
      Consider(tile);
    }
    tile.divided_loops = 0;
    for (tile.splits = 2; tile.splits <= 16; tile.splits *= 2) Consider(tile);
  }

  void Consider(const UnitTile& tile) {
    if (rows_ % tile.rows() != 0 || columns_ % tile.columns() != 0 || more_ % tile.more() != 0 ||
        depth_ % (tile.depth() * tile.splits) != 0 ||
        tile.row_copies * tile.column_copies * tile.more_copies > kMostTiles ||
        SplitsOf(tile) > f_.max_splits(product_)) {
      return;
    }
    const double splits = SplitsOf(tile);
    const double results = tile.rows() * tile.columns() * tile.more();
    const double blocks = static_cast<double>(results_) / results * splits;
    double turns = 1;
    for (std::size_t i = tile.divided_loops; i < loops_.size(); ++i) turns *= loops_[i];
    const double of_rows = is_of_rows_ ? tile.more() : 1, of_columns = tile.more() / of_rows;
    const double copied_rows = tile.row_copies * (is_of_rows_ ? tile.more_copies : 1),
                 copied_columns = tile.column_copies * (is_of_rows_ ? 1 : tile.more_copies);
    const ir::UnitShape& shape = tile.shape();
    const double reads = kShared * (1 / (shape.rows.size() * copied_rows) +
                                    1 / (shape.columns.size() * copied_columns)) +
                         kMain * (1 / (of_rows * tile.rows()) + 1 / (of_columns * tile.columns()));
    const double products = results * turns * depth_ / tile.splits;
    const double block = products / kProducts * (1 + reads) + turns * kTurn + kBlock;
    // Blocks that share a multiprocessor fill each other's pauses.
    const double rounds =
        std::max(1.0, (std::ceil(blocks / kUnitBlocks) + blocks / kUnitBlocks) / 2);
    double cost = rounds * block;
    if (splits > 1) cost += kLaunch + static_cast<double>(results_) * splits * 4 / kBytes;
    if (best_ && cost >= least_) return;
    best_ = tile;
    least_ = cost;
  }

  const Target& f_;
  const Instruction& product_;
  LogicalDimId further_;
  bool is_of_rows_ = false;  ///< The further axis moves together with rows.
  std::uint32_t rows_ = 0, columns_ = 0, depth_ = 0, more_ = 1;
  std::uint64_t results_ = 1;
  std::vector<std::uint32_t> loops_;
  std::optional<UnitTile> best_;
  double least_ = 0;
};

}  // namespace

bool MoveTogether(const Target& function, const Instruction& product, LogicalDimId a,
                  LogicalDimId b) {
  return std::ranges::all_of(ir::OperandsOf(function, product), [&](const auto* operand) {
    const auto moves = [&](LogicalDimId axis) {
      return ir::ProducersAxis(function, *operand, function.logical(axis)) != nullptr;
    };
    return moves(a) == moves(b);
  });
}

UnitAxes UnitAxesOf(const Target& function, const Instruction& product) {
  UnitAxes axes;
  for (const Dimension& dim : function.own_dims(product)) {
    if (dim.part == FragmentPart::kRow) axes.rows = dim.logical;
    if (dim.part == FragmentPart::kColumn) axes.columns = dim.logical;
    if (dim.part == FragmentPart::kDepth) axes.depth = dim.logical;
  }
  return axes;
}

LogicalDimId FurtherAxis(const Target& function, const Instruction& product) {
  const auto [rows, columns, depth] = UnitAxesOf(function, product);
  LogicalDimId found;
  for (const LogicalDim* axis : ir::ResultAxes(function, product)) {
    const LogicalDimId id = axis->id;
    if (id == rows || id == columns || axis->dims.size() == 1) continue;
    const bool is_alone =
        MoveTogether(function, product, id, rows) || MoveTogether(function, product, id, columns);
    if (is_alone) found = id;
  }
  return found;
}

std::vector<LogicalDimId> LoopsAround(const Target& function, const Instruction& product) {
  std::vector<LogicalDimId> axes;
  const LogicalDimId depth = UnitAxesOf(function, product).depth;
  for (const LogicalDim* axis : ir::ReducedAxes(function, product)) {
    if (axis->id != depth) axes.push_back(axis->id);
  }
  return axes;
}

std::vector<UnitTile> FittedTiles(const Target& function, const Instruction& product) {
  std::vector<UnitTile> tiles;
  if (LoopsAround(function, product).empty()) return tiles;
  TileFinder finder(function, product);
  for (const std::uint32_t warps : {4u, 8u}) {
    for (const bool may_divide : {true, false}) {
      const auto tile = finder.Find(warps, may_divide);
      if (tile && std::ranges::find(tiles, tile->name, &UnitTile::name) == tiles.end()) {
        tiles.push_back(*tile);
      }
    }
  }
  return tiles;
}

}  // namespace exh::kernels

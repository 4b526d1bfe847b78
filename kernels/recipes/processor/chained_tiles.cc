// SPDX-License-Identifier: MIT
#include "kernels/recipes/processor/chained_tiles.h"

#include <algorithm>
#include <set>
#include <vector>

#include "kernels/recipes/processor/product_axes.h"
#include "kernels/recipes/recipe_writer.h"

namespace exh::kernels {
namespace {

struct Product {
  ProductAxes axes;
  RegisterTile tile;
};

class ChainWriter : RecipeWriter {
 public:
  explicit ChainWriter(const Target& function) : RecipeWriter(function) {}

  std::optional<Recipe> Write() {
    if (!FindProducts()) return std::nullopt;
    BeginPlainly();
    Sizes();
    Kinds();
    Want("across_blocks", {kNotAcross});
    for (const Communication& comm : f_.comms) {
      if (!comm.planned) Travel(comm);
    }
    for (const Communication& comm : f_.comms) {
      if (comm.planned || !IsOfChain(comm) || !comm.lowered) continue;
      for (const ir::CommId id : {comm.lowered->store_comm, comm.lowered->load_comm}) {
        for (const DimPair& pair : f_.pairs_of(f_.comm(id))) Hold(pair, false);
      }
    }
    for (const Product& product : products_) NestLoops(product);
    return Finish("chained tiles", false);
  }

 private:
  /// All have the rows of the first one, and tiles of as many of them.
  bool FindProducts() {
    for (const Instruction& inst : f_.insts) {
      if (inst.planned || !inst.is_reduction()) continue;
      const auto axes = ProductAxesOf(f_, inst);
      if (!axes || !axes->outside.empty()) return false;
      products_.push_back({*axes, {}});
    }
    if (products_.size() < 2) return false;
    const std::set<DimId> rows = PairedDims(f_, Level(*products_.front().axes.rows, 0));
    std::uint32_t tile_rows = 0;
    for (Product& product : products_) {
      if (!rows.contains(Level(*product.axes.rows, 0).id)) return false;
      product.tile = RegisterTileOf(f_, product.axes, tile_rows);
      tile_rows = product.tile.rows;
      if (tile_rows == 0) return false;
    }
    return true;
  }
  bool IsSum(ir::InstId id) const {
    return std::ranges::any_of(products_,
                               [&](const Product& product) { return product.axes.sum->id == id; });
  }
  /// Does it hand over what one product yields to the next?
  bool IsOfChain(const Communication& comm) const {
    return !comm.is_init && IsSum(comm.consumer) && f_.inst(comm.producer).op != ir::Op::kLoad;
  }
  /// Copies of vectors: the level before the lanes; -1: there is one of them.
  static int VectorLevel(const Product& product) {
    return product.tile.vectors > 1 ? Last(*product.axes.columns) - 1 : -1;
  }

  void Sizes() {
    const LogicalDim& rows = *products_.front().axes.rows;
    Size(Innermost(rows), products_.front().tile.rows);
    Size(Level(rows, 0), rows.extent / products_.front().tile.rows);
    for (const Product& product : products_) {
      const LogicalDim& columns = *product.axes.columns;
      const RegisterTile& tile = product.tile;
      Size(Innermost(columns), tile.lanes);
      if (VectorLevel(product) >= 0) Size(Level(columns, VectorLevel(product)), tile.vectors);
      Size(Level(columns, 0), columns.extent / (tile.lanes * tile.vectors));
    }
    // Of the other sums they follow from the columns of the one before.
    const LogicalDim& reduced = *products_.front().axes.reduced.back();
    if (Last(reduced) > 0) Size(Innermost(reduced), {4, 2, 3, 1});
    NoOtherLevels();
  }

  void KindsOfTile(const Dimension& dim, std::string_view kind) {
    for (const DimId id : PairedDims(f_, dim)) {
      Kind(f_.dim(id), {kind});
      tile_dims_.insert(id);
    }
  }
  void Kinds() {
    const LogicalDim& rows = *products_.front().axes.rows;
    for (const DimId id : PairedDims(f_, Level(rows, 0))) {
      Kind(f_.dim(id), {f_.device.threads > 1 ? kBlock : kLoop});
    }
    KindsOfTile(Innermost(rows), kUnroll);
    for (const Product& product : products_) {
      const LogicalDim& columns = *product.axes.columns;
      Kind(Level(columns, 0), {kLoop});
      KindsOfTile(Innermost(columns), kVector);
      if (VectorLevel(product) >= 0) KindsOfTile(Level(columns, VectorLevel(product)), kUnroll);
      for (const LogicalDim* axis : product.axes.reduced) {
        const bool steps = &product == &products_.front() && axis == product.axes.reduced.back();
        for (int level = 0; level <= Last(*axis); ++level) {
          Kind(Level(*axis, level), {steps && level > 0 ? kUnroll : kLoop, kUnroll});
        }
      }
    }
  }

  /// Registers; from product to product memory, where a loop of the next one is an axis of what the
  /// last one yields.
  void Travel(const Communication& comm) {
    const bool is_of_chain = IsOfChain(comm);
    const bool is_of_row = IsSum(comm.consumer) && !comm.is_init && !is_of_chain &&
                           std::ranges::none_of(products_, [&](const Product& product) {
                             return product.axes.wide == &comm;
                           });
    for (const DimPair& pair : f_.pairs_of(comm)) {
      if (is_of_chain && f_.dim(pair.dst).is_reduction) {
        Map(pair, {kNotMapped, kUnrollMap});
      } else {
        Hold(pair, tile_dims_.contains(pair.src) && tile_dims_.contains(pair.dst) && !is_of_row);
      }
    }
  }

  void NestLoops(const Product& product) {
    const LogicalDim &rows = *product.axes.rows, &columns = *product.axes.columns;
    Dims outer = {&Level(rows, 0), &Level(columns, 0)}, sum, tile = {&Innermost(rows)};
    for (const LogicalDim* axis : product.axes.reduced) {
      for (int level = 0; level <= Last(*axis); ++level) sum.push_back(&Level(*axis, level));
    }
    if (VectorLevel(product) >= 0) tile.push_back(&Level(columns, VectorLevel(product)));
    tile.push_back(&Innermost(columns));
    Nest({outer, sum, tile});
    // Vectors are read once for all rows of a tile.
    Order(f_.inst(product.axes.wide->producer), *tile.front(), kBefore);
  }

  std::vector<Product> products_;
  std::set<DimId> tile_dims_;  ///< Of all nests: lanes, vectors and rows of tiles.
};

}  // namespace

std::optional<Recipe> ChainedTileRecipe(const ir::Target& function) {
  if (function.device.max_threads > 1) return std::nullopt;
  return ChainWriter(function).Write();
}

}  // namespace exh::kernels

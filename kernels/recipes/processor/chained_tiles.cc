// SPDX-License-Identifier: MIT
#include "kernels/recipes/processor/chained_tiles.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/recipes/processor/product_axes.h"
#include "kernels/recipes/rest.h"

namespace exh::kernels {
namespace {

using ir::Communication;
using ir::Dimension;
using ir::DimId;
using ir::DimPair;
using ir::Instruction;
using ir::LogicalDim;
using ir::Target;

struct Product {
  ProductAxes axes;
  RegisterTile tile;
};

class Writer {
 public:
  explicit Writer(const Target& function) : f_(function) {}

  std::optional<Recipe> Write() {
    if (!FindProducts()) return std::nullopt;
    recipe_.name = "chained tiles";
    Want("unit", {"FMA"});
    Want("tiles", {"SAME_TILES"});
    Want("thread_layout", {"SHARED_LAYOUT"});
    Sizes();
    Kinds();
    Want("across_blocks", {"NOT_ACROSS"});
    for (const Communication& comm : f_.comms) {
      if (!comm.planned) Travel(comm);
    }
    for (const Communication& comm : f_.comms) {
      if (!comm.planned && IsOfChain(comm) && comm.lowered) Lower(*comm.lowered);
    }
    for (const Product& product : products_) Nest(product);
    AppendRest(false, recipe_);
    return std::move(recipe_);
  }

 private:
  void Want(std::string decision, std::vector<std::string> values) {
    recipe_.wishes.push_back({std::move(decision), std::move(values)});
  }
  void WantOf(std::string_view choice, const std::string& name, std::vector<std::string> values) {
    Want(std::string(choice) + "(" + name + ")", std::move(values));
  }
  const Dimension& Level(const LogicalDim& axis, int level) const {
    return LevelOf(f_, axis, level);
  }
  void SizeOf(const LogicalDim& axis, int level, std::uint32_t size) {
    WantOf("size", Level(axis, level).name(), {std::to_string(size)});
  }

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
  static bool HasVectors(const Product& product) { return product.tile.vectors > 1; }

  void Sizes() {
    const LogicalDim& rows = *products_.front().axes.rows;
    SizeOf(rows, LastLevel(rows), products_.front().tile.rows);
    SizeOf(rows, 0, rows.extent / products_.front().tile.rows);
    for (const Product& product : products_) {
      const LogicalDim& columns = *product.axes.columns;
      SizeOf(columns, LastLevel(columns), product.tile.lanes);
      if (HasVectors(product)) SizeOf(columns, LastLevel(columns) - 1, product.tile.vectors);
      SizeOf(columns, 0, columns.extent / (product.tile.lanes * product.tile.vectors));
    }
    // Of the other sums they follow from the columns of the one before.
    const LogicalDim& reduced = *products_.front().axes.reduced.back();
    if (LastLevel(reduced) > 0) {
      WantOf("size", Level(reduced, LastLevel(reduced)).name(), {"4", "2", "3", "1"});
    }
    Want("size", {"1"});
  }

  void KindsOf(const Dimension& dim, const char* kind, bool in_tile) {
    for (const DimId id : PairedDims(f_, dim)) {
      WantOf("dim_kind", f_.dim(id).name(), {kind});
      if (in_tile) tile_dims_.insert(id);
    }
  }
  void Kinds() {
    const LogicalDim& rows = *products_.front().axes.rows;
    KindsOf(Level(rows, 0), f_.device.threads > 1 ? "BLOCK" : "LOOP", false);
    KindsOf(Level(rows, LastLevel(rows)), "UNROLL", true);
    for (const Product& product : products_) {
      const LogicalDim& columns = *product.axes.columns;
      WantOf("dim_kind", Level(columns, 0).name(), {"LOOP"});
      KindsOf(Level(columns, LastLevel(columns)), "VECTOR", true);
      if (HasVectors(product)) KindsOf(Level(columns, LastLevel(columns) - 1), "UNROLL", true);
      for (const LogicalDim* axis : product.axes.reduced) {
        const bool steps = &product == &products_.front() && axis == product.axes.reduced.back();
        for (int level = 0; level <= LastLevel(*axis); ++level) {
          const bool is_step = steps && level > 0;
          WantOf("dim_kind", Level(*axis, level).name(), {is_step ? "UNROLL" : "LOOP", "UNROLL"});
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
    for (const ir::PairId id : comm.pairs) {
      const DimPair& pair = f_.pair(id);
      const bool is_held = tile_dims_.contains(pair.src) && tile_dims_.contains(pair.dst);
      std::vector<std::string> ways = {"MERGE_MAP", "UNROLL_MAP"};
      if (is_held && !is_of_row) ways = {"UNROLL_MAP", "MERGE_MAP"};
      if (is_of_chain && f_.dim(pair.dst).is_reduction) ways = {"NOT_MAPPED", "UNROLL_MAP"};
      WantOf("dim_mapping", pair.name(), std::move(ways));
    }
  }
  void Lower(const Communication::Lowered& lowered) {
    for (const ir::CommId comm : {lowered.store_comm, lowered.load_comm}) {
      for (const ir::PairId id : f_.comm(comm).pairs) {
        WantOf("dim_mapping", f_.pair(id).name(), {"MERGE_MAP", "UNROLL_MAP"});
      }
    }
  }

  void Nest(const Product& product) {
    const LogicalDim &rows = *product.axes.rows, &columns = *product.axes.columns;
    std::vector<const Dimension*> all = {&Level(rows, 0), &Level(columns, 0)};
    for (const LogicalDim* axis : product.axes.reduced) {
      for (int level = 0; level <= LastLevel(*axis); ++level) all.push_back(&Level(*axis, level));
    }
    all.push_back(&Level(rows, LastLevel(rows)));
    if (HasVectors(product)) all.push_back(&Level(columns, LastLevel(columns) - 1));
    all.push_back(&Level(columns, LastLevel(columns)));
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      WantOf("order", all[i]->name() + "," + all[i + 1]->name(), {"OUTER"});
    }
    // Vectors are read once for all rows of a tile.
    WantOf("order",
           f_.inst(product.axes.wide->producer).name() + "," + Level(rows, LastLevel(rows)).name(),
           {"BEFORE"});
  }

  const Target& f_;
  std::vector<Product> products_;
  std::set<DimId> tile_dims_;  ///< Of all nests: lanes, vectors and rows of tiles.
  Recipe recipe_;
};

}  // namespace

std::optional<Recipe> ChainedTileRecipe(const Target& function) {
  if (function.device.max_threads > 1) return std::nullopt;
  return Writer(function).Write();
}

}  // namespace exh::kernels

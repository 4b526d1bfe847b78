// SPDX-License-Identifier: MIT
//
// The outermost level of the columns are work items: a panel of columns as wide as a tile, through
// which a loop of tiles goes from the first row to the last. So each thread has a panel of one
// factor in its cache, and the other factor streams by. Where panels are fewer than threads need,
// rows are divided among work items, too, into as few parts as do: each copies its panel again.
#include "kernels/recipes/processor/register_tiles.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/recipes/processor/product_axes.h"
#include "kernels/recipes/recipe_writer.h"

namespace exh::kernels {
namespace {

/// Work items for each thread, where they are not as many for one as for the other: they do not all
/// run alike.
constexpr std::uint64_t kItemsOfThread = 4;
constexpr std::uint64_t kManyItems = 64;
/// Tiles of rows that a panel is copied for, at least: fewer read it where it lies.
constexpr std::uint32_t kTilesOfPanel = 16;

class RegisterTileWriter : RecipeWriter {
 public:
  RegisterTileWriter(const Target& function, const ProductAxes& product, bool packs)
      : RecipeWriter(function),
        product_(product),
        packs_(packs),
        rows_(*product.rows),
        columns_(*product.columns),
        tile_(RegisterTileOf(function, product)) {}

  /// Nothing: the kernel is none that the recipe is for.
  std::optional<Recipe> Write() {
    // A panel is worth its copy where tiles of several rows need it.
    const bool may_pack =
        product_.wide->may_lower && ir::ProducersAxis(f_, *product_.wide, rows_) == nullptr;
    if (tile_.rows == 0 || (packs_ && !may_pack)) return std::nullopt;
    FindParts();
    BeginPlainly();
    Sizes();
    Kinds();
    Want("across_blocks", {kNotAcross});
    for (const Communication& comm : f_.comms) {
      if (comm.planned) continue;
      if (&comm == product_.wide && packs_) {
        Pack(comm);
      } else {
        Travel(comm);
      }
    }
    NestLoops();
    if (packs_) {
      Panel();
    } else {
      ReadBeforeRows(f_.inst(product_.wide->producer));
    }
    // Many items are shared out beforehand: to ask for each takes as long as a small one.
    const bool are_many = ItemsOfPanels() * parts_ >= kManyItems * f_.device.threads;
    Want("block_schedule", are_many ? Names{kStatic, kDynamic} : Names{kDynamic});
    return Finish(packs_ ? "packed panels" : "panels", false);
  }

  /// Of a recipe that was written.
  std::uint32_t tiles_of_rows() const { return rows_.extent / tile_.rows; }

 private:
  /// Parts of the rows that are work items.
  void FindParts() {
    const std::uint32_t tiles = tiles_of_rows();
    const std::uint64_t panels = ItemsOfPanels(), threads = f_.device.threads;
    for (const std::uint32_t parts : Level(rows_, 0).sizes) {
      if (tiles % parts != 0) continue;
      const bool is_whole = parts == 1 || parts == tiles;
      if (!is_whole && (Last(rows_) < 2 || !Has(rows_, 1, tiles / parts))) continue;
      parts_ = parts;
      const std::uint64_t items = panels * parts;
      if (items % threads == 0 || items >= kItemsOfThread * threads) return;
    }
  }
  /// The level of the rows that is a loop over tiles; -1: each is a work item.
  int TileLevel() const {
    if (parts_ == 1) return 0;
    return parts_ == tiles_of_rows() ? -1 : 1;
  }
  /// Copies of vectors: the level before the lanes; -1: there is one of them.
  int VectorLevel() const { return tile_.vectors > 1 ? Last(columns_) - 1 : -1; }
  /// Unrolled steps of the innermost loop of the sum: the loop itself costs less then. Null: there
  /// are none.
  const Dimension* Steps() const {
    const LogicalDim& axis = *product_.reduced.back();
    return Last(axis) > 0 ? &Innermost(axis) : nullptr;
  }

  void Sizes() {
    Size(Innermost(columns_), tile_.lanes);
    if (VectorLevel() > 0) Size(Level(columns_, VectorLevel()), tile_.vectors);
    Size(Level(columns_, 0), columns_.extent / (tile_.lanes * tile_.vectors));
    Size(Innermost(rows_), tile_.rows);
    if (TileLevel() == 1) Size(Level(rows_, 1), tiles_of_rows() / parts_);
    Size(Level(rows_, 0), TileLevel() == 0 ? tiles_of_rows() : parts_);
    if (Steps() != nullptr) Size(*Steps(), {4, 2, 3, 1});
    NoOtherLevels();
  }
  void Kinds() {
    for (const LogicalDim* axis : product_.outside) Kind(Level(*axis, 0), {kBlock, kLoop});
    Kind(Level(columns_, 0), {kBlock, kLoop});
    if (TileLevel() >= 0) Kind(Level(rows_, TileLevel()), {kLoop});
    if (TileLevel() != 0) Kind(Level(rows_, 0), {kBlock, kLoop});
    for (const DimId id : PairedDims(f_, Innermost(columns_))) {
      Kind(f_.dim(id), {kVector});
    }
    if (VectorLevel() > 0) Kind(Level(columns_, VectorLevel()), {kUnroll});
    Kind(Innermost(rows_), {kUnroll});
    for (const LogicalDim* axis : product_.reduced) Kind(Level(*axis, 0), {kLoop});
    if (Steps() != nullptr) Kind(*Steps(), {kUnroll});
  }
  std::uint64_t ItemsOfPanels() const {
    std::uint64_t items = columns_.extent / (tile_.lanes * tile_.vectors);
    for (const LogicalDim* axis : product_.outside) items *= axis->extent;
    return items;
  }

  bool IsInTile(const Dimension& dim) const {
    const LogicalDim& axis = AxisOf(dim);
    return (&axis == &columns_ && (dim.level == Last(axis) || dim.level == VectorLevel())) ||
           (&axis == &rows_ && dim.level == Last(axis));
  }
  /// Registers. What moves along columns is read before the rows of a tile, and what moves along
  /// rows alone right before it is needed.
  void Travel(const Communication& comm) {
    const bool is_of_sum = comm.consumer == product_.sum->id;
    const bool is_of_row =
        is_of_sum && !comm.is_init && ir::ProducersAxis(f_, comm, columns_) == nullptr;
    for (const DimPair& pair : f_.pairs_of(comm)) {
      Hold(pair, IsInTile(f_.dim(is_of_sum ? pair.dst : pair.src)) && !is_of_row);
    }
  }

  void NestLoops() {
    Dims outer, sum, tile;
    for (const LogicalDim* axis : product_.outside) outer.push_back(&Level(*axis, 0));
    outer.push_back(&Level(columns_, 0));
    outer.push_back(&Level(rows_, 0));
    if (TileLevel() == 1) outer.push_back(&Level(rows_, 1));
    for (const LogicalDim* axis : product_.reduced) sum.push_back(&Level(*axis, 0));
    if (Steps() != nullptr) sum.push_back(Steps());
    tile.push_back(&Innermost(rows_));
    if (VectorLevel() > 0) tile.push_back(&Level(columns_, VectorLevel()));
    tile.push_back(&Innermost(columns_));
    Nest({outer, sum, tile});
  }

  /// Vectors are read once for all rows of a tile.
  void ReadBeforeRows(const Instruction& read) { Order(read, Innermost(rows_), kBefore); }

  // ---- a panel of its own ----

  /// Work items share no panel: what is copied is what one of them needs.
  void Pack(const Communication& comm) {
    for (const DimPair& pair : f_.pairs_of(comm)) {
      const Dimension& dim = f_.dim(pair.dst);
      if (IsInTile(dim) || (dim.is_reduction && dim.level > 0)) {
        Map(pair, {kUnrollMap, kNotMapped});
      } else if (dim.is_reduction) {
        Map(pair, {kNotMapped});
      } else {
        Hold(pair, false);
      }
    }
  }

  /// It lies as it is read: vectors of a step beside each other, step after step.
  void Panel() {
    const Communication::Lowered& lowered = *product_.wide->lowered;
    for (const DimPair& pair : f_.pairs_of(f_.comm(lowered.store_comm))) Hold(pair, false);
    for (const DimPair& pair : f_.pairs_of(f_.comm(lowered.load_comm))) {
      Hold(pair, IsInTile(f_.dim(pair.dst)));
    }
    ReadBeforeRows(f_.inst(lowered.load));
    // Innermost first: lanes, vectors, then the sum from its last level to its first.
    std::vector<std::pair<const LogicalDim*, int>> levels = {{&columns_, Last(columns_)}};
    if (VectorLevel() > 0) levels.emplace_back(&columns_, VectorLevel());
    for (auto axis = product_.reduced.rbegin(); axis != product_.reduced.rend(); ++axis) {
      for (int level = Last(**axis); level >= 0; --level) levels.emplace_back(*axis, level);
    }
    std::uint32_t rank = 1;
    for (const auto& [axis, level] : levels) {
      const LogicalDim* const read = ir::ProducersAxis(f_, *product_.wide, *axis);
      if (read == nullptr) continue;
      StoreAlong(f_.block(lowered.block), rank++, Level(*read, level));
    }
  }

  const ProductAxes& product_;
  const bool packs_;
  const LogicalDim &rows_, &columns_;
  const RegisterTile tile_;
  std::uint32_t parts_ = 1;
};

}  // namespace

std::vector<Recipe> RegisterTileRecipes(const ir::Target& function) {
  std::vector<Recipe> recipes;
  const ir::Instruction* const sum = ir::OnlyReduction(function);
  if (function.device.max_threads > 1 || sum == nullptr) return recipes;
  const std::optional<ProductAxes> product = ProductAxesOf(function, *sum);
  if (!product) return recipes;
  bool is_worth_it = true;
  for (const bool packs : {true, false}) {
    RegisterTileWriter writer(function, *product, packs);
    if (std::optional<Recipe> recipe = writer.Write()) {
      recipes.push_back(std::move(*recipe));
      is_worth_it = writer.tiles_of_rows() >= kTilesOfPanel;
    }
  }
  if (!is_worth_it) std::ranges::reverse(recipes);
  return recipes;
}

}  // namespace exh::kernels

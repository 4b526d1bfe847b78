// SPDX-License-Identifier: MIT
//
// The outermost level of the columns are work items: a panel of columns as wide as a tile, through
// which a loop of tiles goes from the first row to the last. So each thread has a panel of one
// factor in its cache, and the other factor streams by. Where panels are fewer than threads need,
// rows are divided among work items, too, into as few parts as do: each copies its panel again.
#include "kernels/recipes/processor/register_tiles.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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

/// Work items for each thread, where they are not as many for one as for the other: they do not all
/// run alike.
constexpr std::uint64_t kItemsOfThread = 4;
constexpr std::uint64_t kManyItems = 64;
/// Tiles of rows that a panel is copied for, at least: fewer read it where it lies.
constexpr std::uint32_t kTilesOfPanel = 16;
class Writer {
 public:
  Writer(const Target& function, bool packs) : f_(function), packs_(packs) {}

  /// Nothing: the kernel is none that the recipe is for.
  std::optional<Recipe> Write() {
    if (!FindProduct()) return std::nullopt;
    FindParts();
    recipe_.name = packs_ ? "packed panels" : "panels";
    Want("unit", {"FMA"});
    Want("tiles", {"SAME_TILES"});
    Want("thread_layout", {"SHARED_LAYOUT"});
    SizesAndKinds();
    Want("across_blocks", {"NOT_ACROSS"});
    for (const Communication& comm : f_.comms) {
      if (comm.planned) continue;
      if (&comm == wide_ && packs_) {
        Pack(comm);
      } else {
        Travel(comm);
      }
    }
    Nest();
    if (packs_) {
      Panel();
    } else {
      ReadBeforeRows(f_.inst(wide_->producer));
    }
    // Many items are shared out beforehand: to ask for each takes as long as a small one.
    const bool are_many = ItemsOfPanels() * parts_ >= kManyItems * f_.device.threads;
    Want("block_schedule", are_many ? std::vector<std::string>{"STATIC", "DYNAMIC"}
                                    : std::vector<std::string>{"DYNAMIC"});
    AppendRest(false, recipe_);
    return std::move(recipe_);
  }

  /// Of a recipe that was written.
  std::uint32_t tiles_of_rows() const { return rows_->extent / tile_.rows; }

 private:
  void Want(std::string decision, std::vector<std::string> values) {
    recipe_.wishes.push_back({std::move(decision), std::move(values)});
  }
  void WantOf(std::string_view choice, const std::string& name, std::vector<std::string> values) {
    Want(std::string(choice) + "(" + name + ")", std::move(values));
  }

  // ---- what the kernel is ----

  /// The only sum.
  bool FindProduct() {
    const Instruction* sum = nullptr;
    for (const Instruction& inst : f_.insts) {
      if (inst.planned || !inst.is_reduction()) continue;
      if (sum != nullptr) return false;
      sum = &inst;
    }
    const auto product = sum == nullptr ? std::nullopt : ProductAxesOf(f_, *sum);
    if (!product) return false;
    sum_ = sum;
    rows_ = product->rows;
    columns_ = product->columns;
    outside_ = product->outside;
    reduced_ = product->reduced;
    wide_ = product->wide;
    tile_ = RegisterTileOf(f_, *product);
    // A panel is worth its copy where tiles of several rows need it.
    const bool may_pack = wide_->may_lower && ProducersAxis(f_, *wide_, *rows_) == nullptr;
    return tile_.rows > 0 && (may_pack || !packs_);
  }

  static int Last(const LogicalDim& axis) { return LastLevel(axis); }
  const Dimension& Level(const LogicalDim& axis, int level) const {
    return LevelOf(f_, axis, level);
  }
  bool Has(const LogicalDim& axis, int level, std::uint32_t size) const {
    return HasSize(Level(axis, level), size);
  }

  /// Parts of the rows that are work items.
  void FindParts() {
    const std::uint32_t tiles = rows_->extent / tile_.rows;
    const std::uint64_t panels = ItemsOfPanels(), threads = f_.device.threads;
    for (const std::uint32_t parts : Level(*rows_, 0).sizes) {
      if (tiles % parts != 0) continue;
      const bool is_whole = parts == 1 || parts == tiles;
      if (!is_whole && (Last(*rows_) < 2 || !Has(*rows_, 1, tiles / parts))) continue;
      parts_ = parts;
      const std::uint64_t items = panels * parts;
      if (items % threads == 0 || items >= kItemsOfThread * threads) return;
    }
  }
  /// The level of the rows that is a loop over tiles; -1: each is a work item.
  int TileLevel() const {
    if (parts_ == 1) return 0;
    return parts_ == rows_->extent / tile_.rows ? -1 : 1;
  }

  // ---- what is wished for ----

  void SizeOf(const LogicalDim& axis, int level, std::uint32_t size) {
    WantOf("size", Level(axis, level).name(), {std::to_string(size)});
  }
  void KindOf(const Dimension& dim, std::vector<std::string> kinds) {
    WantOf("dim_kind", dim.name(), std::move(kinds));
  }
  /// Copies of vectors: the level before the lanes.
  int VectorLevel() const { return tile_.vectors > 1 ? Last(*columns_) - 1 : -1; }
  /// Unrolled steps of the innermost loop of the sum: the loop itself costs less then.
  int StepLevel(const LogicalDim& axis) const {
    return &axis == reduced_.back() && Last(axis) > 0 ? Last(axis) : -1;
  }

  void SizesAndKinds() {
    SizeOf(*columns_, Last(*columns_), tile_.lanes);
    if (VectorLevel() > 0) SizeOf(*columns_, VectorLevel(), tile_.vectors);
    SizeOf(*columns_, 0, columns_->extent / (tile_.lanes * tile_.vectors));
    SizeOf(*rows_, Last(*rows_), tile_.rows);
    if (TileLevel() == 1) SizeOf(*rows_, 1, rows_->extent / tile_.rows / parts_);
    SizeOf(*rows_, 0, TileLevel() == 0 ? rows_->extent / tile_.rows : parts_);
    for (const LogicalDim* axis : reduced_) {
      if (StepLevel(*axis) < 0) continue;
      WantOf("size", Level(*axis, StepLevel(*axis)).name(), {"4", "2", "3", "1"});
    }
    Want("size", {"1"});
    for (const LogicalDim* axis : outside_) KindOf(Level(*axis, 0), {"BLOCK", "LOOP"});
    KindOf(Level(*columns_, 0), {"BLOCK", "LOOP"});
    if (TileLevel() >= 0) KindOf(Level(*rows_, TileLevel()), {"LOOP"});
    if (TileLevel() != 0) KindOf(Level(*rows_, 0), {"BLOCK", "LOOP"});
    for (const DimId id : PairedDims(f_, Level(*columns_, Last(*columns_))))
      KindOf(f_.dim(id), {"VECTOR"});
    if (VectorLevel() > 0) KindOf(Level(*columns_, VectorLevel()), {"UNROLL"});
    KindOf(Level(*rows_, Last(*rows_)), {"UNROLL"});
    for (const LogicalDim* axis : reduced_) {
      KindOf(Level(*axis, 0), {"LOOP"});
      if (StepLevel(*axis) > 0) KindOf(Level(*axis, StepLevel(*axis)), {"UNROLL"});
    }
  }
  std::uint64_t ItemsOfPanels() const {
    std::uint64_t items = columns_->extent / (tile_.lanes * tile_.vectors);
    for (const LogicalDim* axis : outside_) items *= axis->extent;
    return items;
  }

  bool IsInTile(const Dimension& dim) const {
    const LogicalDim& axis = f_.logical(dim.logical);
    return (&axis == columns_ && (dim.level == Last(axis) || dim.level == VectorLevel())) ||
           (&axis == rows_ && dim.level == Last(axis));
  }
  /// Registers. What moves along columns is read before the rows of a tile, and what moves along
  /// rows alone right before it is needed.
  void Travel(const Communication& comm) {
    const bool is_of_row =
        comm.consumer == sum_->id && !comm.is_init && ProducersAxis(f_, comm, *columns_) == nullptr;
    for (const ir::PairId id : comm.pairs) {
      const DimPair& pair = f_.pair(id);
      const Dimension& dim = f_.dim(comm.consumer == sum_->id ? pair.dst : pair.src);
      const bool is_held = IsInTile(dim) && !is_of_row;
      WantOf("dim_mapping", pair.name(),
             is_held ? std::vector<std::string>{"UNROLL_MAP", "MERGE_MAP"}
                     : std::vector<std::string>{"MERGE_MAP", "UNROLL_MAP"});
    }
  }

  void Nest() {
    std::vector<const Dimension*> all;
    for (const LogicalDim* axis : outside_) all.push_back(&Level(*axis, 0));
    all.push_back(&Level(*columns_, 0));
    all.push_back(&Level(*rows_, 0));
    if (TileLevel() == 1) all.push_back(&Level(*rows_, 1));
    for (const LogicalDim* axis : reduced_) all.push_back(&Level(*axis, 0));
    for (const LogicalDim* axis : reduced_) {
      if (StepLevel(*axis) > 0) all.push_back(&Level(*axis, StepLevel(*axis)));
    }
    all.push_back(&Level(*rows_, Last(*rows_)));
    if (VectorLevel() > 0) all.push_back(&Level(*columns_, VectorLevel()));
    all.push_back(&Level(*columns_, Last(*columns_)));
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      WantOf("order", all[i]->name() + "," + all[i + 1]->name(), {"OUTER"});
    }
  }

  /// Vectors are read once for all rows of a tile.
  void ReadBeforeRows(const Instruction& read) {
    WantOf("order", read.name() + "," + Level(*rows_, Last(*rows_)).name(), {"BEFORE"});
  }

  // ---- a panel of its own ----

  /// Work items share no panel: what is copied is what one of them needs.
  void Pack(const Communication& comm) {
    for (const ir::PairId id : comm.pairs) {
      const DimPair& pair = f_.pair(id);
      const Dimension& dim = f_.dim(pair.dst);
      const bool is_stored = dim.is_reduction && dim.level == 0;
      std::vector<std::string> ways = {"MERGE_MAP", "UNROLL_MAP"};
      if (is_stored) ways = {"NOT_MAPPED"};
      if (IsInTile(dim) || (dim.is_reduction && dim.level > 0)) ways = {"UNROLL_MAP", "NOT_MAPPED"};
      WantOf("dim_mapping", pair.name(), std::move(ways));
    }
  }

  /// It lies as it is read: vectors of a step beside each other, step after step.
  void Panel() {
    const Communication::Lowered& lowered = *wide_->lowered;
    for (const ir::PairId id : f_.comm(lowered.store_comm).pairs) {
      WantOf("dim_mapping", f_.pair(id).name(), {"MERGE_MAP", "UNROLL_MAP"});
    }
    for (const ir::PairId id : f_.comm(lowered.load_comm).pairs) {
      const DimPair& pair = f_.pair(id);
      const bool is_held = IsInTile(f_.dim(pair.dst));
      WantOf("dim_mapping", pair.name(),
             is_held ? std::vector<std::string>{"UNROLL_MAP", "MERGE_MAP"}
                     : std::vector<std::string>{"MERGE_MAP", "UNROLL_MAP"});
    }
    ReadBeforeRows(f_.inst(lowered.load));
    const ir::MemBlock& block = f_.block(lowered.block);
    // Innermost first: lanes, vectors, then the sum from its last level to its first.
    std::vector<std::pair<const LogicalDim*, int>> levels = {{columns_, Last(*columns_)}};
    if (VectorLevel() > 0) levels.emplace_back(columns_, VectorLevel());
    for (auto axis = reduced_.rbegin(); axis != reduced_.rend(); ++axis) {
      for (int level = Last(**axis); level >= 0; --level) levels.emplace_back(*axis, level);
    }
    int rank = 1;
    for (const auto& [axis, level] : levels) {
      const LogicalDim* const read = ProducersAxis(f_, *wide_, *axis);
      if (read == nullptr) continue;
      for (const ir::AxisId id : block.axes) {
        if (!f_.is_filled_from(f_.axis(id), Level(*read, level))) continue;
        WantOf("axis_at", block.name() + "," + std::to_string(rank),
               {std::to_string(f_.place_of(f_.axis(id)))});
      }
      ++rank;
    }
  }

  const Target& f_;
  const bool packs_;
  const Instruction* sum_ = nullptr;
  const LogicalDim *rows_ = nullptr, *columns_ = nullptr;
  std::vector<const LogicalDim*> outside_, reduced_;
  const Communication* wide_ = nullptr;  ///< What hands over the factor that lies along columns.
  RegisterTile tile_;
  std::uint32_t parts_ = 1;
  Recipe recipe_;
};

}  // namespace

std::vector<Recipe> RegisterTileRecipes(const Target& function) {
  std::vector<Recipe> recipes;
  if (function.device.max_threads > 1) return recipes;
  bool is_worth_it = true;
  for (const bool packs : {true, false}) {
    Writer writer(function, packs);
    if (std::optional<Recipe> recipe = writer.Write()) {
      recipes.push_back(std::move(*recipe));
      is_worth_it = writer.tiles_of_rows() >= kTilesOfPanel;
    }
  }
  if (!is_worth_it) std::ranges::reverse(recipes);
  return recipes;
}

}  // namespace exh::kernels

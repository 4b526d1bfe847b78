// SPDX-License-Identifier: MIT
//
// The tile of a block is warps * copies * 16 rows, warps * 8 * 4 columns and steps * slices * 16 of
// what is summed over, from the outermost level of an axis inwards; the outermost level of rows and
// columns is blocks, that of the sum a loop, or, where blocks divide the sum, blocks around the
// loop. Each operand comes as vectors into shared memory, by
// threads that divide the tile in their own way, and is read from there as fragments. Where the
// device copies asynchronously each operand has a ring of several such tiles.
#include "kernels/recipes/unit_recipe.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <string_view>

#include "kernels/recipes/unit_tile.h"

namespace exh::kernels {
namespace {

using ir::Communication;
using ir::Dimension;
using ir::DimId;
using ir::DimPair;
using ir::FragmentPart;
using ir::Instruction;
using ir::LogicalDim;
using ir::LogicalDimId;
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
/// Where the elements of the first operand are no neighbours, each is a transfer of its own: few
/// blocks read it.
const UnitTile kWideTile = {.name = "unit, wide tiles",
                            .row_copies = 2,
                            .column_warps = 8,
                            .column_copies = 8,
                            .splits = 2};

/// What a level of the product's axes becomes. Outer levels, and the loop that blocks leave of what
/// is summed over, are around everything.
enum class Level { kOuter, kLoop, kWarp, kCopy, kPart, kAbsent };

constexpr std::uint32_t kWideBytes = 16;  ///< Of an operand's way into shared memory …
constexpr std::uint32_t kPadBytes = 16;   ///< … and behind a row there.
constexpr std::uint32_t kStages = 3;      ///< Of rings.

class UnitWriter {
 public:
  UnitWriter(const Target& function, const Instruction& product, const UnitTile& tile)
      : f_(function),
        product_(product),
        tile_(tile),
        element_bytes_(ir::BytesOf(*function.TypeOf(product.operands.front()))),
        level_(function.dims.size(), Level::kAbsent) {}

  std::optional<Recipe> Write() {
    recipe_.name = tile_.name + (has_rings() ? ", rings" : "");
    Want("unit(" + product_.name() + ")", {std::string(f_.unit_of(product_))});
    if (!FindAxes() || !WriteProduct() || (has_rings() && !RingsFit())) return std::nullopt;
    for (const Communication& comm : f_.comms) {
      if (comm.planned) continue;
      const bool is_operand = comm.consumer == product_.id && !comm.is_init;
      if (is_operand && (!comm.lowered || !WriteOperand(comm))) return std::nullopt;
      if (!is_operand) WriteTravel(comm);
    }
    for (const Instruction& inst : f_.insts) {
      if (!inst.planned && inst.has_side_effect()) Want("vec(" + inst.name() + ")", Widths());
    }
    // What is left open. Asking for more blocks would take registers from fragments.
    Want("min_blocks", {"1"});
    if (!has_rings()) {
      Want("transfer", {"REGISTERS"});
      Want("stages", {"1"});
    }
    Want("dim_kind", {"UNROLL", "LOOP"});
    Want("order", {"BEFORE", "OUTER", "AFTER", "INNER"});
    Want("walk", {"ROWS"});
    Want("advance", {"ON_TIME"});
    Want("cache", {"CACHE_DEFAULT", "CACHE_GLOBAL"});
    return std::move(recipe_);
  }

 private:
  void Want(std::string decision, std::vector<std::string> values) {
    recipe_.wishes.push_back({std::move(decision), std::move(values)});
  }
  void Kind(const Dimension& dim, const char* kind) {
    Want("dim_kind(" + dim.name() + ")", {kind});
  }
  void Order(std::string_view a, std::string_view b, const char* value) {
    Want("order(" + std::string(a) + "," + std::string(b) + ")", {value});
  }
  void Order(const Dimension& a, const Dimension& b, const char* value) {
    Order(a.name(), b.name(), value);
  }
  void Size(const Dimension& dim, std::uint32_t size) {
    Want("size(" + dim.name() + ")", {std::to_string(size)});
  }
  static std::vector<std::string> Widths() { return {"16", "8", "4", "2", "1"}; }

  /// The axes of the product's tile.
  bool FindAxes() {
    for (const DimId id : product_.dims) {
      const Dimension& dim = f_.dim(id);
      if (dim.part == FragmentPart::kRow) rows_ = dim.logical;
      if (dim.part == FragmentPart::kColumn) columns_ = dim.logical;
      if (dim.part == FragmentPart::kDepth) depth_ = dim.logical;
    }
    if (tile_.more() > 1) more_ = FurtherAxis(f_, product_);
    return rows_.valid() && columns_.valid() && depth_.valid() &&
           (tile_.more() == 1 || more_.valid());
  }

  bool has_rings() const { return tile_.stages > 1; }
  /// Are there as many tiles along the sum, and is there memory for as many?
  bool RingsFit() const {
    const std::uint32_t depth = tile_.depth();
    const std::uint32_t pad = kPadBytes / element_bytes_;
    const auto elements_of = [&](std::uint64_t others) {  // Either of the two may be a row.
      return std::max(others * (depth + pad), depth * (others + pad));
    };
    const bool is_of_rows = more_.valid() && MoveTogether(f_, product_, more_, rows_);
    const std::uint64_t elements =
        tile_.stages * (elements_of(tile_.rows() * (is_of_rows ? tile_.more() : 1)) +
                        elements_of(tile_.columns() * (is_of_rows ? 1 : tile_.more())));
    return f_.device.max_stages >= tile_.stages &&
           f_.logical(depth_).extent / (depth * tile_.splits) >= tile_.stages &&
           elements * element_bytes_ <= f_.device.shared_bytes;
  }

  /// The sizes of the levels of an axis, outermost first; `inner` are those from the innermost one
  /// on. False: they do not fit.
  bool Levels(LogicalDimId axis, std::vector<std::uint32_t> inner, std::vector<Level> levels) {
    const LogicalDim& logical = f_.logical(axis);
    // An absent level lies around those that are there; copies within a tile are a level of it.
    for (std::size_t i = inner.size(); i-- > 0;) {
      if (inner[i] != 1 || (i + 1 < levels.size() && levels[i + 1] == Level::kPart)) continue;
      inner.erase(inner.begin() + static_cast<std::ptrdiff_t>(i));
      levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(i));
    }
    std::uint32_t rest = logical.extent;
    for (const std::uint32_t size : inner) {
      if (rest % size != 0) return false;
      rest /= size;
    }
    for (std::size_t i = 0; i < logical.dims.size(); ++i) {
      const std::size_t from_end = logical.dims.size() - 1 - i;
      const Dimension& dim = f_.dim(logical.dims[i]);
      const bool is_inner = from_end < inner.size() && i > 0;
      const std::uint32_t size = i == 0 ? rest : is_inner ? inner[from_end] : 1;
      if (std::ranges::find(dim.sizes, size) == dim.sizes.end()) return false;
      Size(dim, size);
      level_[dim.id.index()] = i == 0      ? Level::kOuter
                               : !is_inner ? Level::kAbsent
                               : size == 1 ? Level::kAbsent
                                           : levels[from_end];
    }
    // What has no level of its own is none.
    for (std::size_t level = logical.dims.size() - 1; level < inner.size(); ++level) {
      if (inner[level] != 1) return false;
    }
    return true;
  }

  /// Tiles along the sum: slices or steps, the loop around them, blocks around that.
  bool DepthLevels() {
    const std::uint32_t each = tile_.slices > 1 ? tile_.slices : tile_.steps;
    const Level level = tile_.slices > 1 ? Level::kWarp : Level::kCopy;
    if (tile_.splits == 1) return Levels(depth_, {16, each}, {Level::kPart, level});
    const std::uint32_t whole = tile_.depth() * tile_.splits, extent = f_.logical(depth_).extent;
    if (extent % whole != 0) return false;
    const std::uint32_t loop = extent / whole;
    if (each == 1) return Levels(depth_, {16, loop}, {Level::kPart, Level::kLoop});
    return Levels(depth_, {16, each, loop}, {Level::kPart, level, Level::kLoop});
  }

  bool WriteProduct() {
    const std::vector<LogicalDimId> around = LoopsAround(f_, product_);
    std::uint64_t splits = tile_.splits;
    for (std::uint32_t i = 0; i < tile_.divided_loops; ++i) splits *= f_.logical(around[i]).extent;
    if (splits > f_.max_splits(product_) || (splits > 1 && f_.splittable_dims(product_) == 0)) {
      return false;
    }
    const auto is_divided_loop = [&](const Dimension& dim) {
      const auto at = std::ranges::find(around, dim.logical);
      return at != around.end() && at - around.begin() < std::ptrdiff_t{tile_.divided_loops};
    };
    const bool fits = Levels(rows_, {16, tile_.row_copies, tile_.row_warps},
                             {Level::kPart, Level::kCopy, Level::kWarp}) &&
                      (!more_.valid() || Levels(more_, {tile_.more_copies, tile_.more_warps},
                                                {Level::kCopy, Level::kWarp})) &&
                      Levels(columns_, {tile_.column_copies, 8, tile_.column_warps},
                             {Level::kCopy, Level::kPart, Level::kWarp}) &&
                      DepthLevels();
    if (!fits) return false;
    const std::vector<std::string> ways =
        tile_.slices > 1
            ? std::vector<std::string>{"LAST_BLOCK", "ATOMIC_VECTOR", "ATOMIC_RED", "SECOND_LAUNCH"}
            : std::vector<std::string>{"ATOMIC_VECTOR", "ATOMIC_RED", "LAST_BLOCK",
                                       "SECOND_LAUNCH"};
    Want("across_blocks(" + product_.name() + ")",
         splits > 1 ? ways : std::vector<std::string>{"NOT_ACROSS"});
    // Blocks, the loop, warps, steps of the sum, copies.
    std::vector<const Dimension*> parts[5];
    for (const DimId id : product_.dims) {
      const Dimension& dim = f_.dim(id);
      const bool is_tile = dim.logical == rows_ || dim.logical == columns_ ||
                           dim.logical == depth_ || dim.logical == more_;
      if (!is_tile && dim.level == 0) {
        level_[id.index()] =
            dim.is_reduction && !is_divided_loop(dim) ? Level::kLoop : Level::kOuter;
      }
      if (!is_tile && dim.level > 0) Size(dim, 1);
      switch (level_[id.index()]) {
        case Level::kOuter: {
          const bool is_loop = dim.logical == depth_ && tile_.splits == 1;
          Kind(dim, is_loop ? "LOOP" : "BLOCK");
          parts[is_loop ? 1 : 0].push_back(&dim);
          break;
        }
        case Level::kLoop:
          Kind(dim, "LOOP");
          parts[1].push_back(&dim);
          break;
        case Level::kWarp:
          Kind(dim, "THREAD");
          parts[2].push_back(&dim);
          break;
        case Level::kCopy:
          Kind(dim, "UNROLL");
          parts[dim.is_reduction ? 3 : 4].push_back(&dim);
          break;
        case Level::kPart:
        case Level::kAbsent:
          break;
      }
    }
    std::vector<const Dimension*> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    for (std::size_t i = 0; i + 1 < all.size(); ++i) Order(*all[i], *all[i + 1], "OUTER");
    if (!parts[4].empty()) first_copy_ = parts[4].front();
    return true;
  }

  /// An operand through shared memory.
  bool WriteOperand(const Communication& comm) {
    const Instruction& load = f_.inst(comm.producer);
    const ir::MemBlock& block = f_.block(comm.lowered->block);
    const Instruction &store = f_.inst(block.store), &read = f_.inst(block.load);
    const bool moves_along_rows = std::ranges::any_of(
        comm.pairs, [&](ir::PairId id) { return f_.dim(f_.pair(id).dst).logical == rows_; });
    const LogicalDimId other = moves_along_rows ? rows_ : columns_;
    const std::uint32_t others = moves_along_rows ? tile_.rows() : tile_.columns();
    const bool is_along_other = IsAlong(comm, other);
    // Vectors along the axis that memory has neighbours of, threads, and what is left.
    const std::uint32_t along = is_along_other ? others : tile_.depth();
    const std::uint32_t across = is_along_other ? tile_.depth() : others;
    // Where neighbours along neither are neighbours in memory, there are threads alone.
    const std::uint32_t wide = kWideBytes / element_bytes_;
    const std::uint32_t width = is_along_other || IsAlong(comm, depth_) ? wide : 1;
    const std::uint32_t columns = along / width;
    if (columns > tile_.threads()) return false;
    std::uint32_t rows = std::clamp(tile_.threads() / columns, 1u, across);
    while (across % rows != 0) --rows;
    if (has_rings() && !f_.may_copy_async(block)) return false;
    std::uint32_t more_threads = std::min(tile_.threads() / columns / rows, tile_.more());
    while (tile_.more() % more_threads != 0) --more_threads;
    Want("tiles(" + comm.name() + ")", {"OWN_TILES"});
    Want("thread_layout(" + f_.phase(load.phase).name() + ")", {"OWN_LAYOUT"});
    const Dimension* vector = nullptr;
    std::vector<const Dimension*> threads, copies;
    for (std::size_t i = 0; i < comm.pairs.size(); ++i) {
      const DimPair& pair = f_.pair(comm.pairs[i]);
      const Dimension &from = f_.dim(pair.src), &to = f_.dim(pair.dst);
      const Dimension &st = f_.dim(store.dims[i]), &ld = f_.dim(read.dims[i]);
      const LogicalDim& axis = f_.logical(to.logical);
      const Level level = level_[to.id.index()];
      if (level == Level::kOuter || level == Level::kLoop) {
        Want("dim_mapping(" + pair.name() + ")", {"MERGE_MAP"});
        for (const Dimension* const dim : {&from, &st, &ld}) Order(*dim, to, "MERGED");
        continue;
      }
      const bool is_along = to.logical == (is_along_other ? other : depth_);
      const std::size_t inside = axis.dims.size() - 1 - static_cast<std::size_t>(to.level);
      std::uint32_t size = 1;
      bool is_thread = false;
      if (to.logical == more_) {
        is_thread = inside == 0 && more_threads > 1;
        if (inside == 0) size = is_thread ? more_threads : tile_.more();
        if (inside == 1 && more_threads > 1) size = tile_.more() / more_threads;
      } else if (to.logical != other && to.logical != depth_) {
        size = 1;  // Around the tile, or absent.
      } else if (is_along && inside == 0) {
        vector = &st;
        size = width > 1 ? width : columns;
        is_thread = width == 1;
      } else if (is_along && inside == 1 && width > 1) {
        size = columns;
        is_thread = true;
      } else if (!is_along && inside == 0) {
        size = rows;
        is_thread = true;
      } else if (!is_along && inside == 1) {
        size = across / rows;
      }
      Size(from, size);
      if (size == 1) continue;
      Kind(from, is_thread ? "THREAD" : "UNROLL");
      Order(st, from, "MERGED");
      (is_thread ? threads : copies).push_back(&from);
    }
    if (vector == nullptr) return false;
    // Neighbouring threads are neighbours in memory, and so are copies.
    const auto outer_first = [&](const Dimension* a, const Dimension* b) {
      return RankOf(*a, is_along_other ? other : depth_, comm) <
             RankOf(*b, is_along_other ? other : depth_, comm);
    };
    for (auto* const dims : {&threads, &copies}) std::ranges::sort(*dims, outer_first);
    std::vector<const Dimension*> all = threads;
    all.insert(all.end(), copies.begin(), copies.end());
    for (std::size_t i = 0; i + 1 < all.size(); ++i) Order(*all[i], *all[i + 1], "OUTER");
    Want("vec(" + load.name() + ")", Widths());
    Want("vec(" + store.name() + ")", Widths());
    for (const ir::AxisId id : block.axes) {
      if (f_.axis(id).store_dim == vector->id) {
        Want("rank(" + block.name() + "," + f_.axis(id).name() + ")", {"1"});
      }
    }
    Want("mem_space(" + block.name() + ")", {"SHARED"});
    Want("skew(" + block.name() + ")", Skews());
    if (has_rings()) {
      Want("transfer(" + block.name() + ")", {"ASYNC"});
      Want("stages(" + block.name() + ")", {std::to_string(tile_.stages)});
      Want("cache(" + load.name() + ")",
           {std::string(ir::kCacheGlobal), std::string(ir::kCacheDefault)});
    }
    WriteFragments(comm, read);
    return true;
  }

  /// Measured with the ring of 1024 x 1024 x 1024 on an H200: 46 us with exclusive or for both
  /// operands, 53 us with it for the one that lies across the sum alone, 55 us with pads.
  static std::vector<std::string> Skews() {
    return {std::string(ir::kXor), std::string(ir::kPad16Bytes), std::string(ir::kPad4Bytes),
            "PLAIN"};
  }

  /// Fragments are read where they are used: by the warps, in the steps of the sum.
  void WriteFragments(const Communication& comm, const Instruction& read) {
    for (std::size_t i = 0; i < comm.pairs.size(); ++i) {
      const Dimension& to = f_.dim(f_.pair(comm.pairs[i]).dst);
      const Dimension& dim = f_.dim(read.dims[i]);
      const Level level = level_[to.id.index()];
      if (level == Level::kWarp || (level == Level::kCopy && to.is_reduction)) {
        Order(dim, to, "MERGED");
      } else if (level == Level::kCopy) {
        Kind(dim, "UNROLL");
      }
    }
    if (first_copy_ != nullptr) Order(read.name(), first_copy_->name(), "BEFORE");
    Want("vec(" + read.name() + ")", Widths());
  }

  /// Of two dims of an operand's nest the one with the lower number is outside: neighbours in
  /// memory last.
  int RankOf(const Dimension& dim, LogicalDimId along, const Communication& comm) const {
    LogicalDimId axis = dim.logical;
    const Instruction& inst = f_.inst(dim.inst);
    for (std::size_t i = 0; i < comm.pairs.size(); ++i) {
      const DimPair& pair = f_.pair(comm.pairs[i]);
      const bool is_it = pair.src == dim.id || (inst.planned && inst.dims[i] == dim.id);
      if (is_it) axis = f_.dim(pair.dst).logical;
    }
    return axis == along ? 1 : 0;
  }

  /// Are neighbours along the product's axis neighbours in memory, for who produces the operand?
  bool IsAlong(const Communication& comm, LogicalDimId axis) const {
    return std::ranges::any_of(f_.inst(comm.producer).access, [&](const ir::AccessAxis& access) {
      return access.stride == 1 && std::ranges::any_of(comm.pairs, [&](ir::PairId id) {
               return f_.dim(f_.pair(id).src).logical == access.logical &&
                      f_.dim(f_.pair(id).dst).logical == axis;
             });
    });
  }

  /// Everything else is in registers, in the loops of the product.
  void WriteTravel(const Communication& comm) {
    for (const ir::PairId id : comm.pairs) {
      const DimPair& pair = f_.pair(id);
      const DimId known = level_[pair.src.index()] != Level::kAbsent ? pair.src : pair.dst;
      const Level level = level_[known.index()];
      level_[pair.src.index()] = level_[pair.dst.index()] = level;
      const char* const mapping = level == Level::kOuter  ? "MERGE_MAP"
                                  : level == Level::kWarp ? "THREAD_MAP"
                                                          : "UNROLL_MAP";
      Want("dim_mapping(" + pair.name() + ")", {mapping});
    }
  }

  const Target& f_;
  const Instruction& product_;
  const UnitTile& tile_;
  LogicalDimId rows_, columns_, depth_;
  LogicalDimId more_;            ///< Invalid: the tile has no further axis.
  std::uint32_t element_bytes_;  ///< Of operands.
  std::vector<Level> level_;     ///< By dim: those of the product, and what hangs on them.
  const Dimension* first_copy_ = nullptr;
  Recipe recipe_;
};

/// Is an operand of the product read one element here and one there?
bool HasScatteredOperand(const Target& function, const Instruction& product) {
  return std::ranges::any_of(function.comms, [&](const Communication& comm) {
    if (comm.planned || comm.is_init || comm.consumer != product.id) return false;
    const Instruction& read = function.inst(comm.producer);
    return read.op == ir::Op::kLoad &&
           std::ranges::none_of(read.access,
                                [](const ir::AccessAxis& access) { return access.stride == 1; });
  });
}

/// Slices in blocks that divide the sum, so many that there is a block for each multiprocessor;
/// nothing where the result alone has that many.
std::optional<UnitTile> DividedTile(const Target& function, const Instruction& product) {
  UnitTile tile{.name = "unit, divided slices", .row_copies = 2, .slices = 4};
  std::uint64_t points = 1;
  for (const DimId id : product.dims) {
    const Dimension& dim = function.dim(id);
    if (!dim.is_reduction && dim.level == 0) points *= function.logical(dim.logical).extent;
  }
  const std::uint64_t blocks = points / (tile.rows() * tile.columns());
  if (blocks == 0 || kUnitBlocks / blocks < 2) return std::nullopt;
  tile.splits = std::bit_floor(static_cast<std::uint32_t>(kUnitBlocks / blocks));
  return tile;
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
  const bool is_narrow = function.unit_of(*product) != ir::kDmma;
  std::vector<UnitTile> tiles = is_narrow
                                    ? std::vector(std::begin(kHalfTiles), std::end(kHalfTiles))
                                    : std::vector(std::begin(kTiles), std::end(kTiles));
  if (HasScatteredOperand(function, *product)) tiles.push_back(kWideTile);
  if (const auto tile = DividedTile(function, *product)) tiles.push_back(*tile);
  const std::vector<UnitTile> fitted = FittedTiles(function, *product);
  tiles.insert(tiles.begin(), fitted.begin(), fitted.end());
  for (const std::uint32_t stages : {kStages, 1u}) {
    for (UnitTile tile : tiles) {
      tile.stages = stages;
      if (auto recipe = UnitWriter(function, *product, tile).Write()) {
        recipes.push_back(std::move(*recipe));
      }
    }
  }
  return recipes;
}

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
//
// The tile of a block is warps * copies of the rows and of the columns of a unit, and steps *
// slices of its depth, which is what is summed over, from the outermost level of an axis inwards;
// the outermost level of rows and columns is blocks, that of the sum a loop, or, where blocks
// divide the sum, blocks around the loop. Each operand comes as vectors into shared memory, by
// threads that divide the tile in their own way, and is read from there as fragments. Where the
// device copies asynchronously each operand has a ring of several such tiles.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "kernels/recipes/recipe_writer.h"
#include "kernels/recipes/unit_tile.h"

namespace exh::kernels {
namespace {

constexpr std::uint32_t kWideBytes = 16;  ///< Of an operand's way into shared memory …
constexpr std::uint32_t kPadBytes = 16;   ///< … and behind a row there.

/// What a level of the product's axes becomes. Outer levels, and the loop that blocks leave of what
/// is summed over, are around everything.
enum class Place { kOuter, kLoop, kWarp, kCopy, kPart, kAbsent };

/// How threads copy an operand's tile: vectors and threads along neighbours in memory, threads and
/// copies across, and threads along the further axis.
struct CopiedTile {
  ir::LogicalDimId other;  ///< Of the product: the operand's axis that is not summed over.
  ir::LogicalDimId along;  ///< That one or the depth: the axis of neighbours in memory.
  std::uint32_t width = 1, columns = 1, rows = 1, copies = 1, more_threads = 1;
};

class UnitWriter : RecipeWriter {
 public:
  UnitWriter(const Target& function, const Instruction& product, const UnitTile& tile)
      : RecipeWriter(function),
        product_(product),
        tile_(tile),
        element_bytes_(ir::BytesOf(*function.TypeOf(product.operands.front()))),
        axes_(UnitAxesOf(function, product)),
        place_(function.dims.size(), Place::kAbsent),
        size_(function.dims.size(), 1) {}

  std::optional<Recipe> Write() {
    Want(Of("unit", product_), {tile_.is_of_groups ? ir::kWgmma : f_.unit_of(product_)});
    if (!FindAxes() || !WriteProduct() || (has_rings() && !RingsFit())) return std::nullopt;
    for (const Communication& comm : f_.comms) {
      if (comm.planned) continue;
      const bool is_operand = comm.consumer == product_.id && !comm.is_init;
      if (is_operand && (!comm.lowered || !WriteOperand(comm))) return std::nullopt;
      if (!is_operand) WriteTravel(comm);
    }
    for (const Instruction& inst : f_.insts) {
      if (!inst.planned && inst.has_side_effect()) Widest(inst);
    }
    // What is left open. Asking for more blocks would take registers from fragments.
    WantNumbers("min_blocks", {1});
    Want("roles", {tile_.has_producers ? kProducer : kAlike});
    Want("grid", {tile_.is_persistent ? kPersistent : kEachTile});
    if (tile_.has_clusters && !WriteCluster()) return std::nullopt;
    if (tile_.is_persistent) WantNumbers("raster", {8, 4, 2, 1});
    if (!has_rings()) {
      Want("transfer", {kThroughRegisters});
      WantNumbers("stages", {1});
    }
    Want("dim_kind", {kUnroll, kLoop});
    Want("order", {kBefore, kOuter, kAfter, kInner});
    Want("walk", {"ROWS"});
    Want("advance", {kOnTime});
    Want("cache", {ir::kCacheDefault, ir::kCacheGlobal});
    const char* const by = !has_rings()           ? ""
                           : !tile_.is_bulk       ? ", rings"
                           : !tile_.has_producers ? ", bulk copies"
                           : !tile_.is_persistent ? ", producers"
                           : !tile_.has_clusters  ? ", producers, persistent"
                                                  : ", producers, persistent, clusters";
    return Finish(tile_.name + by, true);
  }

 private:
  /// Blocks that are neighbours along the side of the tile that is shorter share the operand of the
  /// other one.
  bool WriteCluster() {
    const LogicalDimId axis = tile_.columns() < tile_.rows() ? axes_.columns : axes_.rows;
    const Dimension& blocks = Level(f_.logical(axis), 0);
    if (!f_.may_be_cluster(blocks) || size_[blocks.id.index()] % 2 != 0) return false;
    WantNumbers(Of("cluster", blocks), {2});
    return true;
  }

  /// The axes of the product's tile.
  bool FindAxes() {
    if (tile_.more() > 1) more_ = FurtherAxis(f_, product_);
    return axes_.rows.valid() && axes_.columns.valid() && axes_.depth.valid() &&
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
    const bool is_of_rows = more_.valid() && MoveTogether(f_, product_, more_, axes_.rows);
    const std::uint64_t elements =
        tile_.stages * (elements_of(tile_.rows() * (is_of_rows ? tile_.more() : 1)) +
                        elements_of(tile_.columns() * (is_of_rows ? 1 : tile_.more())));
    return f_.device.max_stages >= tile_.stages &&
           f_.logical(axes_.depth).extent / (depth * tile_.splits) >= tile_.stages &&
           elements * element_bytes_ <= f_.device.shared_bytes;
  }

  Place PlaceOf(const Dimension& dim) const { return place_[dim.id.index()]; }

  /// The sizes of the levels of an axis, outermost first; `inner` are those from the innermost one
  /// on. False: they do not fit.
  bool Levels(LogicalDimId id, std::vector<std::uint32_t> inner, std::vector<Place> places) {
    const LogicalDim& axis = f_.logical(id);
    // An absent level lies around those that are there; copies within a tile are a level of it.
    for (std::size_t i = inner.size(); i-- > 0;) {
      if (inner[i] != 1 || (i + 1 < places.size() && places[i + 1] == Place::kPart)) continue;
      inner.erase(inner.begin() + static_cast<std::ptrdiff_t>(i));
      places.erase(places.begin() + static_cast<std::ptrdiff_t>(i));
    }
    std::uint32_t rest = axis.extent;
    for (const std::uint32_t size : inner) {
      if (rest % size != 0) return false;
      rest /= size;
    }
    for (int level = 0; level <= Last(axis); ++level) {
      const auto from_end = static_cast<std::size_t>(Last(axis) - level);
      const bool is_inner = from_end < inner.size() && level > 0;
      const std::uint32_t size = level == 0 ? rest : is_inner ? inner[from_end] : 1;
      if (!Has(axis, level, size)) return false;
      const Dimension& dim = Level(axis, level);
      Size(dim, size);
      size_[dim.id.index()] = size;
      Place& place = place_[dim.id.index()];
      place = level == 0 ? Place::kOuter : size == 1 ? Place::kAbsent : places[from_end];
    }
    // What has no level of its own is none.
    for (auto level = static_cast<std::size_t>(Last(axis)); level < inner.size(); ++level) {
      if (inner[level] != 1) return false;
    }
    return true;
  }

  /// Tiles along the sum: slices or steps, the loop around them, blocks around that.
  bool DepthLevels() {
    const std::uint32_t each = tile_.slices > 1 ? tile_.slices : tile_.steps;
    const Place place = tile_.slices > 1 ? Place::kWarp : Place::kCopy;
    const std::uint32_t part = tile_.shape().depth.size();
    if (tile_.splits == 1) return Levels(axes_.depth, {part, each}, {Place::kPart, place});
    const std::uint32_t whole = tile_.depth() * tile_.splits,
                        extent = f_.logical(axes_.depth).extent;
    if (extent % whole != 0) return false;
    const std::uint32_t loop = extent / whole;
    if (each == 1) return Levels(axes_.depth, {part, loop}, {Place::kPart, Place::kLoop});
    return Levels(axes_.depth, {part, each, loop}, {Place::kPart, place, Place::kLoop});
  }
  /// Warps of a group have neighbouring rows. Of columns the copies are within what is a part of
  /// the tile, unless it is the innermost level.
  bool RowLevels() {
    const std::uint32_t part = tile_.shape().rows.size();
    if (tile_.is_of_groups) {
      return Levels(axes_.rows, {part, tile_.row_warps, tile_.row_copies},
                    {Place::kPart, Place::kWarp, Place::kCopy});
    }
    return Levels(axes_.rows, {part, tile_.row_copies, tile_.row_warps},
                  {Place::kPart, Place::kCopy, Place::kWarp});
  }
  bool ColumnLevels() {
    const std::uint32_t part = tile_.shape().columns.size();
    const ir::DimId innermost = f_.logical(axes_.columns).dims.back();
    if (f_.dim(innermost).part == ir::FragmentPart::kColumn) {
      return Levels(axes_.columns, {part, tile_.column_copies, tile_.column_warps},
                    {Place::kPart, Place::kCopy, Place::kWarp});
    }
    return Levels(axes_.columns, {tile_.column_copies, part, tile_.column_warps},
                  {Place::kCopy, Place::kPart, Place::kWarp});
  }
  bool TileLevels() {
    return RowLevels() &&
           (!more_.valid() ||
            Levels(more_, {tile_.more_copies, tile_.more_warps}, {Place::kCopy, Place::kWarp})) &&
           ColumnLevels() && DepthLevels();
  }

  bool WriteProduct() {
    std::vector<LogicalDimId> divided = LoopsAround(f_, product_);
    divided.resize(tile_.divided_loops);
    std::uint64_t splits = tile_.splits;
    for (const LogicalDimId axis : divided) splits *= f_.logical(axis).extent;
    const bool may_split = splits == 1 || f_.splittable_dims(product_) > 0;
    if (splits > f_.max_splits(product_) || !may_split || !TileLevels()) return false;
    const Names atomic = {ir::kAtomicVector, ir::kAtomicRed, ir::kLastBlock, ir::kSecondLaunch},
                last = {ir::kLastBlock, ir::kAtomicVector, ir::kAtomicRed, ir::kSecondLaunch};
    Want(Of("across_blocks", product_), splits == 1        ? Names{kNotAcross}
                                        : tile_.slices > 1 ? last
                                                           : atomic);
    // As places are numbered: blocks, the loop, warps, copies of the sum (steps), other copies.
    constexpr std::array kKinds = {kBlock, kLoop, kThread, kUnroll};
    std::vector<Dims> parts(kKinds.size() + 1);
    for (const Dimension& dim : f_.own_dims(product_)) {
      const bool is_tile = dim.logical == axes_.rows || dim.logical == axes_.columns ||
                           dim.logical == axes_.depth || dim.logical == more_;
      const bool is_divided = std::ranges::find(divided, dim.logical) != divided.end();
      if (!is_tile && dim.level == 0) {
        place_[dim.id.index()] = dim.is_reduction && !is_divided ? Place::kLoop : Place::kOuter;
      }
      if (!is_tile && dim.level > 0) Size(dim, 1);
      Place place = PlaceOf(dim);
      if (place == Place::kOuter && dim.logical == axes_.depth && tile_.splits == 1) {
        place = Place::kLoop;
      }
      if (place == Place::kPart || place == Place::kAbsent) continue;
      const auto number = static_cast<std::size_t>(place);
      Kind(dim, {kKinds[number]});
      const bool is_other_copy = place == Place::kCopy && !dim.is_reduction;
      parts[is_other_copy ? number + 1 : number].push_back(&dim);
    }
    if (!parts.back().empty()) first_copy_ = parts.back().front();
    Nest(parts);
    return true;
  }

  /// Nothing: threads are too few for a row.
  std::optional<CopiedTile> CopiedTileOf(const Communication& comm) const {
    const bool moves_along_rows = ir::ProducersAxis(f_, comm, f_.logical(axes_.rows)) != nullptr;
    CopiedTile tile;
    tile.other = moves_along_rows ? axes_.rows : axes_.columns;
    std::uint32_t along = tile_.depth(), across = moves_along_rows ? tile_.rows() : tile_.columns();
    const bool is_along_other = IsAlong(comm, tile.other);
    if (is_along_other) std::swap(along, across);
    tile.along = is_along_other ? tile.other : axes_.depth;
    // Where neighbours along neither are neighbours in memory, there are threads alone.
    if (is_along_other || IsAlong(comm, axes_.depth)) tile.width = kWideBytes / element_bytes_;
    tile.columns = along / tile.width;
    if (tile.columns > tile_.threads()) return std::nullopt;
    const std::uint32_t threads = tile_.threads() / tile.columns;
    tile.rows = LargestDivisor(across, std::clamp(threads, 1u, across));
    tile.copies = across / tile.rows;
    tile.more_threads = LargestDivisor(tile_.more(), std::min(threads / tile.rows, tile_.more()));
    return tile;
  }
  static std::uint32_t LargestDivisor(std::uint32_t number, std::uint32_t most) {
    while (number % most != 0) --most;
    return most;
  }

  /// What a level of the operand's nest has of the tile, `inside` the innermost one.
  struct Share {
    std::uint32_t size = 1;
    bool is_thread = false;
  };
  Share ShareOf(const CopiedTile& tile, LogicalDimId axis, int inside) const {
    if (axis == more_) {
      const bool has_threads = tile.more_threads > 1;
      if (inside == 0) return {has_threads ? tile.more_threads : tile_.more(), has_threads};
      return {inside == 1 && has_threads ? tile_.more() / tile.more_threads : 1};
    }
    // Around the tile, or absent.
    if (axis != tile.other && axis != axes_.depth) return {};
    if (axis != tile.along) {
      return inside == 0 ? Share{tile.rows, true} : Share{inside == 1 ? tile.copies : 1};
    }
    if (tile.width == 1) return inside == 0 ? Share{tile.columns, true} : Share{};
    return inside == 0 ? Share{tile.width} : inside == 1 ? Share{tile.columns, true} : Share{};
  }

  /// An operand through shared memory.
  bool WriteOperand(const Communication& comm) {
    const Instruction& load = f_.inst(comm.producer);
    const ir::MemBlock& block = f_.block(comm.lowered->block);
    const Instruction &store = f_.inst(block.store), &read = f_.inst(block.load);
    const std::optional<CopiedTile> tile = CopiedTileOf(comm);
    if (!tile || (has_rings() && !f_.may_copy_async(block))) return false;
    // Groups take rows of bytes along the sum alone, and copies follow the layout.
    if (tile_.is_of_groups && element_bytes_ == 1 && tile->along != axes_.depth) return false;
    if (tile_.is_bulk && !f_.may_copy_bulk(block)) return false;
    Want(Of("tiles", comm), {kOwnTiles});
    Want(Of("thread_layout", f_.phase(load.phase)), {kOwnLayout});
    if (tile_.is_bulk) Want(Of("transfer", block), {kTma});
    const Dimension* vector = nullptr;
    // Neighbouring threads are neighbours in memory, and so are copies: what is along comes last.
    std::vector<Dims> threads(2), copies(2);
    Dims box;  // Of a bulk copy: the levels of what reads it.
    for (std::size_t i = 0; i < comm.pairs.size(); ++i) {
      const DimPair& pair = f_.pair(comm.pairs[i]);
      const Dimension &from = f_.dim(pair.src), &to = f_.dim(pair.dst);
      const Dimension& stored = f_.dim(store.dims[i]);
      if (PlaceOf(to) == Place::kOuter || PlaceOf(to) == Place::kLoop) {
        Map(pair, {kMergeMap});
        for (const Dimension* dim : {&from, &stored, &f_.dim(read.dims[i])}) {
          Order(*dim, to, kMerged);
        }
        continue;
      }
      const int inside = Last(AxisOf(to)) - to.level;
      const bool is_along = to.logical == tile->along;
      const auto [size, is_thread] = ShareOf(*tile, to.logical, inside);
      if (is_along && inside == 0) vector = &stored;
      if (tile_.is_bulk) {
        const std::uint32_t iterations = size_[to.id.index()];
        SizeAndKind(from, iterations, kLoop);
        if (iterations == 1) continue;  // It stands alone.
        Order(stored, from, kMerged);
        box.push_back(&from);
        continue;
      }
      Size(from, size);
      if (size == 1) continue;
      Kind(from, {is_thread ? kThread : kUnroll});
      Order(stored, from, kMerged);
      (is_thread ? threads : copies)[is_along ? 1 : 0].push_back(&from);
    }
    if (vector == nullptr) return false;
    if (tile_.is_bulk) {
      Nest({box});
      WantNumbers(Of("vec", load), {1});
      WantNumbers(Of("vec", store), {1});
    } else {
      Nest({threads[0], threads[1], copies[0], copies[1]});
      Widest(load);
      Widest(store);
    }
    for (const ir::Axis& axis : f_.axes_of(block)) {
      if (axis.store_dim == vector->id) WantNumbers(Of("rank", block, axis), {1});
    }
    Want(Of("mem_space", block), {kShared});
    // Measured with the ring of 1024 x 1024 x 1024 on an H200: 46 us with exclusive or for both
    // operands, 53 us with it for the one that lies across the sum alone, 55 us with pads.
    Want(Of("skew", block), tile_.is_of_groups
                                ? Names{ir::kSwizzle128, ir::kSwizzle64}
                                : Names{ir::kXor, ir::kPad16Bytes, ir::kPad4Bytes, kPlain});
    if (has_rings()) {
      Want(Of("transfer", block), {tile_.is_bulk ? kTma : kAsync});
      WantNumbers(Of("stages", block), {tile_.stages});
      if (!tile_.is_bulk) Want(Of("cache", load), {ir::kCacheGlobal, ir::kCacheDefault});
    }
    WriteFragments(comm, read);
    return true;
  }

  /// Fragments are read where they are used: by the warps, in the steps of the sum.
  void WriteFragments(const Communication& comm, const Instruction& read) {
    for (std::size_t i = 0; i < comm.pairs.size(); ++i) {
      const Dimension& to = f_.dim(f_.pair(comm.pairs[i]).dst);
      const Dimension& dim = f_.dim(read.dims[i]);
      const bool is_copy = PlaceOf(to) == Place::kCopy;
      if (PlaceOf(to) == Place::kWarp || (is_copy && to.is_reduction)) {
        Order(dim, to, kMerged);
      } else if (is_copy) {
        Kind(dim, {kUnroll});
      }
    }
    if (first_copy_ != nullptr) Order(read, *first_copy_, kBefore);
    tile_.is_of_groups ? WantNumbers(Of("vec", read), {1}) : Widest(read);
  }

  /// Are neighbours along the product's axis neighbours in memory, for who produces the operand?
  bool IsAlong(const Communication& comm, LogicalDimId id) const {
    const LogicalDim* const axis = ir::ProducersAxis(f_, comm, f_.logical(id));
    return axis != nullptr &&
           std::ranges::any_of(f_.inst(comm.producer).access, [&](const ir::AccessAxis& access) {
             return access.stride == 1 && access.logical == axis->id;
           });
  }

  /// Everything else is in registers, in the loops of the product.
  void WriteTravel(const Communication& comm) {
    for (const DimPair& pair : f_.pairs_of(comm)) {
      Place &src = place_[pair.src.index()], &dst = place_[pair.dst.index()];
      const Place place = src != Place::kAbsent ? src : dst;
      src = dst = place;
      Map(pair, {place == Place::kOuter  ? kMergeMap
                 : place == Place::kWarp ? kThreadMap
                                         : kUnrollMap});
    }
  }

  const Instruction& product_;
  const UnitTile& tile_;
  const std::uint32_t element_bytes_;  ///< Of operands.
  const UnitAxes axes_;
  LogicalDimId more_;                ///< Invalid: the tile has no further axis.
  std::vector<Place> place_;         ///< By dim: those of the product, and what hangs on them.
  std::vector<std::uint32_t> size_;  ///< By dim: of the product.
  const Dimension* first_copy_ = nullptr;
};

}  // namespace

std::optional<Recipe> UnitRecipe(const ir::Target& function, const ir::Instruction& product,
                                 const UnitTile& tile) {
  return UnitWriter(function, product, tile).Write();
}

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
//
// The axis of the reductions has, from its outermost level on, a loop, copies if there are four
// levels, threads, and neighbours, which one access takes. Rows have blocks and, where rows are
// short, threads. How many threads a row has depends on its length; the numbers are those of QuACK
// (github.com/Dao-AILab/quack), rounded to powers of two.
//
// Where there are too few rows of a scan for all multiprocessors, blocks divide it instead of a
// loop. Each is so small that several are on a multiprocessor: some read and write while others
// wait for what is before them.
//
// Where rows are long and few, blocks divide each, along the outermost level. Registers of a
// cluster hold a part of the row, from its first reduction to what is made of all of them. Without
// clusters a second launch has the same blocks: it makes one value of what they left, and reads the
// row once more; where nothing is made of its elements, the last block makes the value. A maximum
// that runs goes through a block's part in a loop.
#include "kernels/recipes/row_tiles.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "kernels/recipes/recipe_writer.h"

namespace exh::kernels {
namespace {

constexpr std::uint32_t kWideBytes = 16;
/// Threads of a block, where a row has fewer.
constexpr std::uint32_t kThreadsOfBlock = 128;
/// Elements of a row that a thread holds at most where it goes through the row in a loop.
constexpr std::uint32_t kMostHeld = 16;
/// Rows that blocks divide have so many elements at least, and so many of them are few.
constexpr std::uint32_t kLongRow = 32768, kFewRows = 1024;
/// Blocks that shall be there at least, and elements of a row that each of them has.
constexpr std::uint32_t kBlocksOfFew = 512, kElementsOfBlock = 4096;
/// Blocks of a row at most, and threads of a block that has a part of it, where no cluster meets.
constexpr std::uint32_t kMostBlocksOfRow = 64, kThreadsOfPart = 256;

struct RowThreads {
  std::uint32_t most, threads;  ///< Of rows of so many elements at most.
};
constexpr RowThreads kRowThreads[] = {{64, 8},      {128, 16},    {3072, 32}, {6144, 64},
                                      {16384, 128}, {65536, 256}, {~0u, 512}};

/// How a recipe differs from others of the same kernel.
struct RowForm {
  std::string name = "rows";
  bool runs = false;  ///< Maxima are read while they run.
  /// Of a block that has part of a row; 0: it has whole rows. Neighbours are as many as one access
  /// takes.
  std::uint32_t threads = 0, copies = 0;
  std::uint32_t resident = 1;  ///< Blocks that a multiprocessor shall hold.
  /// So many blocks go through a row together, in this way, and a thread holds so much of it.
  std::uint32_t blocks = 1, held = kMostHeld;
  std::string_view way = ir::kCluster;
};
/// With more rows of a scan all multiprocessors are busy anyway.
constexpr std::uint64_t kFewRowsOfScan = 512;

class RowTileWriter : RecipeWriter {
 public:
  RowTileWriter(const Target& function, const RowForm& form)
      : RecipeWriter(function), form_(form) {}

  /// Nothing: the kernel is none that the recipe is for.
  std::optional<Recipe> Write() {
    if (!FindAxes() || !(is_divided() ? FindParts() : FindSizes())) return std::nullopt;
    BeginPlainly();
    Want("pace", {form_.runs ? kPaceRunning : kPaceAfter});
    for (const Instruction& inst : f_.insts) {
      if (!inst.planned && inst.executes_once()) SizesAndKinds(inst);
    }
    NoOtherLevels();
    Want("across_blocks", {is_divided()       ? ir::kLookBack
                           : form_.blocks > 1 ? form_.way
                                              : kNotAcross});
    for (const Communication& comm : f_.comms) {
      if (comm.planned) continue;
      Travel(comm, [&](const Dimension& dim) { return TogetherIn(dim); });
    }
    for (const Instruction& inst : f_.insts) {
      if (!inst.planned && inst.executes_once()) NestLoops(inst);
    }
    ShareLoops();
    WantNumbers("min_blocks", {form_.resident});
    return Finish(form_.name, true);
  }

 private:
  bool is_divided() const { return form_.threads > 0; }
  /// Does a maximum run in the part of a row that a block has?
  bool RunsInParts() const { return form_.runs && form_.blocks > 1; }

  bool FindAxes() {
    int reductions = 0;
    for (const Instruction& inst : f_.insts) {
      if (inst.planned || !inst.is_reduction()) continue;
      const auto reduced = ir::ReducedAxes(f_, inst);
      if (reduced.size() != 1) return false;
      if (columns_ == nullptr) columns_ = reduced.front();
      if (reduced.front()->axis_name() != columns_->axis_name()) return false;
      has_scan_ |= inst.is_scan();
      if (is_divided() && (!inst.is_scan() || f_.splittable_dims(inst) == 0)) return false;
      ++reductions;
      rows_ = ir::ResultAxes(f_, inst);
    }
    // A single reduction that nothing of the row is made of has the general recipe, which may
    // divide it among blocks.
    const bool is_for_blocks = form_.blocks > 1 && !has_scan_ && reductions > 0;
    if (reductions < 2 && !has_scan_ && !is_for_blocks) return false;
    if (columns_ == nullptr || Last(*columns_) < 2) return false;
    std::erase_if(
        rows_, [&](const LogicalDim* axis) { return axis->axis_name() == columns_->axis_name(); });
    // Every read that moves along rows and columns takes neighbours along the columns.
    bool any = false;
    for (const Instruction& inst : f_.insts) {
      if (inst.planned || inst.op != ir::Op::kLoad) continue;
      const auto contiguous = f_.contiguous_dim(inst);
      const bool is_along = !contiguous.empty() && IsColumn(AxisOf(contiguous.front().get()));
      if (inst.access.size() > 1 && !is_along) return false;
      any |= is_along;
      if (is_along) bytes_ = std::max(bytes_, ir::BytesOf(f_.element_type(inst)));
    }
    return any;
  }
  bool IsColumn(const LogicalDim& axis) const { return axis.axis_name() == columns_->axis_name(); }

  /// Does a value along a row stay in registers until a reduction of the row has ended?
  bool HoldsRows() const {
    return std::ranges::any_of(f_.comms, [&](const Communication& comm) {
      if (comm.planned || comm.may_lower || comm.is_init) return false;
      if (f_.inst(comm.producer).op == ir::Op::kConst) return false;
      const std::vector<bool> reached = ir::ReachedFrom(f_, comm.producer);
      const Instruction& reader = f_.inst(comm.consumer);
      const bool has_column = std::ranges::any_of(f_.inst(comm.producer).dims, [&](DimId id) {
        return IsColumn(AxisOf(f_.dim(id))) && !f_.dim(id).is_reduction;
      });
      // The reader has a reduction of the same value, too.
      return has_column && std::ranges::any_of(f_.insts, [&](const Instruction& other) {
               return other.is_reduction() && !other.is_scan() && reached[other.id.index()] &&
                      other.id != reader.id && ir::ReachedFrom(f_, other.id)[reader.id.index()];
             });
    });
  }

  bool FindSizes() {
    const int last = Last(*columns_);
    if (form_.blocks > 1 &&
        (last < 3 || columns_->extent % form_.blocks != 0 || !Has(*columns_, 0, form_.blocks))) {
      return false;
    }
    const std::uint32_t length = columns_->extent / form_.blocks;
    std::uint32_t wanted = 0;
    for (const RowThreads& row : kRowThreads) {
      if (wanted == 0 && length <= row.most) wanted = row.threads;
    }
    if (RunsInParts()) wanted = std::max(wanted, kThreadsOfPart);
    const bool holds = !RunsInParts() && (form_.blocks > 1 || HoldsRows());
    const bool may_copy = last >= 3 && !RunsInParts();
    // More threads where registers hold a row, or where these do not divide it.
    for (const bool is_exact : {true, false}) {
      for (std::uint32_t threads = wanted; threads <= f_.device.max_threads; threads *= 2) {
        if (length % threads != 0 || !Has(*columns_, last - 1, threads)) continue;
        if (Divide(length / threads, holds, may_copy)) {
          threads_ = threads;
          break;
        }
      }
      if (threads_ != 0 || !is_exact) break;
      wanted = 1;
    }
    if (threads_ == 0) return false;
    row_threads_ = 1;
    if (!rows_.empty() && Last(*rows_.back()) >= 1) {
      const LogicalDim& row = *rows_.back();
      while (threads_ * row_threads_ < kThreadsOfBlock && row.extent % (2 * row_threads_) == 0 &&
             Has(row, Last(row), 2 * row_threads_)) {
        row_threads_ *= 2;
      }
    }
    return true;
  }
  /// Threads and neighbours of a block that has part of a row, as the recipe says; the blocks.
  bool FindParts() {
    std::uint64_t rows = 1;
    for (const LogicalDim* const row : rows_) rows *= row->extent;
    const int last = Last(*columns_);
    threads_ = form_.threads, copies_ = form_.copies;
    inner_ = std::clamp(kWideBytes / bytes_, 2u, 16u);
    const std::uint32_t length = columns_->extent, part = threads_ * copies_ * inner_;
    if (rows > kFewRowsOfScan || last < 3 || length % part != 0 || length == part) return false;
    loop_ = length / part;
    return Has(*columns_, 0, loop_) && Has(*columns_, 1, copies_) &&
           Has(*columns_, last - 1, threads_) && Has(*columns_, last, inner_);
  }

  /// So many elements of a row for each thread: neighbours, copies, and a loop.
  bool Divide(std::uint32_t each, bool holds, bool may_copy) {
    const int last = Last(*columns_);
    const std::uint32_t wide = std::max(1u, kWideBytes / bytes_);
    inner_ = 1;
    while (inner_ < wide && each % (2 * inner_) == 0 && Has(*columns_, last, 2 * inner_)) {
      inner_ *= 2;
    }
    std::uint32_t left = each / inner_;
    copies_ = 1;
    if (may_copy) {
      while (inner_ * copies_ < form_.held && left % 2 == 0 && Has(*columns_, 1, 2 * copies_)) {
        copies_ *= 2, left /= 2;
      }
    } else {
      while (inner_ < form_.held && left % 2 == 0 && Has(*columns_, last, 2 * inner_)) {
        inner_ *= 2, left /= 2;
      }
    }
    loop_ = left;
    if (RunsInParts()) return loop_ > 1 && Has(*columns_, 1, loop_);
    return (loop_ == 1 || !holds) && (form_.blocks > 1 || Has(*columns_, 0, loop_));
  }

  // ---- levels ----

  enum class Place { kDivided, kLoop, kParts, kCopies, kAmongThreads, kInner, kBlocks, kAbsent };
  Place PlaceOf(const Dimension& dim) const {
    const LogicalDim& axis = AxisOf(dim);
    if (!IsColumn(axis)) {
      const bool is_row = !rows_.empty() && axis.axis_name() == rows_.back()->axis_name();
      if (is_row && row_threads_ > 1 && dim.level == Last(axis)) return Place::kAmongThreads;
      return dim.level == 0 ? Place::kBlocks : Place::kAbsent;
    }
    if (dim.level == Last(axis)) return Place::kInner;
    if (dim.level == Last(axis) - 1) return Place::kAmongThreads;
    if (dim.level == 0 && is_divided()) return Place::kParts;
    if (dim.level == 0 && form_.blocks > 1) return Place::kDivided;
    if (dim.level == (RunsInParts() ? 1 : 0)) return loop_ > 1 ? Place::kLoop : Place::kAbsent;
    return dim.level == 1 && copies_ > 1 ? Place::kCopies : Place::kAbsent;
  }

  void SizesAndKinds(const Instruction& main) {
    for (const DimId id : main.dims) {
      const Dimension& dim = f_.dim(id);
      const LogicalDim& axis = AxisOf(dim);
      const bool is_row = !rows_.empty() && axis.axis_name() == rows_.back()->axis_name();
      switch (PlaceOf(dim)) {
        case Place::kDivided:
          SizeAndKind(dim, form_.blocks, kBlock);
          break;
        case Place::kLoop:
          Size(dim, loop_);
          Kind(dim, {kLoop});
          break;
        case Place::kParts:
          SizeAndKind(dim, loop_, kBlock);
          break;
        case Place::kCopies:
          SizeAndKind(dim, copies_, kUnroll);
          break;
        case Place::kAmongThreads:
          SizeAndKind(dim, IsColumn(axis) ? threads_ : row_threads_, kThread);
          break;
        case Place::kInner:
          SizeAndKind(dim, inner_, kUnroll);
          break;
        case Place::kBlocks:
          SizeAndKind(dim, is_row ? axis.extent / row_threads_ : axis.extent, kBlock);
          break;
        case Place::kAbsent:
          Size(dim, 1);
          break;
      }
    }
  }

  Together TogetherIn(const Dimension& dim) const {
    switch (PlaceOf(dim)) {
      case Place::kAmongThreads:
        return Together::kThreadLoop;
      case Place::kCopies:
      case Place::kInner:
        return Together::kOwnCopies;
      case Place::kAbsent:
        return Together::kNowhere;
      default:
        return Together::kOneLoop;
    }
  }

  void NestLoops(const Instruction& main) {
    Dims blocks, divided, loops, threads, copies, inner;
    for (const DimId id : main.dims) {
      const Dimension& dim = f_.dim(id);
      const Place place = PlaceOf(dim);
      if (place == Place::kBlocks) blocks.push_back(&dim);
      if (place == Place::kDivided) divided.push_back(&dim);
      if (place == Place::kLoop || place == Place::kParts) loops.push_back(&dim);
      if (place == Place::kAmongThreads) threads.push_back(&dim);
      if (place == Place::kCopies) copies.push_back(&dim);
      if (place == Place::kInner) inner.push_back(&dim);
    }
    Nest({blocks, divided, loops, threads, copies, inner});
  }

  /// Reductions that do not wait for each other go through the row together. All that blocks divide
  /// is in the same ones.
  void ShareLoops() {
    Dims loops, divided;
    const auto share = [&](const Dimension& dim, Dims& with) {
      for (const Dimension* before : with) Order(*before, dim, kMerged);
      with.push_back(&dim);
    };
    for (const Instruction& inst : f_.insts) {
      if (inst.planned) continue;
      for (const DimId id : inst.dims) {
        const Place place = PlaceOf(f_.dim(id));
        const bool is_loop = place == Place::kLoop || place == Place::kParts;
        if (is_loop && inst.is_reduction()) share(f_.dim(id), loops);
        if (place == Place::kDivided && inst.executes_once()) share(f_.dim(id), divided);
      }
    }
  }

  const RowForm form_;
  const LogicalDim* columns_ = nullptr;
  std::vector<const LogicalDim*> rows_;  ///< All other axes; the last one has threads.
  bool has_scan_ = false;
  std::uint32_t bytes_ = 1;  ///< Of the largest element that is read along a row.
  std::uint32_t threads_ = 0, row_threads_ = 1, loop_ = 1, copies_ = 1, inner_ = 1;
};

/// Blocks of a row, at most so many, fewest first, with which long rows that are few keep a GPU
/// busy.
std::vector<std::uint32_t> BlocksFor(const ir::Target& function, std::uint32_t most) {
  std::vector<std::uint32_t> blocks;
  for (const ir::Instruction& inst : function.insts) {
    if (inst.planned || !inst.is_reduction()) continue;
    const auto reduced = ir::ReducedAxes(function, inst);
    if (reduced.size() != 1 || reduced.front()->extent < kLongRow) return {};
    std::uint64_t rows = 1;
    for (const ir::LogicalDim* axis : ir::ResultAxes(function, inst)) rows *= axis->extent;
    if (rows > kFewRows) return {};
    for (std::uint32_t size = 2; size <= most; size *= 2) {
      const bool is_enough = rows * size >= kBlocksOfFew || size * 2 > most;
      if (is_enough && reduced.front()->extent / size >= kElementsOfBlock) blocks.push_back(size);
    }
    break;
  }
  constexpr std::size_t kMostTried = 2;
  if (blocks.size() > kMostTried) blocks.resize(kMostTried);
  return blocks;
}

/// Is something of each element of a row written?
bool WritesRows(const ir::Target& function) {
  std::vector<std::string_view> reduced;
  for (const ir::Instruction& inst : function.insts) {
    if (inst.planned || !inst.is_reduction()) continue;
    for (const ir::LogicalDim* axis : ir::ReducedAxes(function, inst)) {
      reduced.push_back(axis->axis_name());
    }
  }
  return std::ranges::any_of(function.insts, [&](const ir::Instruction& inst) {
    if (inst.planned || inst.op != ir::Op::kStore) return false;
    return std::ranges::any_of(ir::AxesOf(function, inst), [&](const ir::LogicalDim* axis) {
      return std::ranges::find(reduced, axis->axis_name()) != reduced.end();
    });
  });
}

}  // namespace

std::vector<Recipe> RowTileRecipes(const ir::Target& function) {
  if (function.device.max_threads <= 1) return {};
  std::vector<Recipe> recipes;
  const auto add = [&](const RowForm& form) {
    if (auto recipe = RowTileWriter(function, form).Write()) recipes.push_back(std::move(*recipe));
  };
  // Blocks of a scan that has few rows, best first. Long parts have few others to look back at, and
  // registers hold them where multiprocessors are asked for no more blocks than that.
  add({.name = "divided rows of 1024 threads", .threads = 1024, .copies = 8});
  add({.name = "divided rows of 512 threads", .threads = 512, .copies = 8, .resident = 2});
  add({.name = "divided rows", .threads = 256, .copies = 8, .resident = 4});
  add({.name = "short divided rows of 512 threads", .threads = 512, .copies = 4});
  add({.name = "short divided rows", .threads = 256, .copies = 4});
  if (function.has_clusters()) {
    for (const std::uint32_t blocks : BlocksFor(function, function.device.max_cluster)) {
      for (const std::uint32_t held : {2 * kMostHeld, kMostHeld}) {
        add({.name = "rows of " + std::to_string(blocks) + " blocks, " + std::to_string(held) +
                     " elements held",
             .blocks = blocks,
             .held = held});
      }
    }
  }
  const bool runs = !function.running_comms().empty();
  const bool writes_rows = WritesRows(function);
  for (const std::uint32_t blocks : BlocksFor(function, kMostBlocksOfRow)) {
    for (const std::uint32_t held : {2 * kMostHeld, kMostHeld}) {
      add({.name = "rows of " + std::to_string(blocks) + " blocks" +
                   (writes_rows ? " in two launches, " : " with a last one, ") +
                   std::to_string(held) + " elements held",
           .runs = runs,
           .blocks = blocks,
           .held = held,
           .way = writes_rows ? ir::kSecondLaunch : ir::kLastBlock});
    }
  }
  if (runs) add({.name = "running rows", .runs = true});
  add({});
  return recipes;
}

}  // namespace exh::kernels

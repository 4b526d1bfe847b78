// SPDX-License-Identifier: MIT
//
// The axis of the reductions has, from its outermost level on, a loop, copies if there are four
// levels, threads, and neighbours, which one access takes. Rows have blocks and, where rows are
// short, threads. How many threads a row has depends on its length; the numbers are those of QuACK
// (github.com/Dao-AILab/quack), rounded to powers of two.
//
// Where rows are long and few, each has a cluster of blocks, along the outermost level. Registers
// hold a part of the row then, from its first reduction to what is made of all of them.
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
/// Rows of clusters have so many elements at least, and so many of them are few.
constexpr std::uint32_t kLongRow = 16384, kFewRows = 1024;
/// Blocks that shall be there at least, and elements of a row that each of them has.
constexpr std::uint32_t kBlocksOfFew = 512, kElementsOfBlock = 4096;

struct RowThreads {
  std::uint32_t most, threads;  ///< Of rows of so many elements at most.
};
constexpr RowThreads kRowThreads[] = {{64, 8},      {128, 16},    {3072, 32}, {6144, 64},
                                      {16384, 128}, {65536, 256}, {~0u, 512}};

class RowTileWriter : RecipeWriter {
 public:
  /// Clusters of so many blocks go through a row together, and a thread holds so much of it.
  struct Shape {
    bool runs = false;
    std::uint32_t cluster = 1, held = kMostHeld;
  };
  RowTileWriter(const Target& function, std::string name, const Shape& shape)
      : RecipeWriter(function), name_(std::move(name)), shape_(shape) {}

  /// Nothing: the kernel is none that the recipe is for.
  std::optional<Recipe> Write() {
    if (!FindAxes() || !FindSizes()) return std::nullopt;
    BeginPlainly();
    Want("pace", {shape_.runs ? kPaceRunning : kPaceAfter});
    for (const Instruction& inst : f_.insts) {
      if (!inst.planned && inst.executes_once()) SizesAndKinds(inst);
    }
    NoOtherLevels();
    Want("across_blocks", {shape_.cluster > 1 ? ir::kCluster : kNotAcross});
    for (const Communication& comm : f_.comms) {
      if (!comm.planned) Travel(comm);
    }
    for (const Instruction& inst : f_.insts) {
      if (!inst.planned && inst.executes_once()) NestLoops(inst);
    }
    ShareLoops();
    return Finish(std::move(name_), true);
  }

 private:
  bool FindAxes() {
    int reductions = 0;
    for (const Instruction& inst : f_.insts) {
      if (inst.planned || !inst.is_reduction()) continue;
      const auto reduced = ir::ReducedAxes(f_, inst);
      if (reduced.size() != 1) return false;
      if (columns_ == nullptr) columns_ = reduced.front();
      if (reduced.front()->axis_name() != columns_->axis_name()) return false;
      has_scan_ |= inst.is_scan();
      ++reductions;
      rows_ = ir::ResultAxes(f_, inst);
    }
    // A single reduction has the general recipe, which may divide it among blocks.
    const bool is_for_clusters = shape_.cluster > 1 && !has_scan_ && reductions > 0;
    if (reductions < 2 && !has_scan_ && !is_for_clusters) return false;
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
    if (shape_.cluster > 1 && (last < 3 || columns_->extent % shape_.cluster != 0 ||
                               !Has(*columns_, 0, shape_.cluster))) {
      return false;
    }
    const std::uint32_t length = columns_->extent / shape_.cluster;
    std::uint32_t wanted = 0;
    for (const RowThreads& row : kRowThreads) {
      if (wanted == 0 && length <= row.most) wanted = row.threads;
    }
    const bool holds = shape_.cluster > 1 || HoldsRows();
    const bool may_copy = last >= 3 && !has_scan_;
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
      while (inner_ * copies_ < shape_.held && left % 2 == 0 && Has(*columns_, 1, 2 * copies_)) {
        copies_ *= 2, left /= 2;
      }
    } else {
      while (inner_ < shape_.held && left % 2 == 0 && Has(*columns_, last, 2 * inner_)) {
        inner_ *= 2, left /= 2;
      }
    }
    loop_ = left;
    return (loop_ == 1 || !holds) && (shape_.cluster > 1 || Has(*columns_, 0, loop_));
  }

  // ---- levels ----

  enum class Place { kCluster, kLoop, kCopies, kAmongThreads, kInner, kBlocks, kAbsent };
  Place PlaceOf(const Dimension& dim) const {
    const LogicalDim& axis = AxisOf(dim);
    if (!IsColumn(axis)) {
      const bool is_row = !rows_.empty() && axis.axis_name() == rows_.back()->axis_name();
      if (is_row && row_threads_ > 1 && dim.level == Last(axis)) return Place::kAmongThreads;
      return dim.level == 0 ? Place::kBlocks : Place::kAbsent;
    }
    if (dim.level == Last(axis)) return Place::kInner;
    if (dim.level == Last(axis) - 1) return Place::kAmongThreads;
    if (dim.level == 0 && shape_.cluster > 1) return Place::kCluster;
    if (dim.level == 0) return loop_ > 1 ? Place::kLoop : Place::kAbsent;
    return dim.level == 1 && copies_ > 1 ? Place::kCopies : Place::kAbsent;
  }

  void SizesAndKinds(const Instruction& main) {
    for (const DimId id : main.dims) {
      const Dimension& dim = f_.dim(id);
      const LogicalDim& axis = AxisOf(dim);
      const bool is_row = !rows_.empty() && axis.axis_name() == rows_.back()->axis_name();
      switch (PlaceOf(dim)) {
        case Place::kCluster:
          SizeAndKind(dim, shape_.cluster, kBlock);
          break;
        case Place::kLoop:
          Size(dim, loop_);
          Kind(dim, {kLoop});
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

  void Travel(const Communication& comm) {
    for (const DimPair& pair : f_.pairs_of(comm)) {
      switch (PlaceOf(f_.dim(pair.dst))) {
        case Place::kCluster:
        case Place::kLoop:
        case Place::kBlocks:
          Map(pair, {kMergeMap});
          break;
        case Place::kAmongThreads:
          Map(pair, {kMergeMap, kThreadMap});
          break;
        case Place::kCopies:
        case Place::kInner:
          Map(pair, {kUnrollMap, kMergeMap});
          break;
        case Place::kAbsent:
          break;
      }
    }
  }

  void NestLoops(const Instruction& main) {
    Dims blocks, cluster, loops, threads, copies, inner;
    for (const DimId id : main.dims) {
      const Dimension& dim = f_.dim(id);
      const Place place = PlaceOf(dim);
      if (place == Place::kBlocks) blocks.push_back(&dim);
      if (place == Place::kCluster) cluster.push_back(&dim);
      if (place == Place::kLoop) loops.push_back(&dim);
      if (place == Place::kAmongThreads) threads.push_back(&dim);
      if (place == Place::kCopies) copies.push_back(&dim);
      if (place == Place::kInner) inner.push_back(&dim);
    }
    Nest({blocks, cluster, loops, threads, copies, inner});
  }

  /// Reductions that do not wait for each other go through the row together.
  void ShareLoops() {
    std::vector<const Dimension*> loops;
    for (const Instruction& inst : f_.insts) {
      if (inst.planned || !inst.is_reduction()) continue;
      for (const DimId id : inst.dims) {
        if (PlaceOf(f_.dim(id)) != Place::kLoop) continue;
        for (const Dimension* before : loops) Order(*before, f_.dim(id), kMerged);
        loops.push_back(&f_.dim(id));
      }
    }
  }

  std::string name_;
  const Shape shape_;
  const LogicalDim* columns_ = nullptr;
  std::vector<const LogicalDim*> rows_;  ///< All other axes; the last one has threads.
  bool has_scan_ = false;
  std::uint32_t bytes_ = 1;  ///< Of the largest element that is read along a row.
  std::uint32_t threads_ = 0, row_threads_ = 1, loop_ = 1, copies_ = 1, inner_ = 1;
};

/// Blocks of a cluster, fewest first, with which long rows that are few keep a GPU busy.
std::vector<std::uint32_t> ClustersFor(const ir::Target& function) {
  std::vector<std::uint32_t> clusters;
  for (const ir::Instruction& inst : function.insts) {
    if (inst.planned || !inst.is_reduction()) continue;
    const auto reduced = ir::ReducedAxes(function, inst);
    if (reduced.size() != 1 || reduced.front()->extent < kLongRow) return {};
    std::uint64_t rows = 1;
    for (const ir::LogicalDim* axis : ir::ResultAxes(function, inst)) rows *= axis->extent;
    if (rows > kFewRows) return {};
    for (std::uint32_t size = 2; size <= function.device.max_cluster; size *= 2) {
      const bool is_enough = rows * size >= kBlocksOfFew || size * 2 > function.device.max_cluster;
      if (is_enough && reduced.front()->extent / size >= kElementsOfBlock) clusters.push_back(size);
    }
    break;
  }
  constexpr std::size_t kMostTried = 2;
  if (clusters.size() > kMostTried) clusters.resize(kMostTried);
  return clusters;
}

}  // namespace

std::vector<Recipe> RowTileRecipes(const ir::Target& function) {
  if (function.device.max_threads <= 1) return {};
  std::vector<Recipe> recipes;
  const auto add = [&](const std::string& name, const RowTileWriter::Shape& shape) {
    if (auto recipe = RowTileWriter(function, name, shape).Write()) {
      recipes.push_back(std::move(*recipe));
    }
  };
  if (function.has_clusters()) {
    for (const std::uint32_t blocks : ClustersFor(function)) {
      for (const std::uint32_t held : {2 * kMostHeld, kMostHeld}) {
        add("rows of " + std::to_string(blocks) + " blocks, " + std::to_string(held) +
                " elements held",
            {.cluster = blocks, .held = held});
      }
    }
  }
  if (!function.running_comms().empty()) add("running rows", {.runs = true});
  add("rows", {});
  return recipes;
}

}  // namespace exh::kernels

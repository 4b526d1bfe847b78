// SPDX-License-Identifier: MIT
//
// An axis of the result has blocks, copies of a thread's tile, threads, and the tile's registers,
// from its outermost level on; copies are absent where there are only three levels. The reduced
// axis has a loop, and unrolled steps. What threads copy of an operand has one loop around it, or a
// block, and within the tile unrolled copies, threads, and along neighbours in memory one wide
// access.
#include "kernels/recipes/copied_tiles.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/recipes/recipe_writer.h"

namespace exh::kernels {
namespace {

/// With fewer, most of a GPU would be idle: the sum had better be divided.
constexpr std::uint64_t kLeastBlocks = 32;

/// How an axis of the result is divided, outermost level first.
struct Split {
  std::uint32_t copies = 1, threads = 1, registers = 1;
  std::uint32_t tile() const { return copies * threads * registers; }
};

/// What is tried, best first.
struct Shape {
  const char* name;
  std::vector<Split> rows, columns;
  std::vector<std::uint32_t> steps;  ///< Of the reduced axis, in a tile.
};

/// An operand that goes through shared memory.
struct Operand {
  const ir::Communication* comm = nullptr;
  const ir::Instruction* read = nullptr;
  const ir::LogicalDim* kept = nullptr;  ///< The axis of the result that it moves along.
};

class CopiedTileWriter : RecipeWriter {
 public:
  CopiedTileWriter(const Target& function, const Shape& shape)
      : RecipeWriter(function), shape_(shape) {}

  /// Nothing: the kernel is none that the recipe is for.
  std::optional<Recipe> Write() {
    if (!FindAxes() || !FindOperands() || !FindTiles()) return std::nullopt;
    Want(Of("unit", *sum_), {kFma});
    for (const Operand& operand : operands_) Want(Of("tiles", *operand.comm), {kOwnTiles});
    Want("tiles", {kSameTiles});
    SizesAndKinds();
    for (const Operand& operand : operands_) Copy(operand);
    NoOtherLevels();
    Want("across_blocks", {kNotAcross});
    for (const Communication& comm : f_.comms) {
      if (!comm.planned && !IsCopied(comm)) Travel(comm);
    }
    NestLoops();
    for (const Operand& operand : operands_) Fragments(operand);
    Want("dim_mapping", {kMergeMap, kUnrollMap, kThreadMap});
    Want("order", {kBefore, kOuter, kAfter, kInner});
    Want("vec", Widths());
    Want("skew", {ir::kXor, ir::kPad16Bytes, ir::kPad4Bytes, kPlain});
    for (const Operand& operand : operands_) Want(Of("advance", *operand.read), {kOneAhead});
    WantNumbers("patch", {4, 8, 1});
    return Finish(shape_.name, true);
  }

 private:
  /// The only sum, its last two axes, and the one that it is over.
  bool FindAxes() {
    sum_ = ir::OnlySumOfProducts(f_);
    if (sum_ == nullptr) return false;
    const auto reduced = ir::ReducedAxes(f_, *sum_);
    outside_ = ir::ResultAxes(f_, *sum_);
    if (reduced.size() != 1 || outside_.size() < 2) return false;
    reduced_ = reduced.front();
    for (const LogicalDim** axis : {&columns_, &rows_}) {
      *axis = outside_.back();
      outside_.pop_back();
    }
    return Last(*rows_) >= 2 && Last(*columns_) >= 2 && Last(*reduced_) >= 1;
  }

  /// Two copies, one for each of the two axes.
  bool FindOperands() {
    for (const Communication& comm : f_.copies()) {
      if (comm.consumer != sum_->id) continue;
      Operand operand{&comm, &f_.inst(comm.producer)};
      for (const LogicalDim* axis : {rows_, columns_}) {
        if (ir::ProducersAxis(f_, comm, *axis) == nullptr) continue;
        if (operand.kept != nullptr) return false;
        operand.kept = axis;
      }
      if (operand.kept == nullptr || ir::ProducersAxis(f_, comm, *reduced_) == nullptr)
        return false;
      operands_.push_back(operand);
    }
    return operands_.size() == 2 && operands_[0].kept != operands_[1].kept;
  }

  std::optional<Split> FirstOf(const std::vector<Split>& splits, const LogicalDim& axis) const {
    const int last = Last(axis);
    for (const Split& split : splits) {
      const bool has_copies = last < 3 ? split.copies == 1 : Has(axis, last - 2, split.copies);
      if (axis.extent % split.tile() == 0 && has_copies && Has(axis, last, split.registers) &&
          Has(axis, last - 1, split.threads) && Has(axis, 0, axis.extent / split.tile())) {
        return split;
      }
    }
    return std::nullopt;
  }
  bool FindTiles() {
    const std::optional<Split> rows = FirstOf(shape_.rows, *rows_),
                               columns = FirstOf(shape_.columns, *columns_);
    const auto steps = std::ranges::find_if(shape_.steps, [&](std::uint32_t size) {
      return reduced_->extent % size == 0 && Has(*reduced_, Last(*reduced_), size) &&
             Has(*reduced_, 0, reduced_->extent / size);
    });
    if (!rows || !columns || steps == shape_.steps.end()) return false;
    row_split_ = *rows;
    column_split_ = *columns;
    steps_ = *steps;
    std::uint64_t blocks =
        std::uint64_t{rows_->extent} / rows->tile() * (columns_->extent / columns->tile());
    // Products of which each has blocks of its own.
    for (const LogicalDim* axis : outside_) blocks *= axis->extent;
    return blocks >= kLeastBlocks && threads() <= f_.device.max_threads;
  }
  std::uint32_t threads() const { return row_split_.threads * column_split_.threads; }

  /// Of the sum's own nest.
  void SizesAndKinds() {
    for (const auto& [axis, split] : {std::pair{rows_, row_split_}, {columns_, column_split_}}) {
      const int last = Last(*axis);
      Size(Level(*axis, last), split.registers);
      Size(Level(*axis, last - 1), split.threads);
      if (last > 2) Size(Level(*axis, last - 2), split.copies);
      Size(Level(*axis, 0), axis->extent / split.tile());
      Kind(Level(*axis, last), {kUnroll});
      Kind(Level(*axis, last - 1), {kThread});
      if (last > 2) Kind(Level(*axis, last - 2), {kUnroll});
    }
    Size(Innermost(*reduced_), steps_);
    Size(Level(*reduced_, 0), reduced_->extent / steps_);
    Kind(Innermost(*reduced_), {kUnroll});
    Kind(Level(*reduced_, 0), {kLoop});
    for (const LogicalDim* axis : ir::ResultAxes(f_, *sum_)) Kind(Level(*axis, 0), {kBlock});
  }

  std::uint32_t TileOf(const LogicalDim& axis) const {
    return (&axis == rows_ ? row_split_ : column_split_).tile();
  }

  /// All threads copy the tile.
  void Copy(const Operand& operand) {
    for (const DimPair& pair : f_.pairs_of(*operand.comm)) {
      if (f_.dim(pair.src).level == 0) Map(pair, {kMergeMap});
    }
    CopyTile(*operand.comm, {reduced_, steps_}, {operand.kept, TileOf(*operand.kept)}, threads());
  }

  bool IsCopied(const Communication& comm) const {
    return std::ranges::find(operands_, &comm, &Operand::comm) != operands_.end();
  }

  /// What comes before and behind the sum is in its blocks, by the same threads, in their
  /// registers.
  void Travel(const Communication& comm) {
    for (const DimPair& pair : f_.pairs_of(comm)) {
      const Dimension& dim = f_.dim(pair.dst);
      if (dim.level == 0) {
        Map(pair, {kMergeMap});
      } else if (dim.level == Last(AxisOf(dim)) - 1) {
        Map(pair, {kThreadMap, kUnrollMap, kMergeMap});
      } else {
        Hold(pair, true);
      }
    }
  }

  void NestLoops() {
    Dims all;
    for (const LogicalDim* axis : ir::ResultAxes(f_, *sum_)) all.push_back(&Level(*axis, 0));
    all.push_back(&Level(*reduced_, 0));
    for (const LogicalDim* axis : {rows_, columns_}) all.push_back(&Level(*axis, Last(*axis) - 1));
    all.push_back(&Innermost(*reduced_));
    const std::size_t loops = all.size();
    for (const LogicalDim* axis : {rows_, columns_}) {
      if (Last(*axis) > 2) all.push_back(&Level(*axis, Last(*axis) - 2));
      all.push_back(&Innermost(*axis));
    }
    Nest({all});
    first_copy_ = all[loops];
  }

  /// What a thread needs of a step is read right before its products, along the axis of the result.
  void Fragments(const Operand& operand) {
    const Communication::Lowered& lowered = *operand.comm->lowered;
    for (const DimPair& pair : f_.pairs_of(f_.comm(lowered.load_comm))) {
      const Dimension& dim = f_.dim(pair.dst);
      const int merged_level = Last(AxisOf(dim)) - (dim.is_reduction ? 0 : 1);
      Map(pair, {dim.level == 0 || dim.level == merged_level ? kMergeMap : kUnrollMap});
    }
    Order(f_.inst(lowered.load), *first_copy_, kBefore);
    const LogicalDim& kept = *ir::ProducersAxis(f_, *operand.comm, *operand.kept);
    StoreAlong(f_.block(lowered.block), 1, Innermost(kept));
  }

  const Shape& shape_;
  const Instruction* sum_ = nullptr;
  const LogicalDim *rows_ = nullptr, *columns_ = nullptr, *reduced_ = nullptr;
  std::vector<const LogicalDim*> outside_;  ///< Other axes of the result.
  std::vector<Operand> operands_;
  Split row_split_, column_split_;
  std::uint32_t steps_ = 0;
  const Dimension* first_copy_ = nullptr;  ///< The outermost of a thread's own loops over results.
};

}  // namespace

std::vector<Recipe> CopiedTileRecipes(const ir::Target& function) {
  if (function.device.max_threads <= 1) return {};
  const Shape small = {"copied tiles",
                       {{2, 8, 4}, {1, 8, 4}, {1, 8, 2}},
                       {{1, 16, 4}, {1, 8, 4}, {1, 16, 2}, {1, 8, 2}},
                       {16, 8, 4}};
  const Shape large = {"large copied tiles", {{2, 16, 4}}, {{2, 16, 4}}, {8, 16, 4}};
  std::vector<Recipe> recipes;
  for (const Shape* shape : {&small, &large}) {
    if (std::optional<Recipe> recipe = CopiedTileWriter(function, *shape).Write()) {
      recipes.push_back(std::move(*recipe));
    }
  }
  return recipes;
}

}  // namespace exh::kernels

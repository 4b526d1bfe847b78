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
#include <string>
#include <string_view>

#include "kernels/recipes/rest.h"

namespace exh::kernels {
namespace {

using ir::Communication;
using ir::Dimension;
using ir::DimId;
using ir::DimPair;
using ir::Instruction;
using ir::LogicalDim;
using ir::LogicalDimId;
using ir::Target;

constexpr std::uint32_t kWideBytes = 16;
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
  const Communication* comm = nullptr;
  const Instruction* read = nullptr;
  const LogicalDim* kept = nullptr;  ///< The axis of the result that it moves along.
};

class Writer {
 public:
  Writer(const Target& function, const Shape& shape) : f_(function), shape_(shape) {}

  /// Nothing: the kernel is none that the recipe is for.
  std::optional<Recipe> Write() {
    if (!FindAxes() || !FindOperands() || !FindTiles()) return std::nullopt;
    recipe_.name = shape_.name;
    WantOf("unit", sum_->name(), {"FMA"});
    for (const Operand& operand : operands_) {
      WantOf("tiles", operand.comm->name(), {"OWN_TILES"});
    }
    Want("tiles", {"SAME_TILES"});
    SizesAndKinds();
    for (const Operand& operand : operands_) Copy(operand);
    Want("size", {"1"});
    Want("across_blocks", {"NOT_ACROSS"});
    for (const Communication& comm : f_.comms) {
      if (!comm.planned && !IsCopied(comm)) Travel(comm);
    }
    Nest();
    for (const Operand& operand : operands_) Fragments(operand);
    Want("dim_mapping", {"MERGE_MAP", "UNROLL_MAP", "THREAD_MAP"});
    Want("order", {"BEFORE", "OUTER", "AFTER", "INNER"});
    Want("vec", {"16", "8", "4", "2", "1"});
    Want("skew", {"XOR", "PAD_16_BYTES", "PAD_4_BYTES", "PLAIN"});
    for (const Operand& operand : operands_) {
      WantOf("advance", operand.read->name(), {"ONE_AHEAD"});
    }
    Want("patch", {"4", "8", "1"});
    AppendRest(true, recipe_);
    return std::move(recipe_);
  }

 private:
  void Want(std::string decision, std::vector<std::string> values) {
    recipe_.wishes.push_back({std::move(decision), std::move(values)});
  }
  void WantOf(std::string_view choice, const std::string& name, std::vector<std::string> values) {
    Want(std::string(choice) + "(" + name + ")", std::move(values));
  }

  /// The only sum, its last two axes, and the one that it is over.
  bool FindAxes() {
    for (const Instruction& inst : f_.insts) {
      if (inst.planned || !inst.is_reduction()) continue;
      if (sum_ != nullptr || inst.op != ir::Op::kMad) return false;
      sum_ = &inst;
    }
    if (sum_ == nullptr) return false;
    for (const DimId id : sum_->dims) {
      const LogicalDim& axis = f_.logical(f_.dim(id).logical);
      if (f_.dim(id).level != 0) continue;
      if (!f_.dim(id).is_reduction) {
        rows_ = columns_;
        columns_ = &axis;
      } else if (reduced_ != nullptr) {
        return false;
      } else {
        reduced_ = &axis;
      }
    }
    const auto has_levels = [](const LogicalDim* axis, std::size_t least) {
      return axis != nullptr && axis->dims.size() >= least;
    };
    return has_levels(rows_, 3) && has_levels(columns_, 3) && has_levels(reduced_, 2);
  }

  /// Two copies, one for each of the two axes.
  bool FindOperands() {
    for (const Communication& comm : f_.copies()) {
      if (comm.consumer != sum_->id) continue;
      Operand operand{&comm, &f_.inst(comm.producer)};
      bool is_reduced = false;
      for (const LogicalDim* axis : {rows_, columns_, reduced_}) {
        if (MovesAlong(operand, *axis) == nullptr) continue;
        is_reduced = is_reduced || axis == reduced_;
        if (axis == reduced_) continue;
        if (operand.kept != nullptr) return false;
        operand.kept = axis;
      }
      if (!is_reduced || operand.kept == nullptr) return false;
      operands_.push_back(operand);
    }
    return operands_.size() == 2 && operands_[0].kept != operands_[1].kept;
  }
  /// The axis of the read that is paired with one of the sum; null: there is none.
  const LogicalDim* MovesAlong(const Operand& operand, const LogicalDim& axis) const {
    for (const ir::PairId id : operand.comm->pairs) {
      const DimPair& pair = f_.pair(id);
      if (f_.dim(pair.dst).logical == axis.id) return &f_.logical(f_.dim(pair.src).logical);
    }
    return nullptr;
  }

  bool Has(const LogicalDim& axis, int level, std::uint32_t size) const {
    const auto& sizes = f_.dim(axis.dims[static_cast<std::size_t>(level)]).sizes;
    return std::ranges::find(sizes, size) != sizes.end();
  }
  static int Last(const LogicalDim& axis) { return static_cast<int>(axis.dims.size()) - 1; }
  const Dimension& Level(const LogicalDim& axis, int level) const {
    return f_.dim(axis.dims[static_cast<std::size_t>(level)]);
  }

  std::optional<Split> FirstOf(const std::vector<Split>& splits, const LogicalDim& axis) const {
    for (const Split& split : splits) {
      const int last = Last(axis);
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
    for (const std::uint32_t steps : shape_.steps) {
      const bool fits = reduced_->extent % steps == 0 && Has(*reduced_, Last(*reduced_), steps) &&
                        Has(*reduced_, 0, reduced_->extent / steps);
      if (steps_ == 0 && fits) steps_ = steps;
    }
    if (!rows || !columns || steps_ == 0) return false;
    row_split_ = *rows;
    column_split_ = *columns;
    const std::uint64_t blocks = std::uint64_t{rows_->extent} / rows->tile() *
                                 (columns_->extent / columns->tile()) * Outside();
    return blocks >= kLeastBlocks && threads() <= f_.device.max_threads;
  }
  /// Results that are not of the last two axes: products of which each has blocks of its own.
  std::uint64_t Outside() const {
    std::uint64_t results = 1;
    for (const DimId id : sum_->dims) {
      const LogicalDim& axis = f_.logical(f_.dim(id).logical);
      const bool is_inside = &axis == rows_ || &axis == columns_ || &axis == reduced_;
      if (!is_inside && f_.dim(id).level == 0) results *= axis.extent;
    }
    return results;
  }
  std::uint32_t threads() const { return row_split_.threads * column_split_.threads; }

  void SizeOf(const Dimension& dim, std::uint32_t size) {
    WantOf("size", dim.name(), {std::to_string(size)});
  }
  void KindOf(const Dimension& dim, const char* kind) { WantOf("dim_kind", dim.name(), {kind}); }

  /// Of the sum's own nest.
  void SizesAndKinds() {
    for (const auto& [axis, split] : {std::pair{rows_, row_split_}, {columns_, column_split_}}) {
      const int last = Last(*axis);
      SizeOf(Level(*axis, last), split.registers);
      SizeOf(Level(*axis, last - 1), split.threads);
      if (last > 2) SizeOf(Level(*axis, last - 2), split.copies);
      SizeOf(Level(*axis, 0), axis->extent / split.tile());
      KindOf(Level(*axis, last), "UNROLL");
      KindOf(Level(*axis, last - 1), "THREAD");
      if (last > 2) KindOf(Level(*axis, last - 2), "UNROLL");
    }
    SizeOf(Level(*reduced_, Last(*reduced_)), steps_);
    SizeOf(Level(*reduced_, 0), reduced_->extent / steps_);
    KindOf(Level(*reduced_, Last(*reduced_)), "UNROLL");
    KindOf(Level(*reduced_, 0), "LOOP");
    for (const DimId id : sum_->dims) {
      const Dimension& dim = f_.dim(id);
      if (!dim.is_reduction && dim.level == 0) KindOf(dim, "BLOCK");
    }
  }

  std::uint32_t TileOf(const LogicalDim& axis) const {
    if (&axis == reduced_) return steps_;
    return (&axis == rows_ ? row_split_ : column_split_).tile();
  }

  /// A level of a read's axis within the tile; `size` is taken from what is left of the axis.
  void Take(const LogicalDim& axis, int level, std::uint32_t size, const char* kind,
            std::uint32_t& left) {
    if (level < 1) return;
    SizeOf(Level(axis, level), size);
    if (size > 1) KindOf(Level(axis, level), kind);
    left /= size;
  }

  /// All threads copy the tile: wide along what adjoins in memory, then by threads, then again.
  void Copy(const Operand& operand) {
    const LogicalDim &along_sum = *MovesAlong(operand, *reduced_),
                     &along_kept = *MovesAlong(operand, *operand.kept);
    for (const ir::PairId id : operand.comm->pairs) {
      const DimPair& pair = f_.pair(id);
      if (f_.dim(pair.src).level == 0) WantOf("dim_mapping", pair.name(), {"MERGE_MAP"});
    }
    const bool kept_is_near = f_.copied_outside(Level(along_sum, 0), Level(along_kept, 0));
    const LogicalDim &near = kept_is_near ? along_kept : along_sum,
                     &far = kept_is_near ? along_sum : along_kept;
    std::uint32_t near_left = TileOf(kept_is_near ? *operand.kept : *reduced_);
    std::uint32_t far_left = TileOf(kept_is_near ? *reduced_ : *operand.kept);
    const std::vector<std::uint32_t> widths = f_.vec_universe(*operand.read);
    const std::uint32_t wide = std::min(
        {widths.back(), kWideBytes / ir::BytesOf(f_.element_type(*operand.read)), near_left});
    int level = Last(near);
    if (wide > 1) Take(near, level--, wide, "UNROLL", near_left);
    const std::uint32_t near_threads = std::min(threads(), near_left);
    Take(near, level--, near_threads, "THREAD", near_left);
    Take(near, level, near_left, "UNROLL", near_left);
    const std::uint32_t far_threads = std::min(threads() / near_threads, far_left);
    level = Last(far);
    Take(far, level--, far_threads, "THREAD", far_left);
    Take(far, level, far_left, "UNROLL", far_left);
  }

  bool IsCopied(const Communication& comm) const {
    return std::ranges::any_of(operands_, [&](const Operand& o) { return o.comm == &comm; });
  }

  /// What comes before and behind the sum is in its blocks, by the same threads, in their
  /// registers.
  void Travel(const Communication& comm) {
    for (const ir::PairId id : comm.pairs) {
      const DimPair& pair = f_.pair(id);
      const Dimension& dim = f_.dim(pair.dst);
      const bool is_thread = dim.level > 0 && dim.level == Last(f_.logical(dim.logical)) - 1;
      WantOf("dim_mapping", pair.name(),
             dim.level == 0 ? std::vector<std::string>{"MERGE_MAP"}
             : is_thread    ? std::vector<std::string>{"THREAD_MAP", "UNROLL_MAP", "MERGE_MAP"}
                            : std::vector<std::string>{"UNROLL_MAP", "MERGE_MAP"});
    }
  }

  void Nest() {
    std::vector<const Dimension*> all;
    for (const DimId id : sum_->dims) {
      if (!f_.dim(id).is_reduction && f_.dim(id).level == 0) all.push_back(&f_.dim(id));
    }
    all.push_back(&Level(*reduced_, 0));
    for (const LogicalDim* axis : {rows_, columns_}) all.push_back(&Level(*axis, Last(*axis) - 1));
    all.push_back(&Level(*reduced_, Last(*reduced_)));
    for (const LogicalDim* axis : {rows_, columns_}) {
      if (Last(*axis) > 2) all.push_back(&Level(*axis, Last(*axis) - 2));
      all.push_back(&Level(*axis, Last(*axis)));
    }
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      WantOf("order", all[i]->name() + "," + all[i + 1]->name(), {"OUTER"});
    }
    first_copy_ = all[all.size() - (Last(*columns_) > 2 ? 2 : 1) - (Last(*rows_) > 2 ? 2 : 1)];
  }

  /// What a thread needs of a step is read right before its products, along the axis of the result.
  void Fragments(const Operand& operand) {
    const Communication::Lowered& lowered = *operand.comm->lowered;
    for (const ir::PairId id : f_.comm(lowered.load_comm).pairs) {
      const DimPair& pair = f_.pair(id);
      const Dimension& dim = f_.dim(pair.dst);
      const int last = Last(f_.logical(dim.logical));
      const bool is_merged =
          dim.level == 0 || (dim.is_reduction ? dim.level == last : dim.level == last - 1);
      WantOf("dim_mapping", pair.name(), {is_merged ? "MERGE_MAP" : "UNROLL_MAP"});
    }
    WantOf("order", f_.inst(lowered.load).name() + "," + first_copy_->name(), {"BEFORE"});
    const ir::MemBlock& block = f_.block(lowered.block);
    const Dimension& inner =
        Level(*MovesAlong(operand, *operand.kept), Last(*MovesAlong(operand, *operand.kept)));
    for (const ir::AxisId id : block.axes) {
      if (f_.is_filled_from(f_.axis(id), inner)) {
        WantOf("axis_at", block.name() + ",1", {std::to_string(f_.place_of(f_.axis(id)))});
      }
    }
  }

  const Target& f_;
  const Shape& shape_;
  const Instruction* sum_ = nullptr;
  const LogicalDim *rows_ = nullptr, *columns_ = nullptr, *reduced_ = nullptr;
  std::vector<Operand> operands_;
  Split row_split_, column_split_;
  std::uint32_t steps_ = 0;
  const Dimension* first_copy_ = nullptr;  ///< The outermost of a thread's own loops over results.
  Recipe recipe_;
};

}  // namespace

std::vector<Recipe> CopiedTileRecipes(const Target& function) {
  if (function.device.max_threads <= 1) return {};
  const Shape small = {"copied tiles",
                       {{2, 8, 4}, {1, 8, 4}, {1, 8, 2}},
                       {{1, 16, 4}, {1, 8, 4}, {1, 16, 2}, {1, 8, 2}},
                       {16, 8, 4}};
  const Shape large = {"large copied tiles", {{2, 16, 4}}, {{2, 16, 4}}, {8, 16, 4}};
  std::vector<Recipe> recipes;
  for (const Shape* shape : {&small, &large}) {
    if (std::optional<Recipe> recipe = Writer(function, *shape).Write()) {
      recipes.push_back(std::move(*recipe));
    }
  }
  return recipes;
}

}  // namespace exh::kernels

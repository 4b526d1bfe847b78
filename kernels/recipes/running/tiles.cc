// SPDX-License-Identifier: MIT
//
// Of attention, with scores s[i, j] = sum(p) q[i, p] k[j, p] and results y[i, o] = sum(j) e[i, j]
// v[j, o], where e comes of s and of its maximum over j:
//
//   axis             levels, from the outermost one on
//   i, rows          blocks, threads, registers
//   j, keys          the loop that the maximum runs in, threads, registers; in the second product a
//                    loop in place of the threads
//   o, columns       threads, registers
//   p, depth         loops, unrolled steps
//
// q is copied to shared memory once, k and v in each iteration, tile by tile; e goes there, too,
// for threads that have other keys. All else stays in the registers of its thread.
#include "kernels/recipes/running/tiles.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "kernels/recipes/running/running_writer.h"

namespace exh::kernels {
namespace {

/// What is tried.
struct RunningShape {
  const char* name;
  std::uint32_t row_threads, column_threads;
  std::vector<std::uint32_t> rows, keys, columns, steps;  ///< Registers, best first.
};

class RunningTileWriter : RunningWriter {
 public:
  RunningTileWriter(const Target& function, const RunningShape& shape)
      : RunningWriter(function), shape_(shape) {}

  /// Nothing: the kernel is none that the recipe is for.
  std::optional<Recipe> Write() {
    if (!FindProducts() || !FitsThreads() || !FindTiles()) return std::nullopt;
    Want("unit", {kFma});
    Want("pace", {kPaceRunning});
    for (const Communication* copy : copies_) Want(Of("tiles", *copy), {kOwnTiles});
    Want("tiles", {kSameTiles});
    Want("thread_layout", {kSharedLayout});
    for (const Instruction* main : {first_, top_, second_}) SizesAndKinds(*main);
    for (const Communication* copy : copies_) Copy(*copy);
    NoOtherLevels();
    Want("across_blocks", {kNotAcross});
    for (const Communication& comm : f_.comms) {
      if (!comm.planned && !IsCopied(comm)) Travel(comm);
    }
    for (const Instruction* main : {first_, top_, second_}) NestLoops(*main);
    for (const Communication* copy : copies_) Fragments(*copy);
    if (terms_ != nullptr) Fragments(*terms_);
    Want("dim_mapping", {kMergeMap, kUnrollMap, kThreadMap});
    Want("order", {kBefore, kOuter, kAfter, kInner});
    Want("vec", Widths());
    Want("skew", {ir::kXor, ir::kPad16Bytes, ir::kPad4Bytes, kPlain});
    return Finish(shape_.name, true);
  }

 private:
  /// Have the axes levels for threads and registers?
  bool FitsThreads() const {
    return Last(*AxisOf(*first_, rows_)) >= 2 && Last(*AxisOf(*first_, keys_)) >= 2 &&
           Last(*AxisOf(*first_, depth_)) >= 1 && Last(*AxisOf(*second_, columns_)) >= 1;
  }
  /// The first of the sizes that the innermost level may have, where the one before it has so many.
  std::uint32_t FirstOf(const std::vector<std::uint32_t>& sizes, const LogicalDim& axis,
                        std::uint32_t before, bool is_whole = false) const {
    const auto found = std::ranges::find_if(sizes, [&](std::uint32_t size) {
      const std::uint32_t tile = size * before;
      return axis.extent % tile == 0 && Has(axis, Last(axis), size) &&
             Has(axis, Last(axis) - 1, before) && (!is_whole || axis.extent == tile);
    });
    return found == sizes.end() ? 0 : *found;
  }
  bool FindTiles() {
    row_registers_ = FirstOf(shape_.rows, *AxisOf(*first_, rows_), shape_.row_threads);
    key_registers_ = FirstOf(shape_.keys, *AxisOf(*first_, keys_), shape_.column_threads);
    column_registers_ =
        FirstOf(shape_.columns, *AxisOf(*second_, columns_), shape_.column_threads, true);
    steps_ = FirstOf(shape_.steps, *AxisOf(*first_, depth_), 1);
    return row_registers_ != 0 && key_registers_ != 0 && column_registers_ != 0 && steps_ != 0;
  }
  std::uint32_t threads() const { return shape_.row_threads * shape_.column_threads; }

  // ---- levels ----

  /// What a level is; all others have one iteration.
  enum class Place { kOuter, kLoop, kThread, kInner, kAbsent };
  Place PlaceOf(const Dimension& dim) const {
    const LogicalDim& axis = RecipeWriter::AxisOf(dim);
    const std::string_view name = axis.axis_name();
    const bool is_of_tile = name == rows_ || name == keys_ || name == columns_;
    if (!is_of_tile && name != depth_) return dim.level == 0 ? Place::kOuter : Place::kAbsent;
    if (dim.level == Last(axis)) return Place::kInner;
    if (dim.level == Last(axis) - 1) {
      const bool is_thread = is_of_tile && !(name == keys_ && dim.inst == second_->id);
      return is_thread ? Place::kThread : Place::kLoop;
    }
    return dim.level == 0 && (name == rows_ || name == keys_) ? Place::kOuter : Place::kAbsent;
  }

  void SizesAndKinds(const Instruction& main) {
    for (const LogicalDim* axis : ir::AxesOf(f_, main)) {
      const std::string_view name = axis->axis_name();
      const std::uint32_t threads = name == rows_    ? shape_.row_threads
                                    : name == depth_ ? axis->extent / steps_
                                                     : shape_.column_threads;
      const std::uint32_t registers = name == rows_      ? row_registers_
                                      : name == keys_    ? key_registers_
                                      : name == columns_ ? column_registers_
                                                         : steps_;
      for (const DimId id : axis->dims) {
        const Dimension& dim = f_.dim(id);
        switch (PlaceOf(dim)) {
          case Place::kOuter: {
            const bool is_of_tile = name == rows_ || name == keys_;
            Size(dim, is_of_tile ? axis->extent / threads / registers : axis->extent);
            Kind(dim, {name == keys_ ? kLoop : kBlock});
            break;
          }
          case Place::kLoop:
            Size(dim, threads);
            Kind(dim, {kLoop});
            break;
          case Place::kThread:
            Size(dim, threads);
            Kind(dim, {kThread});
            break;
          case Place::kInner:
            Size(dim, registers);
            Kind(dim, {kUnroll});
            break;
          case Place::kAbsent:
            Size(dim, 1);
            break;
        }
      }
    }
  }

  /// Along the loops around a tile, of rows or of keys, all is one loop.
  bool IsAround(const Dimension& dim, const Communication& copy) const {
    const std::string_view name = RecipeWriter::AxisOf(dim).axis_name();
    if (dim.level != 0 || name == depth_ || name == columns_) return false;
    return name != keys_ || AxisOf(f_.inst(copy.consumer), keys_) != nullptr;
  }

  void Copy(const Communication& copy) {
    for (const DimPair& pair : f_.pairs_of(copy)) {
      if (IsAround(f_.dim(pair.src), copy)) Map(pair, {kMergeMap});
    }
    const Instruction& consumer = f_.inst(copy.consumer);
    std::vector<CopiedSide> sides;
    for (const LogicalDim* axis : ir::AxesOf(f_, consumer)) {
      if (ir::ProducersAxis(f_, copy, *axis) == nullptr) continue;
      const std::string_view name = axis->axis_name();
      if (name == rows_) sides.push_back({axis, shape_.row_threads * row_registers_});
      if (name == keys_) sides.push_back({axis, shape_.column_threads * key_registers_});
      if (name == columns_ || name == depth_) sides.push_back({axis, axis->extent});
    }
    if (sides.size() == 2) CopyTile(copy, sides[0], sides[1], threads());
  }

  void Travel(const Communication& comm) {
    for (const DimPair& pair : f_.pairs_of(comm)) {
      const Place from = PlaceOf(f_.dim(pair.src)), to = PlaceOf(f_.dim(pair.dst));
      if (to == Place::kAbsent) continue;
      if (from == Place::kThread && to == Place::kLoop) {
        Map(pair, {kNotMapped});
      } else if (to == Place::kThread) {
        Map(pair, {kThreadMap, kMergeMap});
      } else if (to == Place::kInner) {
        Map(pair, {kUnrollMap, kMergeMap});
      } else {
        Map(pair, {kMergeMap});
      }
    }
  }

  /// Blocks, the loop over keys, threads, loops of the product, its steps, registers.
  void NestLoops(const Instruction& main) {
    Dims blocks, keys, threads, loops, steps, registers;
    for (const DimId id : main.dims) {
      const Dimension& dim = f_.dim(id);
      const bool is_key = RecipeWriter::AxisOf(dim).axis_name() == keys_;
      const Place place = PlaceOf(dim);
      if (place == Place::kOuter) (is_key ? keys : blocks).push_back(&dim);
      if (place == Place::kThread) threads.push_back(&dim);
      if (place == Place::kLoop) loops.push_back(&dim);
      if (place == Place::kInner) (dim.is_reduction ? steps : registers).push_back(&dim);
    }
    Nest({blocks, keys, threads, loops, steps, registers});
    if (!registers.empty()) first_copies_.emplace_back(&main, registers.front());
  }

  /// What a thread needs of a step is read right before its products, along registers of the
  /// result.
  void Fragments(const Communication& operand) {
    const Communication::Lowered& lowered = *operand.lowered;
    const Instruction& consumer = f_.inst(operand.consumer);
    for (const DimPair& pair : f_.pairs_of(f_.comm(lowered.load_comm))) {
      const Dimension& dim = f_.dim(pair.dst);
      const Place place = PlaceOf(dim);
      if (place == Place::kAbsent) continue;
      const bool is_copied = place == Place::kInner && !dim.is_reduction;
      Map(pair, {is_copied ? kUnrollMap : kMergeMap});
    }
    for (const auto& [main, copy] : first_copies_) {
      if (main->id == consumer.id) Order(f_.inst(lowered.load), *copy, kBefore);
    }
    for (const LogicalDim* axis : ir::ResultAxes(f_, consumer)) {
      const LogicalDim* const read = ir::ProducersAxis(f_, operand, *axis);
      const std::string_view name = axis->axis_name();
      if (read == nullptr || (name != rows_ && name != keys_ && name != columns_)) continue;
      StoreAlong(f_.block(lowered.block), 1, Innermost(*read));
    }
    if (consumer.id == first_->id && AxisOf(consumer, rows_) != nullptr &&
        ir::ProducersAxis(f_, operand, *AxisOf(consumer, rows_)) != nullptr) {
      // Rows are the same for all tiles of keys.
      Order(f_.inst(lowered.store), Level(*AxisOf(consumer, keys_), 0), kBefore);
    }
  }

  const RunningShape& shape_;
  std::uint32_t row_registers_ = 0, key_registers_ = 0, column_registers_ = 0, steps_ = 0;
  /// By product: the outermost of a thread's own loops over results.
  std::vector<std::pair<const Instruction*, const Dimension*>> first_copies_;
};

}  // namespace

std::vector<Recipe> RunningTileRecipes(const ir::Target& function) {
  if (function.device.max_threads <= 1) return {};
  const std::vector<std::uint32_t> registers = {8, 4, 2, 1};
  // With four steps at once the large tiles would be more code than a GPU may have.
  const RunningShape large = {.name = "running tiles",
                              .row_threads = 16,
                              .column_threads = 16,
                              .rows = {8},
                              .keys = {4, 2, 1},
                              .columns = registers,
                              .steps = {2, 1}};
  RunningShape small = large, least = large;
  small.name = "small running tiles";
  small.rows = {4, 2, 1};
  small.steps = {4, 2, 1};
  least = small;
  least.name = "least running tiles";
  least.row_threads = least.column_threads = 8;
  least.columns = {16, 8, 4, 2, 1};
  std::vector<Recipe> recipes;
  for (const RunningShape& shape : {large, small, least}) {
    if (std::optional<Recipe> recipe = RunningTileWriter(function, shape).Write()) {
      recipes.push_back(std::move(*recipe));
    }
  }
  return recipes;
}

}  // namespace exh::kernels

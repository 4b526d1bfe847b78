// SPDX-License-Identifier: MIT
//
// A block has rows, each of its warps 16 or 32 of them. What a warp computes stays in its
// registers: its fragments of q, read once, or in each iteration from shared memory; scores of a
// tile of keys, their maximum, the terms e, which are the operand of the second product; and its
// rows of the result.
//
//   axis             levels, from the outermost one on
//   i, rows          blocks, warps, copies, the rows of the unit
//   j, keys          the loop that the maximum runs in, copies, the columns of the first product,
//                    which are the depth of the second one
//   o, columns       copies and the columns of the unit
//   p, depth         copies, the depth of the unit
//
// Tiles of k and v go through shared memory, in rings where the device copies asynchronously.
#include "kernels/recipes/running/units.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "kernels/recipes/running/running_writer.h"

namespace exh::kernels {
namespace {

/// What is tried.
struct RunningUnit {
  const char* name;
  std::uint32_t warps = 4, row_copies = 1;
  std::uint32_t keys = 64;   ///< Of a tile.
  std::uint32_t stages = 2;  ///< Tiles of k, and of v, in shared memory; 1: no rings.
  std::uint32_t blocks = 1;  ///< That a multiprocessor is to hold.
  bool keeps_rows = true;    ///< Fragments of q are in registers from before the loop on.
};

class RunningUnitWriter : RunningWriter {
 public:
  RunningUnitWriter(const Target& function, const RunningUnit& unit)
      : RunningWriter(function), unit_(unit) {}

  /// Nothing: the kernel is none that the recipe is for.
  std::optional<Recipe> Write() {
    if (!FindProducts() || !HaveUnits() || !FindLevels() || !FindCopied()) return std::nullopt;
    for (const Instruction* product : {first_, second_}) Want(Of("unit", *product), {ir::kMma});
    Want("pace", {kPaceRunning});
    for (const Communication* copy : copied_) {
      Want(Of("tiles", *copy), {kOwnTiles});
      Want(Of("thread_layout", f_.phase(f_.inst(copy->producer).phase)), {kOwnLayout});
    }
    Want("tiles", {kSameTiles});
    Want("thread_layout", {kSharedLayout});
    for (const Instruction* main : {first_, top_, second_}) SizesAndKinds(*main);
    for (const Communication* copy : copied_) Copy(*copy);
    NoOtherLevels();
    Want("across_blocks", {kNotAcross});
    for (const Communication& comm : f_.comms) {
      const bool is_copied = std::ranges::find(copied_, &comm) != copied_.end();
      if (comm.planned || is_copied) continue;
      Travel(comm, [&](const Dimension& dim) { return TogetherIn(dim); });
    }
    for (const Instruction* main : {first_, top_, second_}) NestLoops(*main);
    for (const Communication* copy : copied_) Fragments(*copy);
    for (const Communication* operand : ir::OperandsOf(f_, *first_)) {
      const bool is_copied = std::ranges::find(copied_, operand) != copied_.end();
      if (is_copied) continue;
      // Rows are the same for all tiles of keys.
      Order(f_.inst(operand->producer), Level(*AxisOf(*first_, keys_), 0), kBefore);
      Widest(f_.inst(operand->producer));
    }
    Want("dim_mapping", {kMergeMap, kUnrollMap, kThreadMap});
    Want("order", {kBefore, kOuter, kAfter, kInner});
    Want("vec", Widths());
    WantNumbers("min_blocks", {unit_.blocks, 1});
    return Finish(unit_.name, true);
  }

 private:
  bool HaveUnits() const {
    return f_.may_use_unit(*first_) && f_.may_use_unit(*second_) &&
           ir::UnitOf(f_, *first_) == ir::MatrixUnit::kMmaChain &&
           ir::IsOfHalves(ir::UnitOf(f_, *second_));
  }

  // ---- levels ----

  /// What a level is; all others have one iteration.
  enum class Place { kOuter, kWarp, kCopy, kPart, kAbsent };
  struct LevelUse {
    Place place = Place::kAbsent;
    std::uint32_t size = 1;
  };

  bool IsPart(const Instruction& product, std::string_view name, int level) const {
    const Dimension& dim = Level(*AxisOf(product, name), level);
    return dim.unit == product.id && dim.part != ir::FragmentPart::kNone;
  }

  /// Sizes and places of levels from the innermost one on; what is left is the outermost level.
  bool Levels(const Instruction& product, std::string_view name, std::vector<LevelUse> inner) {
    const LogicalDim& axis = *AxisOf(product, name);
    std::erase_if(inner, [](const LevelUse& use) { return use.size == 1; });
    std::vector<LevelUse>& uses = levels_[name];
    uses.assign(axis.dims.size(), {});
    std::uint32_t rest = axis.extent;
    int level = Last(axis);
    for (const LevelUse& use : inner) {
      if (level < 1 || rest % use.size != 0 || !Has(axis, level, use.size)) return false;
      if ((use.place == Place::kPart) != IsPart(product, name, level)) return false;
      rest /= use.size;
      uses[static_cast<std::size_t>(level--)] = use;
    }
    uses[0] = {rest > 1 ? Place::kOuter : Place::kAbsent, rest};
    return Has(axis, 0, rest);
  }
  bool FindLevels() {
    const ir::UnitShape &first = ir::ShapeOf(ir::UnitOf(f_, *first_)),
                        &second = ir::ShapeOf(ir::UnitOf(f_, *second_));
    const LogicalDim &depth = *AxisOf(*first_, depth_), &columns = *AxisOf(*second_, columns_);
    const std::uint32_t steps = depth.extent / first.depth.size(),
                        copies = columns.extent / second.columns.size();
    const LevelUse part = {Place::kPart, second.columns.size()}, copy = {Place::kCopy, copies};
    const bool copies_are_inside = !IsPart(*second_, columns_, Last(columns));
    const bool fits =
        Levels(*first_, rows_,
               {{Place::kPart, first.rows.size()},
                {Place::kCopy, unit_.row_copies},
                {Place::kWarp, unit_.warps}}) &&
        Levels(*first_, keys_,
               {{Place::kPart, first.columns.size()},
                {Place::kCopy, unit_.keys / first.columns.size()}}) &&
        Levels(*first_, depth_, {{Place::kPart, first.depth.size()}, {Place::kCopy, steps}}) &&
        Levels(*second_, columns_,
               copies_are_inside ? std::vector{copy, part} : std::vector{part, copy});
    // A row is a warp's as a whole, and so is what a lane reads of it.
    return fits && levels_[depth_][0].size == 1 && levels_[columns_][0].size == 1 &&
           levels_[keys_][0].size >= unit_.stages;
  }

  LevelUse UseOf(const Dimension& dim) const {
    const auto axis = levels_.find(RecipeWriter::AxisOf(dim).axis_name());
    if (axis != levels_.end()) return axis->second[static_cast<std::size_t>(dim.level)];
    if (dim.level > 0) return {};
    return {Place::kOuter, RecipeWriter::AxisOf(dim).extent};
  }

  bool MovesAlongKeys(const Communication& copy) const {
    return ir::ProducersAxis(f_, copy, *AxisOf(f_.inst(copy.consumer), keys_)) != nullptr;
  }
  /// The tile of an operand: keys or rows, and what a warp has as a whole.
  std::pair<CopiedSide, CopiedSide> SidesOf(const Communication& copy) const {
    const Instruction& product = f_.inst(copy.consumer);
    const LogicalDim& along = *AxisOf(product, &product == first_ ? depth_ : columns_);
    const CopiedSide whole = {&along, along.extent};
    if (MovesAlongKeys(copy)) return {{AxisOf(product, keys_), unit_.keys}, whole};
    const LogicalDim& rows = *AxisOf(product, rows_);
    return {{&rows, rows.extent / levels_.at(rows_)[0].size}, whole};
  }
  /// Operands that move along keys, and maybe the other one.
  bool FindCopied() {
    for (const Communication* copy : copies_) {
      const bool is_turned = MovesAlongKeys(*copy);
      if (!is_turned && unit_.keeps_rows) continue;
      if (is_turned && unit_.stages > 1 && !f_.may_copy_async(f_.block(copy->lowered->block)))
        return false;
      const auto [side, along] = SidesOf(*copy);
      const std::uint32_t elements = side.tile * along.tile;
      if (elements / (unit_.warps * ir::kUnitLanes) > f_.most_copied(f_.inst(copy->producer)))
        return false;
      copied_.push_back(copy);
    }
    return copied_.size() == (unit_.keeps_rows ? 2 : 3);
  }

  void SizesAndKinds(const Instruction& main) {
    for (const DimId id : main.dims) {
      const Dimension& dim = f_.dim(id);
      const LevelUse use = UseOf(dim);
      const bool is_key = RecipeWriter::AxisOf(dim).axis_name() == keys_;
      Size(dim, use.size);
      if (use.place == Place::kOuter) Kind(dim, {is_key ? kLoop : kBlock});
      if (use.place == Place::kWarp) Kind(dim, {kThread});
      if (use.place == Place::kCopy) Kind(dim, {kUnroll});
    }
  }

  void Copy(const Communication& copy) {
    for (const DimPair& pair : f_.pairs_of(copy)) {
      if (UseOf(f_.dim(pair.dst)).place == Place::kOuter) Map(pair, {kMergeMap});
    }
    const auto [side, along] = SidesOf(copy);
    CopyTile(copy, side, along, unit_.warps * ir::kUnitLanes);
  }

  Together TogetherIn(const Dimension& dim) const {
    const Place place = UseOf(dim).place;
    if (place == Place::kOuter) return Together::kOneLoop;
    return place == Place::kWarp ? Together::kSameThreads : Together::kOwnCopies;
  }

  /// Blocks, the loop over keys, warps, steps of the sum, copies of it.
  void NestLoops(const Instruction& main) {
    Dims blocks, keys, warps, steps, copies;
    for (const DimId id : main.dims) {
      const Dimension& dim = f_.dim(id);
      const bool is_key = RecipeWriter::AxisOf(dim).axis_name() == keys_;
      const Place place = UseOf(dim).place;
      if (place == Place::kOuter) (is_key ? keys : blocks).push_back(&dim);
      if (place == Place::kWarp) warps.push_back(&dim);
      if (place == Place::kCopy) (dim.is_reduction ? steps : copies).push_back(&dim);
    }
    Nest({blocks, keys, warps, steps, copies});
    if (!copies.empty()) first_copies_[&main] = copies.front();
  }

  /// What a warp needs of a step is read right before it.
  void Fragments(const Communication& operand) {
    const ir::MemBlock& block = f_.block(operand.lowered->block);
    const Instruction &read = f_.inst(block.load), &load = f_.inst(operand.producer);
    const Instruction& product = f_.inst(operand.consumer);
    for (std::size_t i = 0; i < operand.pairs.size(); ++i) {
      const Dimension &to = f_.dim(f_.pair(operand.pairs[i]).dst), &dim = f_.dim(read.dims[i]);
      const Place place = UseOf(to).place;
      const bool is_step = place == Place::kCopy && to.is_reduction;
      if (place == Place::kOuter || place == Place::kWarp || is_step) Order(dim, to, kMerged);
      if (place == Place::kCopy && !is_step) Kind(dim, {kUnroll});
    }
    const auto copy = first_copies_.find(&product);
    if (copy != first_copies_.end()) Order(read, *copy->second, kBefore);
    Widest(load);
    Widest(f_.inst(block.store));
    Widest(read);
    for (const ir::Axis& axis : f_.axes_of(block)) {
      if (f_.is_copied_along(axis)) WantNumbers(Of("rank", block, axis), {1});
    }
    Want(Of("mem_space", block), {kShared});
    Want(Of("skew", block), {ir::kXor, ir::kPad16Bytes, ir::kPad4Bytes, kPlain});
    if (!MovesAlongKeys(operand)) {  // The same for all tiles of keys.
      return Order(f_.inst(block.store), Level(*AxisOf(*first_, keys_), 0), kBefore);
    }
    if (unit_.stages == 1) return;
    Want(Of("transfer", block), {kAsync});
    WantNumbers(Of("stages", block), {unit_.stages});
    Want(Of("cache", load), {ir::kCacheGlobal, ir::kCacheDefault});
  }

  const RunningUnit& unit_;
  std::map<std::string_view, std::vector<LevelUse>> levels_;  ///< By axis, from level 0 on.
  std::vector<const Communication*> copied_;                  ///< Through shared memory.
  std::map<const Instruction*, const Dimension*> first_copies_;
};

}  // namespace

std::vector<Recipe> RunningUnitRecipes(const ir::Target& function) {
  std::vector<Recipe> recipes;
  const auto add = [&](const RunningUnit& unit) {
    if (auto recipe = RunningUnitWriter(function, unit).Write()) {
      recipes.push_back(std::move(*recipe));
    }
  };
  const bool has_rings = function.device.max_stages > 1 && function.device.async_copies;
  if (has_rings) {
    add({.name = "running units", .row_copies = 1, .blocks = 2});
    add({.name = "high running units", .row_copies = 2});
    add({.name = "high running units, rows in memory", .row_copies = 2, .keeps_rows = false});
    add({.name = "high running units, few keys", .row_copies = 2, .keys = 32, .keeps_rows = false});
    add({.name = "wide running units", .warps = 8, .row_copies = 1});
    add({.name = "long running units", .row_copies = 1, .keys = 128});
    add({.name = "low running units", .row_copies = 1, .keys = 32, .blocks = 2});
  }
  add({.name = "running units without rings", .stages = 1});
  return recipes;
}

}  // namespace exh::kernels

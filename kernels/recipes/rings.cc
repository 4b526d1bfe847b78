// SPDX-License-Identifier: MIT
//
// A product of two arguments on a device that copies asynchronously: tiles of both go to shared
// memory, into rings of three slots, as they lie in the arguments. Threads have rows and columns of
// the result, each some elements in registers, and meet once for each tile.
#include "kernels/recipes/rings.h"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/recipes/recipe_writer.h"

namespace exh::kernels {
namespace {

constexpr std::uint32_t kStages = 3;
constexpr std::uint32_t kThreads = 16;   ///< Along either axis of the result.
constexpr std::uint32_t kRegisters = 4;  ///< Neighbours of a thread, along either axis.
constexpr std::uint64_t kManyBlocks = 128;

/// The part of an axis of the result that a block has.
struct Part {
  const ir::LogicalDim* axis = nullptr;
  std::uint32_t copies = 1;
  std::uint32_t tile() const { return copies * kThreads * kRegisters; }
};

/// An argument, and how the block's threads copy a tile of it.
struct Operand {
  const ir::Communication* comm = nullptr;
  const ir::Instruction* load = nullptr;
  /// Of the load: the axis of neighbours in memory, and the other one.
  const ir::LogicalDim *along = nullptr, *across = nullptr;
  bool is_along_sum = false;  ///< That of neighbours is the one that is summed over.
  std::uint32_t lanes = 1;
  std::uint32_t along_threads = 1, across_threads = 1, across_copies = 1;
};

class RingWriter : RecipeWriter {
 public:
  explicit RingWriter(const Target& function) : RecipeWriter(function) {}

  std::optional<Recipe> Write() {
    if (f_.device.max_stages < kStages || !FindProduct() || !FindTiles()) return std::nullopt;
    Want(Of("unit", *sum_), {kFma});
    for (const Operand& operand : operands_) {
      Want(Of("tiles", *operand.comm), {kOwnTiles});
      Want(Of("thread_layout", f_.phase(operand.load->phase)), {kOwnLayout});
    }
    Want("tiles", {kSameTiles});
    Want("thread_layout", {kSharedLayout});
    Sizes();
    Kinds();
    Want(Of("across_blocks", *sum_), {kNotAcross});
    for (const Operand& operand : operands_) {
      for (const DimPair& pair : f_.pairs_of(*operand.comm)) {
        Map(pair, {f_.dim(pair.dst).level == 0 ? kMergeMap : kNotMapped});
      }
    }
    NestLoops();
    for (const Operand& operand : operands_) Ring(operand);
    return Finish("rings", true);
  }

 private:
  /// The level of an axis, counted from the innermost one on; null: it has fewer, or that is the
  /// outermost one.
  const Dimension* Inside(const LogicalDim& axis, int from_inside) const {
    const int level = Last(axis) - from_inside;
    return level > 0 ? &Level(axis, level) : nullptr;
  }
  bool MayHave(const LogicalDim& axis, int from_inside, std::uint32_t size) const {
    const Dimension* const dim = Inside(axis, from_inside);
    return dim == nullptr ? size == 1 : ir::HasSize(*dim, size);
  }

  /// The only reduction, of products of two arguments with an axis each that the other has not.
  bool FindProduct() {
    sum_ = ir::OnlySumOfProducts(f_);
    if (sum_ == nullptr) return false;
    for (const Communication* comm : ir::OperandsOf(f_, *sum_)) {
      if (!comm->lowered || !f_.may_copy_async(f_.block(comm->lowered->block))) return false;
      operands_.push_back({.comm = comm, .load = &f_.inst(comm->producer)});
    }
    if (operands_.size() != 2) return false;
    const auto moves = [&](const Operand& operand, const LogicalDim* axis) {
      return ir::ProducersAxis(f_, *operand.comm, *axis) != nullptr;
    };
    const auto reduced = ir::ReducedAxes(f_, *sum_);
    if (reduced.size() != 1) return false;
    summed_ = reduced.front();
    for (const LogicalDim* axis : ir::ResultAxes(f_, *sum_)) {
      const bool is_of_first = moves(operands_[0], axis);
      if (is_of_first == moves(operands_[1], axis)) continue;
      Part& part = parts_[is_of_first ? 0 : 1];
      if (part.axis != nullptr) return false;
      part.axis = axis;
    }
    return moves(operands_[0], summed_) && moves(operands_[1], summed_) &&
           parts_[0].axis != nullptr && parts_[1].axis != nullptr;
  }

  /// The largest tiles that make enough blocks.
  bool FindTiles() {
    constexpr std::array<std::array<std::uint32_t, 2>, 3> kCopies = {{{2, 2}, {2, 1}, {1, 1}}};
    for (const auto& copies : kCopies) {
      std::uint64_t blocks = 1;
      bool fits = true;
      for (std::size_t i = 0; i < 2; ++i) {
        parts_[i].copies = copies[i];
        const LogicalDim& axis = *parts_[i].axis;
        fits = fits && axis.extent % parts_[i].tile() == 0 && MayHave(axis, 0, kRegisters) &&
               MayHave(axis, 1, kThreads) && MayHave(axis, 2, copies[i]);
        blocks *= axis.extent / parts_[i].tile();
      }
      if (!fits || !FindSteps()) continue;
      if (blocks >= kManyBlocks || copies == kCopies.back()) return true;
    }
    return false;
  }
  bool FindSteps() {
    for (const std::uint32_t steps : {32u, 16u, 8u, 4u}) {
      const bool turns = summed_->extent % steps == 0 && summed_->extent / steps >= kStages;
      steps_ = steps;
      if (turns && MayHave(*summed_, 0, steps) && FindCopies(operands_[0], parts_[0]) &&
          FindCopies(operands_[1], parts_[1]) && FitsCode()) {
        return true;
      }
    }
    return false;
  }
  /// Copies of instructions that unrolling makes.
  bool FitsCode() const {
    const std::uint32_t rows = parts_[0].copies * kRegisters,
                        columns = parts_[1].copies * kRegisters;
    std::uint32_t code = steps_ * (rows * columns + rows + columns);
    for (const Operand& operand : operands_) code += 2 * operand.lanes * operand.across_copies;
    for (const Instruction& inst : f_.insts) {
      const bool is_of_result = !inst.planned && f_.counts_as_code(inst) && inst.id != sum_->id &&
                                inst.id != operands_[0].load->id &&
                                inst.id != operands_[1].load->id;
      if (is_of_result) code += rows * columns;
    }
    const std::uint32_t most = f_.limits_code() ? f_.device.max_code : code;
    return code <= most && steps_ * rows * columns <= f_.device.max_unroll;
  }
  /// How threads share a tile: neighbours in memory to neighbouring threads.
  bool FindCopies(Operand& operand, const Part& part) const {
    const LogicalDim* const summed = ir::ProducersAxis(f_, *operand.comm, *summed_);
    const LogicalDim* const other = ir::ProducersAxis(f_, *operand.comm, *part.axis);
    const ir::Refs<Dimension> contiguous = f_.contiguous_dim(*operand.load);
    operand.is_along_sum = contiguous.empty() || contiguous.front().get().logical == summed->id;
    operand.along = operand.is_along_sum ? summed : other;
    operand.across = operand.is_along_sum ? other : summed;
    const std::uint32_t along = operand.is_along_sum ? steps_ : part.tile();
    const std::uint32_t across = operand.is_along_sum ? part.tile() : steps_;
    const auto copied = f_.async_lanes(f_.block(operand.comm->lowered->block));
    operand.lanes = 0;
    for (const std::uint32_t lanes : f_.vec_universe(*operand.load)) {
      const bool is_copy = std::ranges::find(copied, lanes) != copied.end();
      if (is_copy && along % lanes == 0) operand.lanes = std::max(operand.lanes, lanes);
    }
    if (operand.lanes == 0) return false;
    operand.along_threads = along / operand.lanes;
    if (operand.along_threads > kThreads * kThreads) return false;
    operand.across_threads = std::min(across, kThreads * kThreads / operand.along_threads);
    if (across % operand.across_threads != 0) return false;
    operand.across_copies = across / operand.across_threads;
    const bool is_wide = operand.lanes > 1;
    return MayHave(*operand.along, 0, is_wide ? operand.lanes : operand.along_threads) &&
           (!is_wide || MayHave(*operand.along, 1, operand.along_threads)) &&
           MayHave(*operand.across, 0, operand.across_threads) &&
           MayHave(*operand.across, 1, operand.across_copies);
  }

  /// Of the levels of an axis from the innermost one on, all but the outermost.
  void SizesOf(const LogicalDim& axis, std::vector<std::uint32_t> sizes) {
    sizes.resize(axis.dims.size(), 1);
    for (int inside = 0; inside < Last(axis); ++inside) {
      Size(*Inside(axis, inside), sizes[static_cast<std::size_t>(inside)]);
    }
  }
  void Sizes() {
    for (const Part& part : parts_) SizesOf(*part.axis, {kRegisters, kThreads, part.copies});
    SizesOf(*summed_, {steps_});
    for (const Operand& o : operands_) {
      SizesOf(*o.along,
              o.lanes > 1 ? std::vector{o.lanes, o.along_threads} : std::vector{o.along_threads});
      SizesOf(*o.across, {o.across_threads, o.across_copies});
    }
    NoOtherLevels();
  }

  void Kinds() {
    for (const LogicalDim* axis : ir::AxesOf(f_, *sum_)) {
      Kind(Level(*axis, 0), {ir::IsReduced(f_, *axis) ? kLoop : kBlock});
    }
    const auto threads = [&](const Dimension* dim) {
      if (dim != nullptr) Kind(*dim, {kThread});
    };
    for (const Part& part : parts_) threads(Inside(*part.axis, 1));
    for (const Dimension& dim : f_.own_dims(*sum_)) Kind(dim, {kUnroll});
    for (const Operand& operand : operands_) {
      threads(Threads(operand));
      threads(Inside(*operand.across, 0));
      for (const Dimension& dim : f_.own_dims(*operand.load)) {
        if (dim.level != 0) Kind(dim, {kUnroll});
      }
    }
  }
  /// The threads along neighbours in memory.
  const Dimension* Threads(const Operand& operand) const {
    return Inside(*operand.along, operand.lanes > 1 ? 1 : 0);
  }

  /// Blocks, the loop over tiles, threads, the steps of a tile, registers.
  void NestLoops() {
    Dims all;
    for (const LogicalDim* axis : ir::ResultAxes(f_, *sum_)) all.push_back(&Level(*axis, 0));
    all.push_back(&Level(*summed_, 0));
    for (const Part& part : parts_) all.push_back(Inside(*part.axis, 1));
    all.push_back(Inside(*summed_, 0));
    for (const Part& part : parts_) {
      if (part.copies > 1) all.push_back(Inside(*part.axis, 2));
      all.push_back(Inside(*part.axis, 0));
    }
    Nest({all});
  }

  void Ring(const Operand& operand) {
    const Communication& comm = *operand.comm;
    const ir::MemBlock& block = f_.block(comm.lowered->block);
    const Instruction &store = f_.inst(block.store), &load = f_.inst(block.load);
    if (const Dimension* const threads = Threads(operand)) {
      Order(*Inside(*operand.across, 0), *threads, kOuter);
    }
    for (std::size_t i = 0; i < comm.pairs.size(); ++i) {
      const DimPair& pair = f_.pair(comm.pairs[i]);
      const Dimension &src = f_.dim(pair.src), &dst = f_.dim(pair.dst);
      const Dimension& loaded = f_.dim(load.dims[i]);
      Order(f_.dim(store.dims[i]), src, kMerged);
      const bool is_in_registers = &dst != Inside(AxisOf(dst), 1) && !dst.is_reduction;
      if (dst.level != 0 && is_in_registers) {
        Kind(loaded, {kUnroll});
      } else {
        Order(loaded, dst, kMerged);
      }
    }
    // Values are read right before they are used.
    Order(load, *Inside(*parts_[0].axis, parts_[0].copies > 1 ? 2 : 0), kBefore);
    Want(Of("mem_space", block), {kShared});
    WantNumbers(Of("vec", *operand.load), {operand.lanes});
    WantNumbers(Of("vec", store), {operand.lanes});
    Want(Of("transfer", block), {kAsync});
    Want(Of("cache", *operand.load), {ir::kCacheGlobal, ir::kCacheDefault});
    WantNumbers(Of("stages", block), {kStages});
    for (const ir::Axis& axis : f_.axes_of(block)) {
      if (f_.is_copied_along(axis)) WantNumbers(Of("rank", block, axis), {1});
    }
    // Threads read down the columns of what lies along the sum. At 1024 x 1024 x 1024 on an H200 an
    // exclusive or leaves 53 us, a pad 55 us.
    Want(Of("skew", block),
         operand.is_along_sum ? Names{ir::kXor, ir::kPad16Bytes, kPlain} : Names{kPlain});
  }

  const Instruction* sum_ = nullptr;
  const LogicalDim* summed_ = nullptr;
  std::array<Part, 2> parts_;  ///< Those of the operands.
  std::vector<Operand> operands_;
  std::uint32_t steps_ = 1;
};

}  // namespace

std::optional<Recipe> RingRecipe(const ir::Target& function) {
  return RingWriter(function).Write();
}

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
//
// A product of two arguments on a device that copies asynchronously: tiles of both go to shared
// memory, into rings of three slots, as they lie in the arguments. Threads have rows and columns of
// the result, each some elements in registers, and meet once for each tile.
#include "kernels/recipes/rings.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/recipes/rest.h"

namespace exh::kernels {
namespace {

using ir::Communication;
using ir::Dimension;
using ir::DimId;
using ir::Instruction;
using ir::LogicalDim;
using ir::LogicalDimId;
using ir::Target;

constexpr std::uint32_t kStages = 3;
constexpr std::uint32_t kThreads = 16;   ///< Along either axis of the result.
constexpr std::uint32_t kRegisters = 4;  ///< Neighbours of a thread, along either axis.
constexpr std::uint64_t kManyBlocks = 128;

/// The part of an axis of the result that a block has.
struct Part {
  const LogicalDim* axis = nullptr;
  std::uint32_t copies = 1;
  std::uint32_t tile() const { return copies * kThreads * kRegisters; }
};

/// An argument, and how the block's threads copy a tile of it.
struct Operand {
  const Communication* comm = nullptr;
  const Instruction* load = nullptr;
  LogicalDimId along,
      across;                 ///< Of the load: the axis of neighbours in memory, and the other one.
  bool is_along_sum = false;  ///< That of neighbours is the one that is summed over.
  std::uint32_t lanes = 1;
  std::uint32_t along_threads = 1, across_threads = 1, across_copies = 1;
};

class RingWriter {
 public:
  explicit RingWriter(const Target& function) : f_(function) {}

  std::optional<Recipe> Write() {
    if (f_.device.max_stages < kStages || !FindProduct() || !FindTiles()) return std::nullopt;
    recipe_.name = "rings";
    WantOf("unit", sum_->name(), {"FMA"});
    for (const Operand& operand : operands_) {
      WantOf("tiles", operand.comm->name(), {"OWN_TILES"});
      WantOf("thread_layout", f_.phase(operand.load->phase).name(), {"OWN_LAYOUT"});
    }
    Want("tiles", {"SAME_TILES"});
    Want("thread_layout", {"SHARED_LAYOUT"});
    Sizes();
    Kinds();
    WantOf("across_blocks", sum_->name(), {"NOT_ACROSS"});
    for (const Operand& operand : operands_) Travel(operand);
    Nest();
    for (const Operand& operand : operands_) Ring(operand);
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
  void Order(const std::string& a, const std::string& b, const char* value) {
    WantOf("order", a + "," + b, {value});
  }
  /// The level of an axis, counted from the innermost one on; null: it has fewer, or that is the
  /// outermost one.
  const Dimension* Level(LogicalDimId axis, std::size_t from_inside) const {
    const std::vector<DimId>& dims = f_.logical(axis).dims;
    return from_inside + 1 < dims.size() ? &f_.dim(dims[dims.size() - 1 - from_inside]) : nullptr;
  }
  bool MayHave(LogicalDimId axis, std::size_t from_inside, std::uint32_t size) const {
    const Dimension* const dim = Level(axis, from_inside);
    return dim == nullptr ? size == 1 : std::ranges::find(dim->sizes, size) != dim->sizes.end();
  }

  /// The only reduction, of products of two arguments with an axis each that the other has not.
  bool FindProduct() {
    for (const Instruction& inst : f_.insts) {
      if (!inst.is_reduction()) continue;
      if (sum_ != nullptr || inst.op != ir::Op::kMad) return false;
      sum_ = &inst;
    }
    if (sum_ == nullptr) return false;
    for (const Communication& comm : f_.comms) {
      if (comm.consumer != sum_->id || comm.planned || comm.is_init) continue;
      if (!comm.lowered || !f_.may_copy_async(f_.block(comm.lowered->block))) return false;
      operands_.push_back({.comm = &comm, .load = &f_.inst(comm.producer)});
    }
    if (operands_.size() != 2) return false;
    for (const DimId id : sum_->dims) {
      const LogicalDim& axis = f_.logical(f_.dim(id).logical);
      if (f_.dim(id).level != 0) continue;
      const bool is_of_first = Of(operands_[0], axis.id).valid();
      const bool is_of_second = Of(operands_[1], axis.id).valid();
      if (f_.dim(id).is_reduction) {
        if (summed_ != nullptr || !is_of_first || !is_of_second) return false;
        summed_ = &axis;
      } else if (is_of_first != is_of_second) {
        Part& part = parts_[is_of_first ? 0 : 1];
        if (part.axis != nullptr) return false;
        part.axis = &axis;
      }
    }
    return summed_ != nullptr && parts_[0].axis != nullptr && parts_[1].axis != nullptr;
  }
  /// The axis of an operand's load that is the one of the sum; invalid: there is none.
  LogicalDimId Of(const Operand& operand, LogicalDimId axis) const {
    for (const ir::PairId id : operand.comm->pairs) {
      const ir::DimPair& pair = f_.pair(id);
      if (f_.dim(pair.dst).logical == axis) return f_.dim(pair.src).logical;
    }
    return {};
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
        fits = fits && axis.extent % parts_[i].tile() == 0 && MayHave(axis.id, 0, kRegisters) &&
               Level(axis.id, 1) != nullptr && MayHave(axis.id, 1, kThreads) &&
               MayHave(axis.id, 2, copies[i]);
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
      if (turns && MayHave(summed_->id, 0, steps) && FindCopies(operands_[0], parts_[0]) &&
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
    const LogicalDimId summed = Of(operand, summed_->id), other = Of(operand, part.axis->id);
    const ir::Refs<Dimension> contiguous = f_.contiguous_dim(*operand.load);
    operand.is_along_sum = contiguous.empty() || contiguous.front().get().logical == summed;
    operand.along = operand.is_along_sum ? summed : other;
    operand.across = operand.is_along_sum ? other : summed;
    const std::uint32_t along = operand.is_along_sum ? steps_ : part.tile();
    const std::uint32_t across = operand.is_along_sum ? part.tile() : steps_;
    operand.lanes = 0;
    for (const std::uint32_t lanes : f_.vec_universe(*operand.load)) {
      const std::vector<std::uint32_t> copied =
          f_.async_lanes(f_.block(operand.comm->lowered->block));
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
    return MayHave(operand.along, 0, is_wide ? operand.lanes : operand.along_threads) &&
           (!is_wide || MayHave(operand.along, 1, operand.along_threads)) &&
           MayHave(operand.across, 0, operand.across_threads) &&
           MayHave(operand.across, 1, operand.across_copies);
  }

  /// Of the levels of an axis from the innermost one on, all but the outermost.
  void SizesOf(LogicalDimId axis, std::vector<std::uint32_t> sizes) {
    sizes.resize(f_.logical(axis).dims.size(), 1);
    for (std::size_t level = 0; level < sizes.size(); ++level) {
      const Dimension* const dim = Level(axis, level);
      if (dim != nullptr) WantOf("size", dim->name(), {std::to_string(sizes[level])});
    }
  }
  void Sizes() {
    for (const Part& part : parts_) SizesOf(part.axis->id, {kRegisters, kThreads, part.copies});
    SizesOf(summed_->id, {steps_});
    for (const Operand& o : operands_) {
      SizesOf(o.along,
              o.lanes > 1 ? std::vector{o.lanes, o.along_threads} : std::vector{o.along_threads});
      SizesOf(o.across, {o.across_threads, o.across_copies});
    }
    Want("size", {"1"});
  }

  void KindOf(const Dimension* dim, const char* kind) {
    if (dim != nullptr) WantOf("dim_kind", dim->name(), {kind});
  }
  void Kinds() {
    for (const DimId id : sum_->dims) {
      const Dimension& dim = f_.dim(id);
      if (dim.level == 0) KindOf(&dim, dim.is_reduction ? "LOOP" : "BLOCK");
    }
    for (const Part& part : parts_) KindOf(Level(part.axis->id, 1), "THREAD");
    for (const DimId id : sum_->dims) KindOf(&f_.dim(id), "UNROLL");
    for (const Operand& operand : operands_) {
      KindOf(Threads(operand), "THREAD");
      KindOf(Level(operand.across, 0), "THREAD");
      for (const DimId id : operand.load->dims) {
        if (f_.dim(id).level != 0) KindOf(&f_.dim(id), "UNROLL");
      }
    }
  }
  /// The threads along neighbours in memory.
  const Dimension* Threads(const Operand& operand) const {
    return Level(operand.along, operand.lanes > 1 ? 1 : 0);
  }

  void Travel(const Operand& operand) {
    for (const ir::PairId id : operand.comm->pairs) {
      const ir::DimPair& pair = f_.pair(id);
      WantOf("dim_mapping", pair.name(),
             {f_.dim(pair.dst).level == 0 ? "MERGE_MAP" : "NOT_MAPPED"});
    }
  }

  /// Blocks, the loop over tiles, threads, the steps of a tile, registers.
  void Nest() {
    std::vector<const Dimension*> all;
    for (const DimId id : sum_->dims) {
      const Dimension& dim = f_.dim(id);
      if (dim.level == 0 && !dim.is_reduction) all.push_back(&dim);
    }
    all.push_back(&f_.dim(summed_->dims.front()));
    for (const Part& part : parts_) all.push_back(Level(part.axis->id, 1));
    all.push_back(Level(summed_->id, 0));
    for (const Part& part : parts_) {
      if (part.copies > 1) all.push_back(Level(part.axis->id, 2));
      all.push_back(Level(part.axis->id, 0));
    }
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      Order(all[i]->name(), all[i + 1]->name(), "OUTER");
    }
  }

  void Ring(const Operand& operand) {
    const Communication& comm = *operand.comm;
    const ir::MemBlock& block = f_.block(comm.lowered->block);
    const Instruction& store = f_.inst(block.store);
    const Instruction& load = f_.inst(block.load);
    if (const Dimension* const threads = Threads(operand)) {
      Order(Level(operand.across, 0)->name(), threads->name(), "OUTER");
    }
    for (std::size_t i = 0; i < comm.pairs.size(); ++i) {
      const ir::DimPair& pair = f_.pair(comm.pairs[i]);
      const Dimension &src = f_.dim(pair.src), &dst = f_.dim(pair.dst);
      const std::string& stored = f_.dim(store.dims[i]).name();
      const std::string& loaded = f_.dim(load.dims[i]).name();
      Order(stored, src.name(), "MERGED");
      const bool is_in_registers = &dst != Level(dst.logical, 1) && !dst.is_reduction;
      if (dst.level != 0 && is_in_registers) {
        WantOf("dim_kind", loaded, {"UNROLL"});
      } else {
        Order(loaded, dst.name(), "MERGED");
      }
    }
    // Values are read right before they are used.
    Order(load.name(), Level(parts_[0].axis->id, parts_[0].copies > 1 ? 2 : 0)->name(), "BEFORE");
    WantOf("mem_space", block.name(), {"SHARED"});
    WantOf("vec", operand.load->name(), {std::to_string(operand.lanes)});
    WantOf("vec", store.name(), {std::to_string(operand.lanes)});
    WantOf("transfer", block.name(), {"ASYNC"});
    WantOf("cache", operand.load->name(), {"CACHE_GLOBAL", "CACHE_DEFAULT"});
    WantOf("stages", block.name(), {std::to_string(kStages)});
    for (const ir::AxisId id : block.axes) {
      const ir::Axis& axis = f_.axis(id);
      if (!f_.is_copied_along(axis)) continue;
      WantOf("rank", block.name() + "," + axis.name(), {"1"});
    }
    // Threads read down the columns of what lies along the sum. At 1024 x 1024 x 1024 on an H200 an
    // exclusive or leaves 53 us, a pad 55 us.
    if (operand.is_along_sum) {
      WantOf("skew", block.name(), {std::string(ir::kXor), std::string(ir::kPad16Bytes), "PLAIN"});
    } else {
      WantOf("skew", block.name(), {"PLAIN"});
    }
  }

  const Target& f_;
  const Instruction* sum_ = nullptr;
  const LogicalDim* summed_ = nullptr;
  std::array<Part, 2> parts_;  ///< Those of the operands.
  std::vector<Operand> operands_;
  std::uint32_t steps_ = 1;
  Recipe recipe_;
};

}  // namespace

std::optional<Recipe> RingRecipe(const Target& function) {
  return RingWriter(function).Write();
}

}  // namespace exh::kernels

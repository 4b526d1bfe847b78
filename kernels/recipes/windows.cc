// SPDX-License-Identifier: MIT
//
// An axis of the result has blocks, threads and registers, from its outermost level on. Of the axes
// that are summed up, those that meet with one of the result are loops within a window. The longest
// of the others has a loop around the window, a loop in it, and unrolled steps. All ways to divide
// the results are looked at, and the one that promises most is taken: it reads least of shared
// memory for each product, has enough blocks and threads, and copies little that it does not need.
#include "kernels/recipes/windows.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
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
using ir::Target;

constexpr double kWantedBlocks = 132, kWantedThreads = 128;
constexpr std::uint32_t kMostThreads = 256, kMostSums = 64;
constexpr std::uint32_t kWideBytes = 16;

/// An axis of the sum, and how it is divided. Levels that are absent lie around those that are
/// there.
struct Axis {
  const LogicalDim* axis = nullptr;
  bool is_reduced = false, is_pixel = false;
  std::uint32_t threads = 1, registers = 1;  ///< Of a result.
  std::uint32_t tile() const { return threads * registers; }
  std::uint32_t blocks() const { return axis->extent / tile(); }
  int last() const { return static_cast<int>(axis->dims.size()) - 1; }
  /// -1: it has none.
  int register_level() const { return registers > 1 ? last() : -1; }
  int thread_level() const {
    if (threads == 1) return -1;
    return registers > 1 ? last() - 1 : last();
  }
};

class Writer {
 public:
  explicit Writer(const Target& function) : f_(function) {}

  std::optional<Recipe> Write() {
    if (!FindSum() || !FindFactors() || !FindAxes() || !FindSteps() || !FindTiles()) {
      return std::nullopt;
    }
    recipe_.name = "windows";
    WantOf("unit", sum_->name(), {"FMA"});
    WantOf("window", window_->name(), {"WINDOW"});
    WantOf("tiles", other_->name(), {"OWN_TILES"});
    Want("tiles", {"SAME_TILES"});
    for (const Axis& axis : axes_) Divide(axis);
    for (const DimId id : f_.inst(window_->read).dims) {
      const bool is_around =
          steps_ != nullptr && f_.dim(id).level == 0 && IsPaired(id, *steps_->axis);
      if (is_around) WantOf("window_part", PartName(id), {"AROUND_WINDOW"});
    }
    Want("window_part", {"IN_WINDOW", "AROUND_WINDOW"});
    Copy();
    Want("size", {"1"});
    Want("across_blocks", {"NOT_ACROSS"});
    for (const Communication& comm : f_.comms) {
      if (!comm.planned && &comm != other_) Travel(comm);
    }
    Nest();
    Fragments();
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
  void SizeOf(const Dimension& dim, std::uint32_t size) {
    WantOf("size", dim.name(), {std::to_string(size)});
  }
  void KindOf(const Dimension& dim, const char* kind) { WantOf("dim_kind", dim.name(), {kind}); }
  std::string PartName(DimId dim) const { return window_->name() + "," + f_.dim(dim).name(); }

  bool FindSum() {
    for (const Instruction& inst : f_.insts) {
      if (inst.planned || !inst.is_reduction()) continue;
      if (sum_ != nullptr || inst.op != ir::Op::kMad) return false;
      sum_ = &inst;
    }
    return sum_ != nullptr;
  }

  /// One factor has a window, and the other one may be copied.
  bool FindFactors() {
    for (const Communication& comm : f_.comms) {
      if (comm.planned || comm.is_init || comm.consumer != sum_->id) continue;
      const Instruction& read = f_.inst(comm.producer);
      if (read.window.valid() && window_ == nullptr) {
        window_ = &f_.window(read.window);
        windowed_ = &comm;
      } else if (comm.may_lower && f_.is_copy(comm) && other_ == nullptr) {
        other_ = &comm;
      } else {
        return false;
      }
    }
    return window_ != nullptr && other_ != nullptr;
  }

  /// The axis of the read that is paired with one of the sum; null: there is none.
  const LogicalDim* MovesAlong(const Communication& comm, const LogicalDim& axis) const {
    for (const ir::PairId id : comm.pairs) {
      const DimPair& pair = f_.pair(id);
      if (f_.dim(pair.dst).logical == axis.id) return &f_.logical(f_.dim(pair.src).logical);
    }
    return nullptr;
  }
  /// Is the dim of the window's read a level of the axis of the sum?
  bool IsPaired(DimId dim, const LogicalDim& axis) const {
    const LogicalDim* const moves = MovesAlong(*windowed_, axis);
    return moves != nullptr && f_.dim(dim).logical == moves->id;
  }
  /// Does it move along a span of the window together with others?
  bool Meets(const LogicalDim& axis) const {
    const LogicalDim* const moves = MovesAlong(*windowed_, axis);
    return moves != nullptr && std::ranges::any_of(window_->spans, [&](ir::SpanId id) {
             return f_.span(id).step(moves->id) != 0 && f_.span(id).axes.size() > 1;
           });
  }

  bool FindAxes() {
    for (const DimId id : sum_->dims) {
      const Dimension& dim = f_.dim(id);
      if (dim.level != 0) continue;
      Axis axis{&f_.logical(dim.logical), dim.is_reduction};
      axis.is_pixel = !dim.is_reduction && MovesAlong(*windowed_, *axis.axis) != nullptr;
      axes_.push_back(axis);
    }
    return true;
  }

  static int Last(const LogicalDim& axis) { return static_cast<int>(axis.dims.size()) - 1; }
  const Dimension& Level(const LogicalDim& axis, int level) const {
    return f_.dim(axis.dims[static_cast<std::size_t>(level)]);
  }
  bool Has(const LogicalDim& axis, int level, std::uint32_t size) const {
    const auto& sizes = Level(axis, level).sizes;
    return std::ranges::find(sizes, size) != sizes.end();
  }

  /// The axis that is summed up piece by piece, and the pieces.
  bool FindSteps() {
    for (Axis& axis : axes_) {
      if (!axis.is_reduced || Meets(*axis.axis) || Last(*axis.axis) < 2) continue;
      if (steps_ == nullptr || steps_->axis->extent < axis.axis->extent) steps_ = &axis;
    }
    if (steps_ == nullptr) return true;
    const LogicalDim& axis = *steps_->axis;
    for (const std::uint32_t unrolled : {4u, 2u, 1u}) {
      for (const std::uint32_t rounds : {2u, 1u}) {
        const std::uint32_t piece = unrolled * rounds;
        if (unrolled == 1 && rounds > 1) continue;
        if (axis.extent % piece != 0 || !Has(axis, Last(axis), unrolled) ||
            !Has(axis, Last(axis) - 1, rounds) || !Has(axis, 0, axis.extent / piece)) {
          continue;
        }
        unrolled_ = unrolled;
        rounds_ = rounds;
        return true;
      }
    }
    return false;
  }
  /// Points of an axis of the sum in a window, or in a tile of the other factor.
  std::uint32_t TileOf(const Axis& axis) const {
    if (!axis.is_reduced) return axis.tile();
    return &axis == steps_ ? unrolled_ * rounds_ : axis.axis->extent;
  }

  double WindowElements() const {
    double elements = 1;
    for (const ir::SpanId id : window_->spans) {
      double length = 1;
      for (const Axis& axis : axes_) {
        const LogicalDim* const moves = MovesAlong(*windowed_, *axis.axis);
        if (moves == nullptr) continue;
        length += static_cast<double>(std::abs(f_.span(id).step(moves->id))) * (TileOf(axis) - 1);
      }
      elements *= length;
    }
    return elements;
  }
  double OtherElements() const {
    double elements = 1;
    for (const Axis& axis : axes_) {
      if (MovesAlong(*other_, *axis.axis) != nullptr) elements *= TileOf(axis);
    }
    return elements;
  }

  /// Less is better; nothing: it does not fit.
  std::optional<double> Cost() const {
    double pixels = 1, channels = 1, blocks = 1, threads = 1, products = 1;
    for (const Axis& axis : axes_) {
      products *= TileOf(axis);
      if (axis.is_reduced) continue;
      (axis.is_pixel ? pixels : channels) *= axis.registers;
      blocks *= axis.blocks();
      threads *= axis.threads;
    }
    const double bytes = (WindowElements() + OtherElements()) * window_->element_bytes;
    const double most_copied = f_.most_copied() * threads / 2;
    if (threads > std::min(kMostThreads, f_.device.max_threads) || pixels * channels > kMostSums ||
        pixels * channels * unrolled_ > f_.device.max_unroll / 2 ||
        bytes > f_.device.shared_bytes / 2 || OtherElements() > most_copied) {
      return std::nullopt;
    }
    constexpr double kCopied = 16;  // Of main memory, beside one of shared memory.
    const double reads =
        1 / pixels + 1 / channels + kCopied * (WindowElements() + OtherElements()) / products;
    return reads * std::max(1.0, kWantedBlocks / blocks) * std::max(1.0, kWantedThreads / threads);
  }

  bool FindTiles() {
    Try(0);
    if (best_.empty()) return false;
    axes_ = best_;
    for (Axis& axis : axes_) {
      if (steps_ != nullptr && axis.axis == steps_axis_) steps_ = &axis;
    }
    return true;
  }
  void Try(std::size_t i) {
    if (i == 0 && steps_ != nullptr) steps_axis_ = steps_->axis;
    if (i == axes_.size()) {
      const std::optional<double> cost = Cost();
      if (!cost || (!best_.empty() && *cost >= least_)) return;
      least_ = *cost;
      best_ = axes_;
      return;
    }
    Axis& axis = axes_[i];
    if (axis.is_reduced) return Try(i + 1);
    const LogicalDim& logical = *axis.axis;
    for (const std::uint32_t registers : {1u, 2u, 4u, 7u, 8u}) {
      for (const std::uint32_t threads : {1u, 2u, 4u, 7u, 8u, 14u, 16u, 32u}) {
        axis.registers = registers;
        axis.threads = threads;
        if (logical.extent % axis.tile() == 0 && HasLevels(axis)) Try(i + 1);
      }
    }
    axis.registers = axis.threads = 1;
  }

  /// Blocks are the outermost level: an axis of one level has nothing else.
  bool HasLevels(const Axis& axis) const {
    const LogicalDim& logical = *axis.axis;
    if ((axis.registers > 1) + (axis.threads > 1) > axis.last()) return false;
    const auto has = [&](int level, std::uint32_t size) {
      return level < 0 || Has(logical, level, size);
    };
    return has(axis.register_level(), axis.registers) && has(axis.thread_level(), axis.threads) &&
           Has(logical, 0, axis.blocks());
  }

  /// Iterations of a level of an axis; 1: it is absent.
  std::uint32_t SizeAt(const Axis& axis, int level) const {
    const bool is_steps = &axis == steps_;
    if (is_steps && level == axis.last()) return unrolled_;
    if (is_steps && level == axis.last() - 1) return rounds_;
    if (level == axis.register_level()) return axis.registers;
    if (level == axis.thread_level()) return axis.threads;
    if (level > 0) return 1;
    return axis.is_reduced ? axis.axis->extent / (is_steps ? unrolled_ * rounds_ : 1)
                           : axis.blocks();
  }
  const char* KindAt(const Axis& axis, int level) const {
    if (level == axis.register_level()) return "UNROLL";
    if (level == axis.thread_level()) return "THREAD";
    if (!axis.is_reduced) return "BLOCK";
    return &axis == steps_ && level == axis.last() ? "UNROLL" : "LOOP";
  }
  void Divide(const Axis& axis) {
    for (int level = axis.last(); level >= 0; --level) {
      const std::uint32_t size = SizeAt(axis, level);
      SizeOf(Level(*axis.axis, level), size);
      if (size > 1) KindOf(Level(*axis.axis, level), KindAt(axis, level));
    }
  }

  /// All threads copy the tile of the other factor: wide along what adjoins in memory, then by
  /// threads, then by copies. What is nearest in memory comes first.
  void Copy() {
    std::uint32_t threads = 1;
    std::vector<const Axis*> moving;
    for (const Axis& axis : axes_) {
      if (!axis.is_reduced) threads *= axis.threads;
      if (MovesAlong(*other_, *axis.axis) != nullptr) moving.push_back(&axis);
    }
    const auto moves = [&](const Axis* axis) -> const LogicalDim& {
      return *MovesAlong(*other_, *axis->axis);
    };
    std::ranges::sort(moving, [&](const Axis* a, const Axis* b) {
      return f_.copied_outside(Level(moves(b), 0), Level(moves(a), 0));
    });
    for (const ir::PairId id : other_->pairs) {
      const DimPair& pair = f_.pair(id);
      const Dimension& dst = f_.dim(pair.dst);
      const bool is_whole =
          dst.is_reduction && !(steps_ != nullptr && dst.logical == steps_->axis->id);
      if (f_.dim(pair.src).level == 0 && !is_whole) {
        WantOf("dim_mapping", pair.name(), {"MERGE_MAP"});
      }
    }
    const std::vector<std::uint32_t> widths = f_.vec_universe(f_.inst(other_->producer));
    const std::uint32_t widest = std::min(
        widths.back(), kWideBytes / ir::BytesOf(f_.element_type(f_.inst(other_->producer))));
    for (const Axis* axis : moving) {
      const LogicalDim& logical = moves(axis);
      std::uint32_t left = TileOf(*axis);
      int level = Last(logical);
      const auto take = [&](std::uint32_t size, const char* kind) {
        if (level < 1 || left % size != 0) return;
        SizeOf(Level(logical, level), size);
        if (size > 1) KindOf(Level(logical, level), kind);
        left /= size;
        --level;
      };
      if (axis == moving.front() && widest > 1 && left % widest == 0 && Last(logical) > 1) {
        take(widest, "UNROLL");
      }
      std::uint32_t shared = std::min(threads, left);
      while (left % shared != 0) --shared;
      if (shared > 1 && level >= 1) {
        threads /= shared;
        take(shared, "THREAD");
      }
      if (left > 1) take(left, "UNROLL");
    }
  }

  /// The axis of the sum that it pairs with another one; null: it pairs none of the sum's.
  const Axis* AxisOf(const DimPair& pair) const {
    for (const Axis& axis : axes_) {
      const ir::LogicalDimId id = axis.axis->id;
      if (f_.dim(pair.src).logical == id || f_.dim(pair.dst).logical == id) return &axis;
    }
    return nullptr;
  }

  /// The sum's own loops are those of what it reads from windows, of what begins it and of what
  /// takes it.
  void Travel(const Communication& comm) {
    for (const ir::PairId id : comm.pairs) {
      const DimPair& pair = f_.pair(id);
      const Dimension& dim = f_.dim(pair.dst);
      const int last = Last(f_.logical(dim.logical));
      const Axis* const axis = AxisOf(pair);
      const bool is_thread = axis != nullptr && dim.level == axis->thread_level();
      WantOf("dim_mapping", pair.name(),
             dim.level == 0 || (dim.is_reduction && dim.level < last)
                 ? std::vector<std::string>{"MERGE_MAP", "UNROLL_MAP"}
             : &comm == windowed_ && is_thread
                 ? std::vector<std::string>{"MERGE_MAP", "THREAD_MAP", "UNROLL_MAP"}
             : is_thread ? std::vector<std::string>{"THREAD_MAP", "UNROLL_MAP", "MERGE_MAP"}
                         : std::vector<std::string>{"UNROLL_MAP", "MERGE_MAP"});
    }
  }

  void Nest() {
    std::vector<const Dimension*> all;
    const auto levels = [&](bool wants_reduced, const auto& level_of) {
      for (const Axis& axis : axes_) {
        if (axis.is_reduced != wants_reduced) continue;
        const int level = level_of(axis);
        if (level >= 0 && SizeAt(axis, level) > 1) all.push_back(&Level(*axis.axis, level));
      }
    };
    levels(false, [](const Axis&) { return 0; });
    levels(true, [&](const Axis& axis) { return &axis == steps_ ? 0 : -1; });
    levels(false, [](const Axis& axis) { return axis.thread_level(); });
    levels(true, [&](const Axis& axis) { return &axis == steps_ ? -1 : 0; });
    levels(true, [&](const Axis& axis) { return &axis == steps_ ? axis.last() - 1 : -1; });
    levels(true, [&](const Axis& axis) { return &axis == steps_ ? axis.last() : -1; });
    const std::size_t loops = all.size();
    levels(false, [](const Axis& axis) { return axis.register_level(); });
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      WantOf("order", all[i]->name() + "," + all[i + 1]->name(), {"OUTER"});
    }
    if (loops < all.size()) first_copy_ = all[loops];
    if (steps_ != nullptr && unrolled_ > 1) {
      // Before its steps a thread reads all of them.
      WantOf("order",
             f_.inst(window_->read).name() + "," + Level(*steps_->axis, Last(*steps_->axis)).name(),
             {"BEFORE"});
    }
  }

  /// What a step needs of the other factor is read right before its products.
  void Fragments() {
    const Communication::Lowered& lowered = *other_->lowered;
    for (const ir::PairId id : f_.comm(lowered.load_comm).pairs) {
      const DimPair& pair = f_.pair(id);
      const Dimension& dim = f_.dim(pair.dst);
      const Axis* const axis = AxisOf(pair);
      if (axis == nullptr || SizeAt(*axis, dim.level) == 1) continue;
      const bool is_register = dim.level == axis->register_level();
      WantOf("dim_mapping", pair.name(), {is_register ? "UNROLL_MAP" : "MERGE_MAP"});
    }
    if (first_copy_ != nullptr) {
      WantOf("order", f_.inst(lowered.load).name() + "," + first_copy_->name(), {"BEFORE"});
    }
    // Neighbours in registers are neighbours in the tile.
    for (const Axis& axis : axes_) {
      if (axis.is_reduced || axis.is_pixel || MovesAlong(*other_, *axis.axis) == nullptr) continue;
      const LogicalDim& kept = *MovesAlong(*other_, *axis.axis);
      const ir::MemBlock& block = f_.block(lowered.block);
      for (const ir::AxisId id : block.axes) {
        if (!f_.is_filled_from(f_.axis(id), Level(kept, Last(kept)))) continue;
        WantOf("axis_at", block.name() + ",1", {std::to_string(f_.place_of(f_.axis(id)))});
      }
    }
  }

  const Target& f_;
  const Instruction* sum_ = nullptr;
  const ir::Window* window_ = nullptr;
  const Communication *windowed_ = nullptr, *other_ = nullptr;
  std::vector<Axis> axes_, best_;
  double least_ = 0;
  Axis* steps_ = nullptr;  ///< Null: the whole sum is in one window.
  const LogicalDim* steps_axis_ = nullptr;
  std::uint32_t unrolled_ = 1, rounds_ = 1;
  const Dimension* first_copy_ = nullptr;  ///< The outermost of a thread's own loops over results.
  Recipe recipe_;
};

}  // namespace

std::vector<Recipe> WindowRecipes(const Target& function) {
  std::vector<Recipe> recipes;
  if (function.windows.empty()) return recipes;
  if (std::optional<Recipe> recipe = Writer(function).Write()) {
    recipes.push_back(std::move(*recipe));
  }
  return recipes;
}

}  // namespace exh::kernels

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
#include <utility>

#include "kernels/recipes/recipe_writer.h"

namespace exh::kernels {
namespace {

constexpr double kWantedBlocks = 132, kWantedThreads = 128;
constexpr std::uint32_t kMostThreads = 256, kMostSums = 64;
constexpr std::uint32_t kWideBytes = 16;

/// An axis of the sum, and how it is divided: a result among blocks, threads and their registers;
/// what is summed up piece by piece into pieces, rounds and unrolled steps. All others are one
/// loop. Levels that are absent lie around those that are there.
struct Axis {
  const ir::LogicalDim* axis = nullptr;
  bool is_reduced = false;
  bool is_pixel = false;  ///< Of the result, and the window moves along it.
  bool is_steps = false;  ///< It is summed up piece by piece.
  std::uint32_t middle = 1, inner = 1;

  /// Points in a window, or in a tile of the other factor.
  std::uint32_t tile() const { return is_reduced && !is_steps ? axis->extent : middle * inner; }
  /// Iterations of the outermost level.
  std::uint32_t outermost() const { return axis->extent / (middle * inner); }
  int last() const { return ir::LastLevel(*axis); }
  /// -1: it has none.
  int inner_level() const { return inner > 1 ? last() : -1; }
  int middle_level() const {
    if (middle == 1) return -1;
    return inner > 1 ? last() - 1 : last();
  }
  /// Iterations of a level; 1: it is absent.
  std::uint32_t size_at(int level) const {
    if (level == inner_level()) return inner;
    if (level == middle_level()) return middle;
    return level > 0 ? 1 : outermost();
  }
  std::string_view kind_at(int level) const {
    if (level == inner_level()) return kUnroll;
    if (is_reduced) return kLoop;
    return level == middle_level() ? kThread : kBlock;
  }
};

class WindowWriter : RecipeWriter {
 public:
  explicit WindowWriter(const Target& function) : RecipeWriter(function) {}

  std::optional<Recipe> Write() {
    sum_ = ir::OnlySumOfProducts(f_);
    if (sum_ == nullptr || !FindFactors()) return std::nullopt;
    FindAxes();
    if (!FindSteps() || !FindTiles()) return std::nullopt;
    Want(Of("unit", *sum_), {kFma});
    Want(Of("window", *window_), {kWindow});
    Want(Of("tiles", *other_), {kOwnTiles});
    Want("tiles", {kSameTiles});
    for (const Axis& axis : axes_) {
      for (int level = axis.last(); level >= 0; --level) {
        SizeAndKind(Level(*axis.axis, level), axis.size_at(level), axis.kind_at(level));
      }
    }
    for (const Dimension& dim : f_.window_dims(*window_)) {
      const bool is_around = std::ranges::any_of(axes_, [&](const Axis& axis) {
        return axis.is_steps && dim.level == 0 && &AxisOf(dim) == Moves(*windowed_, axis);
      });
      if (is_around) Want(Of("window_part", *window_, dim), {kAroundWindow});
    }
    Want("window_part", {kInWindow, kAroundWindow});
    Copy();
    NoOtherLevels();
    Want("across_blocks", {kNotAcross});
    for (const Communication& comm : f_.comms) {
      if (!comm.planned && &comm != other_) Travel(comm);
    }
    NestLoops();
    Fragments();
    return Finish("windows", true);
  }

 private:
  /// One factor has a window, and the other one may be copied.
  bool FindFactors() {
    for (const Communication* comm : ir::OperandsOf(f_, *sum_)) {
      const Instruction& read = f_.inst(comm->producer);
      if (read.window.valid() && window_ == nullptr) {
        window_ = &f_.window(read.window);
        windowed_ = comm;
      } else if (comm->may_lower && f_.is_copy(*comm) && other_ == nullptr) {
        other_ = comm;
      } else {
        return false;
      }
    }
    return window_ != nullptr && other_ != nullptr;
  }

  /// The axis of the factor's read that is paired with one of the sum; null: there is none.
  const LogicalDim* Moves(const Communication& factor, const Axis& axis) const {
    return ir::ProducersAxis(f_, factor, *axis.axis);
  }
  /// Does it move along a span of the window together with others?
  bool Meets(const Axis& axis) const {
    const LogicalDim* const moves = Moves(*windowed_, axis);
    return moves != nullptr && std::ranges::any_of(window_->spans, [&](ir::SpanId id) {
             return f_.span(id).step(moves->id) != 0 && f_.span(id).axes.size() > 1;
           });
  }

  void FindAxes() {
    for (const LogicalDim* logical : ir::AxesOf(f_, *sum_)) {
      Axis axis{logical, ir::IsReduced(f_, *logical)};
      axis.is_pixel = !axis.is_reduced && Moves(*windowed_, axis) != nullptr;
      axes_.push_back(axis);
    }
  }

  /// The axis that is summed up piece by piece, and the pieces; none: one window holds all.
  bool FindSteps() {
    Axis* steps = nullptr;
    for (Axis& axis : axes_) {
      if (!axis.is_reduced || Meets(axis) || axis.last() < 2) continue;
      if (steps == nullptr || steps->axis->extent < axis.axis->extent) steps = &axis;
    }
    if (steps == nullptr) return true;
    steps->is_steps = true;
    const LogicalDim& axis = *steps->axis;
    for (const auto& [unrolled, rounds] :
         {std::pair{4u, 2u}, {4u, 1u}, {2u, 2u}, {2u, 1u}, {1u, 1u}}) {
      const std::uint32_t piece = unrolled * rounds;
      if (axis.extent % piece == 0 && Has(axis, Last(axis), unrolled) &&
          Has(axis, Last(axis) - 1, rounds) && Has(axis, 0, axis.extent / piece)) {
        steps->middle = rounds;
        steps->inner = unrolled;
        return true;
      }
    }
    return false;
  }

  double WindowElements() const {
    double elements = 1;
    for (const ir::SpanId id : window_->spans) {
      double length = 1;
      for (const Axis& axis : axes_) {
        const LogicalDim* const moves = Moves(*windowed_, axis);
        if (moves == nullptr) continue;
        length += static_cast<double>(std::abs(f_.span(id).step(moves->id))) * (axis.tile() - 1);
      }
      elements *= length;
    }
    return elements;
  }
  double OtherElements() const {
    double elements = 1;
    for (const Axis& axis : axes_) {
      if (Moves(*other_, axis) != nullptr) elements *= axis.tile();
    }
    return elements;
  }

  /// Less is better; nothing: it does not fit.
  std::optional<double> Cost() const {
    double pixels = 1, channels = 1, blocks = 1, threads = 1, products = 1, unrolled = 1;
    for (const Axis& axis : axes_) {
      products *= axis.tile();
      if (axis.is_steps) unrolled = axis.inner;
      if (axis.is_reduced) continue;
      (axis.is_pixel ? pixels : channels) *= axis.inner;
      blocks *= axis.outermost();
      threads *= axis.middle;
    }
    const double bytes = (WindowElements() + OtherElements()) * window_->element_bytes;
    const double most_copied = f_.most_copied() * threads / 2;
    if (threads > std::min(kMostThreads, f_.device.max_threads) || pixels * channels > kMostSums ||
        pixels * channels * unrolled > f_.device.max_unroll / 2 ||
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
    axes_ = best_;
    return !best_.empty();
  }
  void Try(std::size_t i) {
    if (i == axes_.size()) {
      const std::optional<double> cost = Cost();
      if (!cost || (!best_.empty() && *cost >= least_)) return;
      least_ = *cost;
      best_ = axes_;
      return;
    }
    Axis& axis = axes_[i];
    if (axis.is_reduced) return Try(i + 1);
    for (const std::uint32_t registers : {1u, 2u, 4u, 7u, 8u}) {
      for (const std::uint32_t threads : {1u, 2u, 4u, 7u, 8u, 14u, 16u, 32u}) {
        axis.inner = registers;
        axis.middle = threads;
        if (axis.axis->extent % axis.tile() == 0 && HasLevels(axis)) Try(i + 1);
      }
    }
    axis.inner = axis.middle = 1;
  }

  /// Blocks are the outermost level: an axis of one level has nothing else.
  bool HasLevels(const Axis& axis) const {
    if ((axis.inner > 1) + (axis.middle > 1) > axis.last()) return false;
    const auto has = [&](int level) {
      return level < 0 || Has(*axis.axis, level, axis.size_at(level));
    };
    return has(axis.inner_level()) && has(axis.middle_level()) && has(0);
  }

  /// All threads copy the tile of the other factor: wide along what adjoins in memory, then by
  /// threads, then by copies. What is nearest in memory comes first.
  void Copy() {
    std::uint32_t threads = 1;
    std::vector<const Axis*> moving;
    for (const Axis& axis : axes_) {
      if (!axis.is_reduced) threads *= axis.middle;
      if (Moves(*other_, axis) != nullptr) moving.push_back(&axis);
    }
    std::ranges::sort(moving, [&](const Axis* a, const Axis* b) {
      return f_.copied_outside(Level(*Moves(*other_, *b), 0), Level(*Moves(*other_, *a), 0));
    });
    for (const DimPair& pair : f_.pairs_of(*other_)) {
      const Axis& axis = *PairedAxis(pair);
      const bool is_whole = axis.is_reduced && !axis.is_steps;
      if (f_.dim(pair.src).level == 0 && !is_whole) Map(pair, {kMergeMap});
    }
    const Instruction& read = f_.inst(other_->producer);
    const std::uint32_t widest =
        std::min(f_.vec_universe(read).back(), kWideBytes / ir::BytesOf(f_.element_type(read)));
    for (const Axis* axis : moving) {
      const LogicalDim& logical = *Moves(*other_, *axis);
      std::uint32_t left = axis->tile();
      int level = Last(logical);
      const auto take = [&](std::uint32_t size, std::string_view kind) {
        if (level < 1 || left % size != 0) return;
        SizeAndKind(Level(logical, level--), size, kind);
        left /= size;
      };
      if (axis == moving.front() && widest > 1 && left % widest == 0 && Last(logical) > 1) {
        take(widest, kUnroll);
      }
      std::uint32_t shared = std::min(threads, left);
      while (left % shared != 0) --shared;
      if (shared > 1 && level >= 1) {
        threads /= shared;
        take(shared, kThread);
      }
      if (left > 1) take(left, kUnroll);
    }
  }

  /// The axis of the sum that it pairs with another one; null: it pairs none of the sum's.
  const Axis* PairedAxis(const DimPair& pair) const {
    const auto found = std::ranges::find_if(axes_, [&](const Axis& axis) {
      const ir::LogicalDimId id = axis.axis->id;
      return f_.dim(pair.src).logical == id || f_.dim(pair.dst).logical == id;
    });
    return found == axes_.end() ? nullptr : &*found;
  }

  /// The sum's own loops are those of what it reads from windows, of what begins it and of what
  /// takes it.
  void Travel(const Communication& comm) {
    for (const DimPair& pair : f_.pairs_of(comm)) {
      const Dimension& dim = f_.dim(pair.dst);
      const Axis* const axis = PairedAxis(pair);
      const bool is_around = dim.level == 0 || (dim.is_reduction && dim.level < Last(AxisOf(dim)));
      const bool is_thread =
          axis != nullptr && !axis->is_reduced && dim.level == axis->middle_level();
      if (is_around || !is_thread) {
        Hold(pair, !is_around);
      } else if (&comm == windowed_) {
        Map(pair, {kMergeMap, kThreadMap, kUnrollMap});
      } else {
        Map(pair, {kThreadMap, kUnrollMap, kMergeMap});
      }
    }
  }

  void NestLoops() {
    Dims blocks, pieces, threads, taps, steps, registers;
    for (const Axis& axis : axes_) {
      const auto add = [&](Dims& part, int level) {
        if (level >= 0 && axis.size_at(level) > 1) part.push_back(&Level(*axis.axis, level));
      };
      if (!axis.is_reduced) {
        add(blocks, 0);
        add(threads, axis.middle_level());
        add(registers, axis.inner_level());
      } else if (axis.is_steps) {
        add(pieces, 0);
        add(steps, axis.middle_level());
        add(steps, axis.inner_level());
      } else {
        add(taps, 0);
      }
    }
    Nest({blocks, pieces, threads, taps, steps, registers});
    if (!registers.empty()) first_copy_ = registers.front();
    // Before its steps a thread reads all of them.
    for (const Axis& axis : axes_) {
      if (!axis.is_steps || axis.inner == 1) continue;
      Order(f_.inst(window_->read), Innermost(*axis.axis), kBefore);
    }
  }

  /// What a step needs of the other factor is read right before its products.
  void Fragments() {
    const Communication::Lowered& lowered = *other_->lowered;
    for (const DimPair& pair : f_.pairs_of(f_.comm(lowered.load_comm))) {
      const int level = f_.dim(pair.dst).level;
      const Axis* const axis = PairedAxis(pair);
      if (axis == nullptr || axis->size_at(level) == 1) continue;
      const bool is_register = !axis->is_reduced && level == axis->inner_level();
      Map(pair, {is_register ? kUnrollMap : kMergeMap});
    }
    if (first_copy_ != nullptr) Order(f_.inst(lowered.load), *first_copy_, kBefore);
    // Neighbours in registers are neighbours in the tile.
    for (const Axis& axis : axes_) {
      const LogicalDim* const kept = Moves(*other_, axis);
      if (axis.is_reduced || axis.is_pixel || kept == nullptr) continue;
      StoreAlong(f_.block(lowered.block), 1, Innermost(*kept));
    }
  }

  const Instruction* sum_ = nullptr;
  const ir::Window* window_ = nullptr;
  const Communication *windowed_ = nullptr, *other_ = nullptr;
  std::vector<Axis> axes_, best_;
  double least_ = 0;
  const Dimension* first_copy_ = nullptr;  ///< The outermost of a thread's own loops over results.
};

}  // namespace

std::vector<Recipe> WindowRecipes(const ir::Target& function) {
  std::vector<Recipe> recipes;
  if (function.windows.empty()) return recipes;
  if (std::optional<Recipe> recipe = WindowWriter(function).Write()) {
    recipes.push_back(std::move(*recipe));
  }
  return recipes;
}

}  // namespace exh::kernels

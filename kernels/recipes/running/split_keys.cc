// SPDX-License-Identifier: MIT
//
// Of scores s[h, j] = sum(p) q[h, p] k[h, j, p] and results y[h, o] = sum(j) e[h, j] v[h, j, o],
// where e comes of s and of its maximum over j, each element of k and v is read once, and that is
// what takes the time:
//
//   axis             levels, from the outermost one on
//   h, queries       blocks
//   j, keys          blocks of a cluster, the loop that the maximum runs in, threads, registers
//   p and o          threads that are neighbours, elements that one access takes
//
// All stays in the registers of its thread. Threads along p have slices of the scores, those along
// j of the maximum and of the sums.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "kernels/recipes/recipe_writer.h"
#include "kernels/recipes/running/tiles.h"

namespace exh::kernels {
namespace {

constexpr std::uint32_t kWideBytes = 16;
/// Blocks that shall be there at least.
constexpr std::uint32_t kLeastBlocks = 256;

struct SplitKeyShape {
  std::uint32_t threads;  ///< Of a block.
  std::uint32_t keys;     ///< That a thread has at once.
  bool is_ahead;          ///< Keys of the next iteration are read before these are used.
};

class SplitKeyWriter : RecipeWriter {
 public:
  SplitKeyWriter(const Target& function, const SplitKeyShape& shape)
      : RecipeWriter(function), shape_(shape) {}

  /// Nothing: the kernel is none that the recipe is for.
  std::optional<Recipe> Write() {
    if (!FindAxes() || !FindSizes()) return std::nullopt;
    BeginPlainly();
    Want("pace", {kPaceRunning});
    for (const Instruction& inst : f_.insts) {
      if (!inst.planned && inst.executes_once()) SizesAndKinds(inst);
    }
    NoOtherLevels();
    for (const Instruction& inst : f_.insts) {
      if (inst.planned || !inst.is_reduction()) continue;
      Want(Of("across_blocks", inst), {Reduces(inst, keys_) ? ir::kCluster : kNotAcross});
    }
    Want("across_blocks", {kNotAcross});
    for (const Communication& comm : f_.comms) {
      if (comm.planned) continue;
      Travel(comm, [&](const Dimension& dim) { return TogetherIn(dim); });
    }
    for (const Instruction& inst : f_.insts) {
      if (!inst.planned && inst.executes_once()) NestLoops(inst);
    }
    if (shape_.is_ahead) Want("advance", {"ONE_AHEAD", kOnTime});
    return Finish("split keys, " + std::to_string(shape_.threads) + " threads, " +
                      std::to_string(shape_.keys) + " keys at once" +
                      (shape_.is_ahead ? ", ahead" : ""),
                  true);
  }

 private:
  using Name = std::string_view;

  const LogicalDim* AxisOf(const Instruction& inst, Name name) const {
    for (const LogicalDim* axis : ir::AxesOf(f_, inst)) {
      if (axis->axis_name() == name) return axis;
    }
    return nullptr;
  }
  bool Reduces(const Instruction& inst, Name name) const {
    return std::ranges::any_of(ir::ReducedAxes(f_, inst),
                               [&](const LogicalDim* axis) { return axis->axis_name() == name; });
  }

  bool FindAxes() {
    for (const Communication& comm : f_.running_comms()) {
      top_ = &f_.inst(comm.producer);
      keys_ = f_.logical(f_.dim(comm.running->loop).logical).axis_name();
      for (const ir::InstId id : comm.running->corrected) {
        if (f_.inst(id).op == ir::Op::kMad) second_ = &f_.inst(id);
      }
    }
    if (second_ == nullptr) return false;
    for (const Instruction& inst : f_.insts) {
      if (inst.planned || inst.op != ir::Op::kMad || &inst == second_) continue;
      const auto reduced = ir::ReducedAxes(f_, inst);
      if (reduced.size() != 1 || AxisOf(inst, keys_) == nullptr || Reduces(inst, keys_)) continue;
      first_ = &inst;
      depth_ = reduced.front()->axis_name();
    }
    for (const LogicalDim* axis : ir::ResultAxes(f_, *second_)) {
      if (AxisOf(*top_, axis->axis_name()) != nullptr) continue;
      if (!columns_.empty()) return false;
      columns_ = axis->axis_name();
    }
    return first_ != nullptr && !columns_.empty() && KeysAreReadOnce() &&
           Last(*AxisOf(*top_, keys_)) == 3 && Last(*AxisOf(*first_, depth_)) >= 1 &&
           Last(*AxisOf(*second_, columns_)) >= 1;
  }
  /// Every argument that is read along the keys has an axis for each of those that the maximum
  /// keeps.
  bool KeysAreReadOnce() const {
    return std::ranges::all_of(f_.insts, [&](const Instruction& inst) {
      const bool is_read = !inst.planned && inst.op == ir::Op::kLoad;
      if (!is_read || AxisOf(inst, keys_) == nullptr) return true;
      return std::ranges::all_of(ir::ResultAxes(f_, *top_), [&](const LogicalDim* axis) {
        return AxisOf(inst, axis->axis_name()) != nullptr;
      });
    });
  }

  bool FindSizes() {
    std::uint32_t bytes = 1;
    for (const Instruction& inst : f_.insts) {
      if (!inst.planned && inst.op == ir::Op::kLoad && AxisOf(inst, keys_) != nullptr) {
        bytes = std::max(bytes, ir::BytesOf(f_.element_type(inst)));
      }
    }
    const LogicalDim &depth = *AxisOf(*first_, depth_), &columns = *AxisOf(*second_, columns_);
    const LogicalDim& keys = *AxisOf(*top_, keys_);
    wide_ = kWideBytes / bytes;
    neighbours_ = depth.extent / wide_;
    const bool is_whole = depth.extent == columns.extent && depth.extent % wide_ == 0 &&
                          neighbours_ > 0 && shape_.threads % neighbours_ == 0;
    if (!is_whole) return false;
    for (const LogicalDim* axis : {&depth, &columns}) {
      if (!Has(*axis, Last(*axis), wide_) || !Has(*axis, Last(*axis) - 1, neighbours_))
        return false;
    }
    key_threads_ = shape_.threads / neighbours_;
    std::uint64_t queries = 1;
    for (const LogicalDim* axis : ir::ResultAxes(f_, *top_)) queries *= axis->extent;
    for (cluster_ = 2; cluster_ < f_.device.max_cluster && queries * cluster_ < kLeastBlocks;) {
      cluster_ *= 2;
    }
    const std::uint32_t at_once = cluster_ * key_threads_ * shape_.keys;
    if (keys.extent % at_once != 0) return false;
    loop_ = keys.extent / at_once;
    return loop_ > 1 && Has(keys, 0, cluster_) && Has(keys, 1, loop_) &&
           Has(keys, 2, key_threads_) && Has(keys, 3, shape_.keys);
  }

  // ---- levels ----

  enum class Place { kBlocks, kCluster, kLoop, kAmongThreads, kInner, kAbsent };
  Place PlaceOf(const Dimension& dim) const {
    const LogicalDim& axis = RecipeWriter::AxisOf(dim);
    const Name name = axis.axis_name();
    if (name == keys_) {
      constexpr Place kLevels[] = {Place::kCluster, Place::kLoop, Place::kAmongThreads,
                                   Place::kInner};
      return kLevels[dim.level];
    }
    if (name != depth_ && name != columns_) return dim.level == 0 ? Place::kBlocks : Place::kAbsent;
    if (dim.level == Last(axis)) return Place::kInner;
    return dim.level == Last(axis) - 1 ? Place::kAmongThreads : Place::kAbsent;
  }

  void SizesAndKinds(const Instruction& main) {
    for (const DimId id : main.dims) {
      const Dimension& dim = f_.dim(id);
      const bool is_key = RecipeWriter::AxisOf(dim).axis_name() == keys_;
      switch (PlaceOf(dim)) {
        case Place::kBlocks:
          SizeAndKind(dim, RecipeWriter::AxisOf(dim).extent, kBlock);
          break;
        case Place::kCluster:
          SizeAndKind(dim, cluster_, kBlock);
          break;
        case Place::kLoop:
          SizeAndKind(dim, loop_, kLoop);
          break;
        case Place::kAmongThreads:
          SizeAndKind(dim, is_key ? key_threads_ : neighbours_, kThread);
          break;
        case Place::kInner:
          SizeAndKind(dim, is_key ? shape_.keys : wide_, kUnroll);
          break;
        case Place::kAbsent:
          Size(dim, 1);
          break;
      }
    }
  }

  Together TogetherIn(const Dimension& dim) const {
    const Place place = PlaceOf(dim);
    if (place == Place::kAbsent) return Together::kNowhere;
    if (place == Place::kAmongThreads) return Together::kSameThreads;
    return place == Place::kInner ? Together::kOwnCopies : Together::kOneLoop;
  }

  void NestLoops(const Instruction& main) {
    Dims blocks, cluster, loops, key_threads, threads, keys, inner;
    for (const DimId id : main.dims) {
      const Dimension& dim = f_.dim(id);
      const bool is_key = RecipeWriter::AxisOf(dim).axis_name() == keys_;
      const Place place = PlaceOf(dim);
      if (place == Place::kBlocks) blocks.push_back(&dim);
      if (place == Place::kCluster) cluster.push_back(&dim);
      if (place == Place::kLoop) loops.push_back(&dim);
      if (place == Place::kAmongThreads) (is_key ? key_threads : threads).push_back(&dim);
      if (place == Place::kInner) (is_key ? keys : inner).push_back(&dim);
    }
    Nest({blocks, cluster, loops, key_threads, threads, keys, inner});
  }

  const SplitKeyShape& shape_;
  const Instruction *first_ = nullptr, *top_ = nullptr, *second_ = nullptr;
  Name keys_, columns_, depth_;  ///< Names of axes.
  std::uint32_t wide_ = 1, neighbours_ = 1, key_threads_ = 1, cluster_ = 1, loop_ = 1;
};

}  // namespace

std::vector<Recipe> SplitKeyRecipes(const ir::Target& function) {
  if (!function.has_clusters()) return {};
  constexpr SplitKeyShape kShapes[] = {{.threads = 256, .keys = 8, .is_ahead = false},
                                       {.threads = 256, .keys = 4, .is_ahead = false},
                                       {.threads = 256, .keys = 4, .is_ahead = true},
                                       {.threads = 512, .keys = 4, .is_ahead = false}};
  std::vector<Recipe> recipes;
  for (const SplitKeyShape& shape : kShapes) {
    if (std::optional<Recipe> recipe = SplitKeyWriter(function, shape).Write()) {
      recipes.push_back(std::move(*recipe));
    }
  }
  return recipes;
}

}  // namespace exh::kernels

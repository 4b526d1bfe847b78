// SPDX-License-Identifier: MIT
#include "kernels/recipes/processor/streams.h"

#include <algorithm>

#include "kernels/ir/target/lanes.h"
#include "kernels/recipes/recipe_writer.h"

namespace exh::kernels {
namespace {

/// Work items for each thread: enough to share out evenly.
constexpr std::uint64_t kItemsOfThread = 8;

class StreamWriter : RecipeWriter {
 public:
  explicit StreamWriter(const Target& function) : RecipeWriter(function) {}

  Recipe Write(bool past_caches) {
    BeginPlainly();
    for (const Instruction& inst : f_.insts) {
      if (!inst.planned && inst.op == ir::Op::kStore) Divide(inst);
    }
    NoOtherLevels();
    for (const ir::Communication& comm : f_.comms) {
      if (comm.planned) continue;
      for (const ir::DimPair& pair : f_.pairs_of(comm)) {
        Hold(pair, f_.dim(pair.dst).innermost_level);
      }
    }
    if (past_caches) Want("cache", {ir::kNoCache, ir::kCacheDefault});
    Want("block_schedule", {kStatic, kDynamic});
    return Finish(past_caches ? "streams past the caches" : "streams", false);
  }

 private:
  /// Of the last axis: lanes, loops around them as long as there are work items for all threads,
  /// and those. Other axes have one level.
  void Divide(const Instruction& store) {
    const auto axes = ir::AxesOf(f_, store);
    if (axes.empty()) return;
    Dims items, loops;
    for (const LogicalDim* axis : axes) items.push_back(&Level(*axis, 0));
    std::uint64_t others = 1;
    for (std::size_t i = 0; i + 1 < axes.size(); ++i) others *= axes[i]->extent;
    const LogicalDim& axis = *axes.back();
    std::uint32_t left = axis.extent;
    for (int level = Last(axis); level > 0; --level) {
      const Dimension& dim = Level(axis, level);
      const bool is_lanes = level == Last(axis);
      const std::uint32_t size = is_lanes ? Lanes(dim, left) : Steps(dim, left, others);
      Size(dim, size);
      if (size > 1) {
        Kind(dim, {is_lanes ? kVector : kLoop, kUnroll});
        loops.insert(loops.begin(), &dim);
      }
      left /= size;
    }
    Size(Level(axis, 0), left);
    for (const Dimension* dim : items) Kind(*dim, {kBlock, kLoop});
    Nest({items, loops});
  }
  std::uint32_t Lanes(const Dimension& dim, std::uint32_t extent) const {
    return ir::WidestVector(f_.device, [&](std::uint32_t lanes) {
      return extent % lanes == 0 && ir::HasSize(dim, lanes);
    });
  }
  std::uint32_t Steps(const Dimension& dim, std::uint32_t left, std::uint64_t others) const {
    std::uint32_t steps = 1;
    for (const std::uint32_t size : dim.sizes) {
      const bool fits = left % size == 0 &&
                        left / size * others >= kItemsOfThread * std::uint64_t(f_.device.threads);
      if (fits) steps = std::max(steps, size);
    }
    return steps;
  }
};

}  // namespace

std::vector<Recipe> StreamRecipes(const ir::Target& function) {
  const bool has_sums = std::ranges::any_of(function.insts, [](const ir::Instruction& inst) {
    return !inst.planned && inst.is_reduction();
  });
  if (has_sums || !function.device.vector_arithmetic || function.device.max_threads > 1) return {};
  return {StreamWriter(function).Write(true), StreamWriter(function).Write(false)};
}

}  // namespace exh::kernels

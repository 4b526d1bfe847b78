// SPDX-License-Identifier: MIT
#include "kernels/recipes/processor/streams.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

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

/// Work items for each thread: enough to share out evenly.
constexpr std::uint64_t kItemsOfThread = 8;

class Writer {
 public:
  explicit Writer(const Target& function) : f_(function) {}

  Recipe Write(bool past_caches) {
    recipe_.name = past_caches ? "streams past the caches" : "streams";
    Want("unit", {"FMA"});
    Want("tiles", {"SAME_TILES"});
    Want("thread_layout", {"SHARED_LAYOUT"});
    for (const Instruction& inst : f_.insts) {
      if (!inst.planned && inst.op == ir::Op::kStore) Nest(inst);
    }
    Want("size", {"1"});
    for (const Communication& comm : f_.comms) {
      if (!comm.planned) Travel(comm);
    }
    if (past_caches) Want("cache", {"NO_CACHE", "CACHE_DEFAULT"});
    Want("block_schedule", {"STATIC", "DYNAMIC"});
    AppendRest(false, recipe_);
    return std::move(recipe_);
  }

 private:
  void Want(std::string decision, std::vector<std::string> values) {
    recipe_.wishes.push_back({std::move(decision), std::move(values)});
  }
  void WantOf(std::string_view choice, const Dimension& dim, std::vector<std::string> values) {
    Want(std::string(choice) + "(" + dim.name() + ")", std::move(values));
  }
  const Dimension& Level(const LogicalDim& axis, std::size_t level) const {
    return f_.dim(axis.dims[level]);
  }

  /// Of the last axis: lanes, loops around them as long as there are work items for all threads,
  /// and those. Other axes have one level.
  void Nest(const Instruction& store) {
    std::vector<const Dimension*> all;
    for (const DimId id : store.dims) {
      if (f_.dim(id).level == 0) all.push_back(&f_.dim(id));
    }
    if (all.empty()) return;
    std::uint64_t others = 1;
    for (const Dimension* dim : all) others *= f_.logical(dim->logical).extent;
    const LogicalDim& axis = f_.logical(all.back()->logical);
    others /= axis.extent;
    std::uint32_t left = axis.extent;
    std::vector<const Dimension*> loops;
    for (std::size_t level = axis.dims.size() - 1; level > 0; --level) {
      const Dimension& dim = Level(axis, level);
      const bool is_lanes = level + 1 == axis.dims.size();
      const std::uint32_t size = is_lanes ? Lanes(dim, left) : Steps(dim, left, others);
      WantOf("size", dim, {std::to_string(size)});
      if (size > 1) {
        WantOf("dim_kind", dim, {is_lanes ? "VECTOR" : "LOOP", "UNROLL"});
        loops.insert(loops.begin(), &dim);
      }
      left /= size;
    }
    WantOf("size", Level(axis, 0), {std::to_string(left)});
    for (const Dimension* dim : all) WantOf("dim_kind", *dim, {"BLOCK", "LOOP"});
    all.insert(all.end(), loops.begin(), loops.end());
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      Want("order(" + all[i]->name() + "," + all[i + 1]->name() + ")", {"OUTER"});
    }
  }
  std::uint32_t Lanes(const Dimension& dim, std::uint32_t extent) const {
    std::uint32_t lanes = 1;
    for (const std::uint32_t size : f_.device.vector_sizes) {
      const bool fits = extent % size == 0 && std::ranges::binary_search(dim.sizes, size);
      if (fits) lanes = std::max(lanes, size);
    }
    return lanes;
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

  void Travel(const Communication& comm) {
    for (const ir::PairId id : comm.pairs) {
      const DimPair& pair = f_.pair(id);
      Want("dim_mapping(" + pair.name() + ")",
           f_.dim(pair.dst).innermost_level ? std::vector<std::string>{"UNROLL_MAP", "MERGE_MAP"}
                                            : std::vector<std::string>{"MERGE_MAP", "UNROLL_MAP"});
    }
  }

  const Target& f_;
  Recipe recipe_;
};

}  // namespace

std::vector<Recipe> StreamRecipes(const Target& function) {
  const bool has_sums = std::ranges::any_of(
      function.insts, [](const Instruction& inst) { return !inst.planned && inst.is_reduction(); });
  if (has_sums || !function.device.vector_arithmetic || function.device.max_threads > 1) return {};
  return {Writer(function).Write(true), Writer(function).Write(false)};
}

}  // namespace exh::kernels

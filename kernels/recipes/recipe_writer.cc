// SPDX-License-Identifier: MIT
#include "kernels/recipes/recipe_writer.h"

#include <algorithm>
#include <utility>

namespace exh::kernels {

void RecipeWriter::Want(std::string decision, const Names& values) {
  recipe_.wishes.push_back({std::move(decision), {values.begin(), values.end()}});
}

void RecipeWriter::WantNumbers(std::string decision, const Numbers& values) {
  std::vector<std::string> texts;
  for (const std::uint32_t value : values) texts.push_back(std::to_string(value));
  recipe_.wishes.push_back({std::move(decision), std::move(texts)});
}

void RecipeWriter::BeginPlainly() {
  Want("unit", {kFma});
  Want("tiles", {kSameTiles});
  Want("thread_layout", {kSharedLayout});
}

Recipe RecipeWriter::Finish(std::string name, bool is_wide) {
  Want("dim_kind", {kLoop, kUnroll});
  Want("dim_mapping", {kMergeMap, kUnrollMap, kThreadMap});
  Want("mem_space", {kShared, kGlobal});
  Want("order", {kBefore, kOuter, kAfter, kInner});
  Want("vec", is_wide ? Widths() : Names{"1"});
  Want("skew", {kPlain});
  Want("advance", {kOnTime});
  Want("cache", {ir::kCacheDefault, ir::kCacheGlobal});
  Want("transfer", {kThroughRegisters});
  for (const char* const choice : {"stages", "min_blocks", "cluster", "patch", "raster"}) {
    WantNumbers(choice, {1});
  }
  Want("roles", {kAlike});
  Want("grid", {kEachTile});
  Want("block_schedule", {kDynamic});
  recipe_.name = std::move(name);
  return std::move(recipe_);
}

void RecipeWriter::Size(const ir::Dimension& dim, const Numbers& sizes) {
  WantNumbers(Of("size", dim), sizes);
}

void RecipeWriter::Hold(const ir::DimPair& pair, bool in_registers) {
  Map(pair, in_registers ? Names{kUnrollMap, kMergeMap} : Names{kMergeMap, kUnrollMap});
}

void RecipeWriter::Nest(const std::vector<Dims>& parts) {
  const ir::Dimension* around = nullptr;
  for (const Dims& part : parts) {
    for (const ir::Dimension* dim : part) {
      if (around != nullptr) Order(*around, *dim, kOuter);
      around = dim;
    }
  }
}

void RecipeWriter::CopyTile(const Communication& comm, CopiedSide a, CopiedSide b,
                            std::uint32_t threads) {
  constexpr std::uint32_t kWideBytes = 16;
  const ir::Instruction& load = f_.inst(comm.producer);
  const auto read = [&](const CopiedSide& side) -> const ir::LogicalDim& {
    return *ir::ProducersAxis(f_, comm, *side.axis);
  };
  CopiedSide near = a, far = b;
  if (f_.copied_outside(Level(read(near), 0), Level(read(far), 0))) std::swap(near, far);
  std::uint32_t near_left = near.tile, far_left = far.tile;
  // A level of the read's axis; its size is taken from what is left.
  const auto take = [&](const ir::LogicalDim& axis, int level, std::uint32_t size,
                        std::string_view kind, std::uint32_t& left) {
    if (level < 1) return;
    SizeAndKind(Level(axis, level), size, kind);
    left /= size;
  };
  const std::uint32_t wide = std::min(
      {f_.vec_universe(load).back(), kWideBytes / ir::BytesOf(f_.element_type(load)), near_left});
  int level = Last(read(near));
  if (wide > 1) take(read(near), level--, wide, kUnroll, near_left);
  const std::uint32_t near_threads = std::min(threads, near_left);
  take(read(near), level--, near_threads, kThread, near_left);
  take(read(near), level, near_left, kUnroll, near_left);
  level = Last(read(far));
  take(read(far), level--, std::min(threads / near_threads, far_left), kThread, far_left);
  take(read(far), level, far_left, kUnroll, far_left);
}

void RecipeWriter::StoreAlong(const ir::MemBlock& block, std::uint32_t rank,
                              const ir::Dimension& dim) {
  for (const ir::Axis& axis : f_.axes_of(block)) {
    if (!f_.is_filled_from(axis, dim)) continue;
    WantNumbers(Of("axis_at", block, ir::Rank{rank}), {f_.place_of(axis)});
  }
}

}  // namespace exh::kernels

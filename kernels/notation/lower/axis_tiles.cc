// SPDX-License-Identifier: MIT
#include "kernels/notation/lower/axis_tiles.h"

#include <algorithm>

namespace exh::kernels::notation {

AxisTiles::AxisTiles(const Kernel& kernel, const ResolvedKernel& resolution, bool paper)
    : kernel_(kernel), resolution_(resolution), paper_(paper) {
  for (std::size_t i = 0; i < kernel.statements.size(); ++i) {
    if (resolution.needed[i]) FindReductions(kernel.statements[i].value, i);
  }
  for (const auto& [of_maximum, maximum] : reductions_) {
    const auto& kept = resolution.left[of_maximum];
    if (maximum->text != "max" || maximum->is_scan() || kept.empty()) continue;
    const int keys = resolution.reductions.at(maximum).front()->axis;
    for (const auto& [of_sum, sum] : reductions_) {
      const bool is_product = sum->text == "sum" && !sum->is_scan() &&
                              resolution.reductions.at(sum).front()->axis == keys &&
                              resolution.left[of_sum].size() > kept.size();
      if (is_product) chains_.push_back({keys, kept.back()->axis});
    }
  }
}

void AxisTiles::FindReductions(const Expr& expr, std::size_t statement) {
  const auto chosen = resolution_.chosen.find(&expr);
  if (chosen != resolution_.chosen.end()) return FindReductions(*chosen->second, statement);
  if (expr.kind == Expr::Kind::kReduce) reductions_.emplace_back(statement, &expr);
  for (const Expr& arg : expr.args) FindReductions(arg, statement);
}

ir::Tiling AxisTiles::Of(const Index& index, Numbers& numbers, int reductions) const {
  ir::Tiling tiling = Hinted(index, numbers, reductions);
  // Where a sum of products is far longer than a tile is wide, blocks divide it among them, and
  // the warps of each: beside these it needs a loop, and what a matrix unit takes at once.
  constexpr std::int64_t kLong = 1 << 14;
  if (!paper_ && tiling.size() == 1 && !IsLeft(index) && LeftRank() > 1 &&
      resolution_.reads.size() > 1 && *index.extent >= kLong) {
    tiling.push_back({2, 16});
  }
  // The unit of floats of 8 bits takes 32 steps of a sum at once.
  constexpr std::uint32_t kDeep = 32;
  const bool has_f8 = std::ranges::any_of(
      resolution_.arrays, [](const ArrayShape& array) { return ir::IsF8(array.type); });
  if (!paper_ && has_f8 && !tiling.empty() && !IsLeft(index)) {
    tiling.back().hi = std::max(tiling.back().hi, kDeep);
  }
  return tiling;
}

ir::Tiling AxisTiles::Hinted(const Index& index, Numbers& numbers, int reductions) const {
  for (const TileHint& hint : kernel_.tiles) {
    // Under any of the names that the axis has.
    const auto is_it = [&](const Index& other) {
      return other.axis == index.axis &&
             std::ranges::find(hint.indices, other.name, &Name::text) != hint.indices.end();
    };
    if (!std::ranges::any_of(resolution_.indices, is_it)) continue;
    ir::Tiling tiling;
    for (const Expr& level : hint.largest) {
      const auto largest = static_cast<std::uint32_t>(numbers.Value(level).value_or(1));
      if (largest > 1) tiling.push_back({2, largest});
    }
    return tiling;
  }
  // Threads have slices of a scan, each of neighbours that it holds in registers.
  if (IsScanned(index)) return {{2, 512}, {2, 16}};
  // The same where rows are gone through more than once: each pass has threads, and neighbours.
  const auto is_over_it = [&](const auto& reduction) {
    return resolution_.reductions.at(reduction.second).front()->axis == index.axis;
  };
  if (!paper_ && std::ranges::count_if(reductions_, is_over_it) > 1 && Adjoins(index)) {
    return {{2, 512}, {2, 16}};
  }
  // Both axes of a tile of the first product, as of any other.
  const auto is_of_it = [&](const Chain& chain) {
    return chain.keys == index.axis || chain.rows == index.axis;
  };
  if (!paper_ && std::ranges::any_of(chains_, is_of_it)) return {{2, 32}, {2, 16}};
  const bool is_left = IsLeft(index);
  const std::size_t rank = LeftRank();
  if (rank > 2) return Adjoins(index) ? ir::Tiling{{2, 32}, {2, 16}} : ir::Tiling{{2, 64}};
  if (rank == 1 && reductions == 0) return {{2, 1024}, {2, 16}};
  // Where little is read, a sum over neighbours may be divided among blocks, loops and threads,
  // each of which takes several at once.
  constexpr std::size_t kFewReads = 2;
  if (!is_left && rank <= 1 && resolution_.reads.size() <= kFewReads && Adjoins(index))
    return {{2, 128}, {2, 16}};
  if (!is_left) return {{2, rank == 1 ? 128u : 32u}};
  // Each read has nests of its own, with temporaries three, and each level is a loop in all of
  // them.
  constexpr std::size_t kManyReads = 5;
  if (rank == 2 && resolution_.reads.size() > kManyReads) return {{2, 64}};
  return {{2, rank == 1 ? 128u : 32u}, {2, 16}};
}

/// Is it an axis of a left side?
bool AxisTiles::IsLeft(const Index& index) const {
  return std::ranges::any_of(resolution_.left, [&](const auto& left) {
    return std::ranges::any_of(left, [&](const Index* own) { return own->axis == index.axis; });
  });
}

bool AxisTiles::IsScanned(const Index& index) const {
  return std::ranges::any_of(resolution_.reductions, [&](const auto& reduction) {
    return reduction.first->is_scan() && reduction.second.front()->axis == index.axis;
  });
}

/// Most axes of a left side.
std::size_t AxisTiles::LeftRank() const {
  std::size_t rank = 0;
  for (const auto& left : resolution_.left) rank = std::max(rank, left.size());
  return rank;
}

/// Is it the last axis of a left side, or does one step move an input by one element?
bool AxisTiles::Adjoins(const Index& index) const {
  const auto is_it = [&](const Index* other) { return other->axis == index.axis; };
  return std::ranges::any_of(
             resolution_.left,
             [&](const auto& left) { return !left.empty() && is_it(left.back()); }) ||
         std::ranges::any_of(resolution_.reads, [&](const auto& read) {
           const ResolvedAccess& access = read.second;
           return access.array >= 0 && std::ranges::any_of(access.strides, [&](const auto& way) {
                    return way.second == 1 && is_it(way.first);
                  });
         });
}

}  // namespace exh::kernels::notation

// SPDX-License-Identifier: MIT
#include "kernels/ir/tiling.h"

#include <algorithm>
#include <limits>
#include <set>

namespace exh::kernels::ir {
namespace {

constexpr std::size_t kMaxUniverse = 64;

std::vector<std::uint32_t> DivisorsIn(std::uint32_t total, TileRange range) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t d = std::max(range.lo, 2u); d <= range.hi && d <= total / 2; ++d) {
    if (total % d == 0) out.push_back(d);
  }
  return out;
}

/// Collects per level the sizes that occur in some factorisation of `rest` with an outermost level
/// of at least 2. `sizes[0]` is the outermost level. Returns whether there is any.
bool Collect(const std::vector<std::vector<std::uint32_t>>& candidates, std::size_t level,
             std::uint32_t rest, std::vector<std::set<std::uint32_t>>& sizes) {
  if (level == candidates.size()) {
    if (rest < 2) return false;
    sizes[0].insert(rest);
    return true;
  }
  bool any = false;
  for (const std::uint32_t size : candidates[level]) {
    if (rest % size != 0) continue;
    if (!Collect(candidates, level + 1, rest / size, sizes)) continue;
    sizes[level + 1].insert(size);
    any = true;
  }
  return any;
}

/// Splits with the levels chosen by `mask`; the `keep` smallest divisors of each. Empty if none.
std::vector<std::vector<std::uint32_t>> Try(std::uint32_t total, const Tiling& tiling,
                                            unsigned mask, std::size_t keep) {
  std::vector<std::vector<std::uint32_t>> candidates;
  for (std::size_t level = 0; level < tiling.size(); ++level) {
    if ((mask >> level & 1) == 0) continue;
    candidates.push_back(DivisorsIn(total, tiling[level]));
    if (candidates.back().size() > keep) candidates.back().resize(keep);
  }
  std::vector<std::set<std::uint32_t>> found(candidates.size() + 1);
  std::vector<std::vector<std::uint32_t>> sizes;
  if (!Collect(candidates, 0, total, found)) return sizes;
  for (const auto& level : found) sizes.emplace_back(level.begin(), level.end());
  return sizes;
}

std::string Ranges(const Tiling& tiling) {
  std::string text;
  for (const TileRange& range : tiling) {
    if (!text.empty()) text += " x ";
    text += std::to_string(range.lo) + ".." + std::to_string(range.hi);
  }
  return text;
}

}  // namespace

namespace {

/// Collects per level the sizes of all splits of `rest` over tile levels `level` … 1 (the outermost
/// one is 0) where nothing but absent levels is around an absent one.
void CollectFreely(const std::vector<std::uint32_t>& divisors, std::size_t level,
                   std::uint32_t rest, bool inner_is_absent,
                   std::vector<std::set<std::uint32_t>>& sizes) {
  if (level == 0) {
    sizes[0].insert(rest);
    return;
  }
  for (const std::uint32_t size : divisors) {
    if (rest % size != 0 || (inner_is_absent && size != 1)) continue;
    sizes[level].insert(size);
    CollectFreely(divisors, level - 1, rest / size, size == 1, sizes);
  }
}

/// The largest divisor that has no prime factor above 7.
std::uint32_t SmoothPart(std::uint32_t number) {
  std::uint32_t smooth = 1;
  for (const std::uint32_t prime : {2u, 3u, 5u, 7u}) {
    for (; number % prime == 0; number /= prime) smooth *= prime;
  }
  return smooth;
}

}  // namespace

std::uint32_t CoveringExtent(std::uint32_t total) {
  constexpr std::uint32_t kShort = 24, kLong = 512;
  if (total < kShort || (total % 8 == 0 && total < kLong)) return total;
  // A long axis with few small divisors has hardly any tiles that are neither short nor long.
  if (total % 16 == 0 && SmoothPart(total) >= std::min(total, kLong)) return total;
  // Long tiles may add little to an axis, for it is long itself; short axes have to add more.
  struct Multiple {
    std::uint32_t of, share;  ///< At most 1 / share of the axis is added.
  };
  for (const Multiple& multiple :
       {Multiple{4096, 32}, Multiple{2048, 32}, Multiple{1024, 32}, Multiple{512, 32},
        Multiple{256, 32}, Multiple{128, 32}, Multiple{64, 32}, Multiple{32, 32}, Multiple{16, 16},
        Multiple{4, 8}, Multiple{8, 4}}) {
    const std::uint64_t extent =
        (std::uint64_t{total} + multiple.of - 1) / multiple.of * multiple.of;
    if ((extent - total) * multiple.share > total) continue;
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    return extent > kMost ? total : static_cast<std::uint32_t>(extent);
  }
  return total;
}

TileLevels SplitAxisFreely(const std::string& name, std::uint32_t total, const Tiling& tiling,
                           std::uint32_t largest) {
  TileLevels out;
  if (total < 2) {
    out.sizes = {{total}};
    return out;
  }
  std::vector<std::uint32_t> divisors = {1};
  for (const std::uint32_t d : DivisorsIn(total, {2, largest})) divisors.push_back(d);
  if (total <= largest) divisors.push_back(total);
  const std::size_t levels = tiling.size() + 1;
  for (std::size_t keep = std::min(kMaxUniverse, divisors.size()); keep >= 1; keep /= 2) {
    if (keep < divisors.size()) {
      divisors.resize(keep);
      out.note = "axis " + name + " = " + std::to_string(total) + " has many divisors: the " +
                 std::to_string(keep) + " smallest are kept for its tile levels";
    }
    std::vector<std::set<std::uint32_t>> found(levels + 1);
    CollectFreely(divisors, levels, total, false, found);
    const bool fits = std::all_of(found.begin(), found.end(),
                                  [](const auto& s) { return s.size() <= kMaxUniverse; });
    if (!fits) continue;
    for (std::size_t level = 0; level <= levels; ++level) {
      // What is absent in every split would be a loop of one iteration, at any place.
      if (level > 0 && *found[level].rbegin() == 1) continue;
      out.sizes.emplace_back(found[level].begin(), found[level].end());
    }
    if (divisors.size() <= 2 && divisors.back() == total) divisors.pop_back();
    if (divisors.size() == 1 && !tiling.empty()) {
      out.note = "axis " + name + " = " + std::to_string(total) +
                 " has no divisor in its tile range 2.." + std::to_string(largest) +
                 ": it is one loop";
    }
    return out;
  }
  return out;  // Not reached: a single divisor always splits.
}

TileLevels SplitAxis(const std::string& name, std::uint32_t total, const Tiling& tiling) {
  TileLevels out;
  if (total < 2) {
    out.sizes = {{total}};
    return out;
  }
  // Most levels first; among equals the inner ones, which decide vectors and registers.
  std::vector<unsigned> masks;
  for (unsigned mask = 0; mask < (1u << tiling.size()); ++mask) masks.push_back(mask);
  std::stable_sort(masks.begin(), masks.end(), [](unsigned a, unsigned b) {
    const int bits_a = __builtin_popcount(a), bits_b = __builtin_popcount(b);
    return bits_a != bits_b ? bits_a > bits_b : a > b;
  });
  for (const unsigned mask : masks) {
    for (std::size_t keep = kMaxUniverse; keep >= 1; keep /= 2) {
      auto sizes = Try(total, tiling, mask, keep);
      if (sizes.empty()) break;
      const bool fits = std::all_of(sizes.begin(), sizes.end(),
                                    [](const auto& s) { return s.size() <= kMaxUniverse; });
      if (!fits) continue;
      out.sizes = std::move(sizes);
      const auto levels = out.sizes.size() - 1;
      const std::string axis = "axis " + name + " = " + std::to_string(total);
      if (levels == 0 && !tiling.empty()) {
        out.note =
            axis + " has no divisor in its tile range " + Ranges(tiling) + ": it is not tiled";
      } else if (levels < tiling.size()) {
        out.note = axis + " has divisors for " + std::to_string(levels) + " of its " +
                   std::to_string(tiling.size()) + " tile levels (" + Ranges(tiling) + ")";
      } else if (keep < kMaxUniverse) {
        out.note = axis + " has many divisors: the " + std::to_string(keep) +
                   " smallest of each tile level are kept";
      }
      return out;
    }
  }
  return out;  // Not reached: the empty mask always splits.
}

}  // namespace exh::kernels::ir

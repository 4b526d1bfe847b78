// SPDX-License-Identifier: MIT
#include "kernels/loops/patches.h"

#include <utility>
#include <vector>

#include "kernels/loops/tiles.h"

namespace exh::kernels::loops {
namespace {

/// The tile of one of the two loops of a chain; 1: it has none.
std::int64_t TileOf(const NestNode& loop, const NestNode& innermost, PatchSize size) {
  const std::int64_t extent = *loop.range.extent();
  if (size == PatchSize::kTiles) return extent > kStagedTile ? kStagedTile : 1;
  // Of a sector of 32 bytes all is used; what is left of a warp goes along the other loop.
  constexpr std::int64_t kAlong = 8, kAcross = 16;
  const int vector = loop.mapping.vector;
  const bool is_across = innermost.mapping.vector > 1 && &loop != &innermost;
  const std::int64_t most = is_across ? kAcross : kAlong;
  for (std::int64_t tile = most; tile >= 4; tile /= 2) {
    if (extent > tile && extent % tile == 0 && tile % vector == 0) return tile;
  }
  constexpr std::int64_t kManyTiles = 4;  // The last one may be empty for the most part.
  return extent >= kManyTiles * most && most % vector == 0 ? most : 1;
}

/// The decisions of a nest with patches. False: it has none.
bool AddPatches(const NestNode& node, PatchSize size, std::vector<LoopDecision>& decisions) {
  const std::vector<const NestNode*> chain = ChainOf(node);
  bool has_any = false;
  if (chain.empty()) {
    if (node.is_loop()) decisions.push_back({.vector = node.mapping.vector});
    for (const NestNode& child : node.children) has_any |= AddPatches(child, size, decisions);
    return has_any;
  }
  // The two loops along which most accesses are neighbours.
  const auto near = [](const NestNode* loop) { return loop == nullptr ? 0 : loop->facts.near(); };
  const NestNode *first = nullptr, *second = nullptr;
  for (const NestNode* loop : chain) {
    if (near(loop) > near(first)) {
      second = std::exchange(first, loop);
    } else if (near(loop) > near(second)) {
      second = loop;
    }
  }
  constexpr double kFew = 0.05;
  const bool has_two = second != nullptr && near(second) > kFew * near(first);
  const std::int64_t of_first = has_two ? TileOf(*first, *chain.back(), size) : 1;
  const std::int64_t of_second = has_two ? TileOf(*second, *chain.back(), size) : 1;
  has_any = of_first > 1 && of_second > 1;
  for (const NestNode* loop : chain) {
    decisions.push_back({.vector = size == PatchSize::kTiles ? 1 : loop->mapping.vector});
    if (has_any && loop == first) decisions.back().tile = of_first;
    if (has_any && loop == second) decisions.back().tile = of_second;
  }
  return AddPatches(chain.back()->body(), size, decisions) || has_any;
}

}  // namespace

std::optional<NestNode> WithPatches(const NestNode& nest, PatchSize size) {
  std::vector<LoopDecision> decisions;
  if (!AddPatches(nest, size, decisions)) return std::nullopt;
  return Decided(nest, decisions);
}

}  // namespace exh::kernels::loops

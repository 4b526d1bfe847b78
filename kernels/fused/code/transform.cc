// SPDX-License-Identifier: MIT
#include "kernels/fused/code/transform.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace exh::kernels::fused {
namespace {

using ir::Relation;
using poly::Condition;
using poly::Index;
using Kind = poly::ScopNode::Kind;

/// Executions of statements that are worth waking other threads.
constexpr double kWorthThreads = 1 << 15;

double PointsOf(const NestNode& node) {
  if (node.kind == Kind::kCall) return 1;
  double points = 0;
  for (const NestNode& child : node.children) points += PointsOf(child);
  return points * static_cast<double>(node.is_loop() ? node.node.extent.value_or(1) : 1);
}

void AddLoops(const NestNode& node, std::vector<const NestNode*>& loops) {
  if (node.is_loop()) loops.push_back(&node);
  for (const NestNode& child : node.children) AddLoops(child, loops);
}

/// Loops right in each other from this one on, all of which may be tiled.
std::vector<const NestNode*> ChainOf(const NestNode& node) {
  std::vector<const NestNode*> chain;
  for (const NestNode* loop = &node; loop->is_loop() && loop->is_parallel && loop->node.extent;
       loop = &loop->children.front()) {
    chain.push_back(loop);
  }
  return chain;
}

void AddMayBeTiled(const NestNode& node, bool is_in_chain, std::vector<bool>& may) {
  const std::size_t length = ChainOf(node).size();
  const bool is_tiled = length >= 2 || (length == 1 && is_in_chain);
  if (node.is_loop()) may.push_back(is_tiled);
  for (const NestNode& child : node.children) {
    AddMayBeTiled(child, node.is_loop() && length > 0, may);
  }
}

/// The tile of one of the two loops of a chain; 1: it has none.
std::int64_t TileOf(const NestNode& loop, const std::vector<const NestNode*>& chain,
                    PatchSize size) {
  const std::int64_t extent = *loop.node.extent;
  if (size == PatchSize::kTiles) return extent > kStagedTile ? kStagedTile : 1;
  // Of a sector of 32 bytes all is used; what is left of a warp goes along the other loop.
  constexpr std::int64_t kAlong = 8, kAcross = 16;
  const bool is_across = chain.back()->vector > 1 && &loop != chain.back();
  const std::int64_t most = is_across ? kAcross : kAlong;
  for (std::int64_t tile = most; tile >= 4; tile /= 2) {
    if (extent > tile && extent % tile == 0 && tile % loop.vector == 0) return tile;
  }
  constexpr std::int64_t kManyTiles = 4;  // The last one may be empty for the most part.
  return extent >= kManyTiles * most && most % loop.vector == 0 ? most : 1;
}

/// The decisions of a nest with patches. False: it has none.
bool AddPatches(const NestNode& node, PatchSize size, std::vector<LoopDecision>& decisions) {
  const std::vector<const NestNode*> chain = ChainOf(node);
  bool has_any = false;
  if (chain.empty()) {
    if (node.is_loop()) decisions.push_back({.vector = node.vector});
    for (const NestNode& child : node.children) has_any |= AddPatches(child, size, decisions);
    return has_any;
  }
  // The two loops along which most accesses are neighbours.
  const auto near = [](const NestNode* loop) {
    return loop == nullptr ? 0 : loop->near_reads + loop->near_writes;
  };
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
  const std::int64_t of_first = has_two ? TileOf(*first, chain, size) : 1;
  const std::int64_t of_second = has_two ? TileOf(*second, chain, size) : 1;
  has_any = of_first > 1 && of_second > 1;
  for (const NestNode* loop : chain) {
    decisions.push_back({.vector = size == PatchSize::kTiles ? 1 : loop->vector});
    if (has_any && loop == first) decisions.back().tile = of_first;
    if (has_any && loop == second) decisions.back().tile = of_second;
  }
  return AddPatches(chain.back()->children.front(), size, decisions) || has_any;
}

class Deciding {
 public:
  explicit Deciding(const std::vector<LoopDecision>& decisions) : decisions_(decisions) {}

  NestNode Run(const NestNode& node) {
    const std::vector<const NestNode*> chain = ChainOf(node);
    if (chain.empty()) {
      NestNode copy = Bare(node);
      if (node.is_loop()) Take(decisions_.at(next_++), copy);
      for (const NestNode& child : node.children) copy.children.push_back(Run(child));
      return copy;
    }
    const std::size_t first = next_;
    next_ += chain.size();
    std::vector<NestNode> tiles, loops;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      NestNode loop = Bare(*chain[i]);
      LoopDecision decision = decisions_.at(first + i);
      if (decision.tile > 1) {
        tiles.push_back(TilesOf(loop, decision));
        const bool is_whole = *loop.node.extent % decision.tile == 0;
        if (!is_whole) loop.end = loop.node.extent;
        const Index variable(loop.node.variable), tile(tiles.back().node.variable);
        loop.node.first = tile;
        loop.node.condition = {variable, Relation::kLess, tile + Index(decision.tile)};
        if (loop.end) {
          loop.node.condition =
              loop.node.condition && Condition(variable, Relation::kLess, *loop.end);
        }
        loop.node.extent.reset();
        loop.count = decision.tile;
        loop.is_in_tile = true;
        decision.has_threads = false;
      }
      Take(decision, loop);
      loops.push_back(std::move(loop));
    }
    NestNode result = Run(chain.back()->children.front());
    for (std::vector<NestNode>* part : {&loops, &tiles}) {
      for (std::size_t i = part->size(); i-- > 0;) {
        (*part)[i].children.push_back(std::move(result));
        result = std::move((*part)[i]);
      }
    }
    return result;
  }

 private:
  /// Without what is in it, and as if nothing were decided.
  static NestNode Bare(const NestNode& node) {
    return {.kind = node.kind,
            .node = node.node,
            .is_parallel = node.is_parallel,
            .is_independent = node.is_independent,
            .is_reduction = node.is_reduction,
            .is_begin = node.is_begin,
            .count = node.count,
            .near_reads = node.near_reads,
            .near_writes = node.near_writes,
            .end = node.end,
            .widest = node.widest};
  }
  static void Take(const LoopDecision& decision, NestNode& loop) {
    loop.has_threads = decision.has_threads;
    loop.vector = decision.vector;
    loop.lanes = decision.vector > 1 ? decision.vector : 0;
  }
  static NestNode TilesOf(const NestNode& loop, const LoopDecision& decision) {
    NestNode tiles = Bare(loop);
    tiles.node.variable.name += "t";
    ++tiles.node.variable.number;  // Those of loops are even.
    tiles.node.condition = {Index(tiles.node.variable), Relation::kLess, *loop.node.extent};
    tiles.node.step = decision.tile;
    tiles.node.extent.reset();
    tiles.count = (*loop.node.extent + decision.tile - 1) / decision.tile;
    tiles.has_threads = decision.has_threads;
    return tiles;
  }

  const std::vector<LoopDecision>& decisions_;
  std::size_t next_ = 0;
};

void DivideAmongThreads(NestNode& node) {
  if (node.is_loop()) {
    node.has_threads = node.is_parallel && PointsOf(node) >= kWorthThreads;
    return;
  }
  for (NestNode& child : node.children) DivideAmongThreads(child);
}

}  // namespace

std::vector<const NestNode*> LoopsOf(const NestNode& nest) {
  std::vector<const NestNode*> loops;
  AddLoops(nest, loops);
  return loops;
}

std::vector<bool> MayBeTiled(const NestNode& nest) {
  std::vector<bool> may;
  AddMayBeTiled(nest, /*is_in_chain=*/false, may);
  return may;
}

NestNode Decided(const NestNode& nest, const std::vector<LoopDecision>& decisions) {
  return Deciding(decisions).Run(nest);
}

namespace {

bool IsOnlyBegins(const NestNode& node) {
  if (node.kind == Kind::kCall) return node.is_begin;
  return node.kind == Kind::kBlock && std::ranges::all_of(node.children, IsOnlyBegins);
}

void SetFirst(NestNode& node, int variable) {
  for (Index& argument : node.node.arguments) argument = argument.With(variable, 0);
  for (NestNode& child : node.children) SetFirst(child, variable);
}

/// Beginnings in the first iteration of a loop come in front of it.
NestNode WithBeginsInFront(NestNode loop) {
  NestNode& body = loop.children.front();
  if (!loop.is_reduction || !loop.node.extent || body.kind != Kind::kBlock) return loop;
  NestNode block{.kind = Kind::kBlock, .node = {}, .children = {}};
  std::vector<NestNode> rest;
  for (NestNode& child : body.children) {
    const bool is_begin = child.kind == Kind::kIf && IsOnlyBegins(child.children.front()) &&
                          child.node.condition == Condition::Is(loop.node.variable, 0);
    if (is_begin) {
      SetFirst(child.children.front(), loop.node.variable.number);
      block.children.push_back(std::move(child.children.front()));
    } else {
      rest.push_back(std::move(child));
    }
  }
  body.children = std::move(rest);
  if (block.children.empty()) return loop;
  block.children.push_back(std::move(loop));
  return block;
}

}  // namespace

NestNode ForThreads(const NestNode& nest) {
  std::vector<NestNode> loops;
  const NestNode* rest = &nest;
  for (; rest->is_loop(); rest = &rest->children.front()) {
    NestNode loop = *rest;
    loop.children.clear();
    loop.vector = std::min(loop.vector, loop.widest);
    if (loop.count && *loop.count % loop.vector != 0) loop.vector = 1;
    loops.push_back(std::move(loop));
  }
  // What has the same number of iterations everywhere may go anywhere: no loop that it passes
  // begins or ends with it but its tiles, which it does not pass.
  std::ranges::stable_partition(
      loops, [](const NestNode& loop) { return loop.is_independent && loop.count; });
  // A tile is what neighbouring threads do.
  const auto others = std::ranges::find_if_not(
      loops, [](const NestNode& loop) { return loop.is_parallel && loop.count; });
  std::stable_partition(loops.begin(), others,
                        [](const NestNode& loop) { return !loop.is_in_tile; });
  NestNode result = *rest;
  result.children.clear();
  for (const NestNode& child : rest->children) result.children.push_back(ForThreads(child));
  for (std::size_t i = loops.size(); i-- > 0;) {
    if (i + 1 < loops.size()) loops[i].vector = 1;
    loops[i].children.push_back(std::move(result));
    result = WithBeginsInFront(std::move(loops[i]));
  }
  return result;
}

std::optional<NestNode> WithPatches(const NestNode& nest, PatchSize size) {
  std::vector<LoopDecision> decisions;
  if (!AddPatches(nest, size, decisions)) return std::nullopt;
  return Decided(nest, decisions);
}

void DivideAmongThreads(std::vector<NestNode>& nests) {
  for (NestNode& nest : nests) DivideAmongThreads(nest);
}

}  // namespace exh::kernels::fused

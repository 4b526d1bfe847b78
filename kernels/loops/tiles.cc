// SPDX-License-Identifier: MIT
#include "kernels/loops/tiles.h"

#include <utility>

namespace exh::kernels::loops {
namespace {

using ir::Condition;
using ir::Index;
using ir::Relation;

void AddMayBeTiled(const NestNode& node, bool is_in_chain, std::vector<bool>& may) {
  const std::size_t length = ChainOf(node).size();
  const bool is_tiled = length >= 2 || (length == 1 && is_in_chain);
  if (node.is_loop()) may.push_back(is_tiled);
  for (const NestNode& child : node.children) {
    AddMayBeTiled(child, node.is_loop() && length > 0, may);
  }
}

LoopMapping MappingOf(const LoopDecision& decision) {
  return {.has_threads = decision.has_threads,
          .vector = decision.vector,
          .lanes = decision.vector > 1 ? decision.vector : 0};
}

/// The loop over the tiles of one, which becomes the loop over the iterations of a tile.
NestNode TakeTiles(NestNode& loop, std::int64_t tile) {
  NestNode tiles = loop.Bare();
  LoopRange &over = tiles.range, &within = loop.range;
  const std::int64_t extent = *within.extent();
  over.variable.name += "t";
  ++over.variable.number;
  over.condition = {Index(over.variable), Relation::kLess, extent};
  over.step = tile;
  over.count = (extent + tile - 1) / tile;
  const Index variable(within.variable), first(over.variable);
  within.first = first;
  within.condition = {variable, Relation::kLess, first + Index(tile)};
  within.count = tile;
  if (extent % tile != 0) {
    within.end = extent;
    within.condition = within.condition && Condition(variable, Relation::kLess, extent);
  }
  loop.mapping.is_in_tile = true;
  return tiles;
}

class Deciding {
 public:
  explicit Deciding(const std::vector<LoopDecision>& decisions) : decisions_(decisions) {}

  NestNode Run(const NestNode& node) {
    const std::vector<const NestNode*> chain = ChainOf(node);
    if (chain.empty()) {
      NestNode copy = node.Bare();
      if (node.is_loop()) copy.mapping = MappingOf(decisions_.at(next_++));
      for (const NestNode& child : node.children) copy.children.push_back(Run(child));
      return copy;
    }
    std::vector<NestNode> tiles, loops;
    for (const NestNode* of : chain) {
      const LoopDecision& decision = decisions_.at(next_++);
      NestNode loop = of->Bare();
      loop.mapping = MappingOf(decision);
      if (decision.tile > 1) {
        tiles.push_back(TakeTiles(loop, decision.tile));
        tiles.back().mapping = {.has_threads = std::exchange(loop.mapping.has_threads, false)};
      }
      loops.push_back(std::move(loop));
    }
    NestNode result = Run(chain.back()->body());
    for (std::vector<NestNode>* part : {&loops, &tiles}) {
      for (std::size_t i = part->size(); i-- > 0;) {
        (*part)[i].children.push_back(std::move(result));
        result = std::move((*part)[i]);
      }
    }
    return result;
  }

 private:
  const std::vector<LoopDecision>& decisions_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<const NestNode*> ChainOf(const NestNode& node) {
  std::vector<const NestNode*> chain;
  for (const NestNode* loop = &node;
       loop->is_loop() && loop->facts.is_parallel && loop->range.extent(); loop = &loop->body()) {
    chain.push_back(loop);
  }
  return chain;
}

std::vector<bool> MayBeTiled(const NestNode& nest) {
  std::vector<bool> may;
  AddMayBeTiled(nest, /*is_in_chain=*/false, may);
  return may;
}

NestNode Decided(const NestNode& nest, const std::vector<LoopDecision>& decisions) {
  return Deciding(decisions).Run(nest);
}

}  // namespace exh::kernels::loops

// SPDX-License-Identifier: MIT
#include "kernels/loops/edges.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace exh::kernels::loops {
namespace {

using ir::Condition;
using ir::Index;
using Kind = NestNode::Kind;

/// What a condition holds at one iteration alone, there; nothing: it is no such condition.
std::optional<NestNode> AtIteration(const NestNode& node, const ir::IndexVariable& variable,
                                    std::int64_t iteration) {
  if (node.kind != Kind::kIf) return std::nullopt;
  std::optional<Condition> rest = node.condition.Without(Condition::Is(variable, iteration));
  if (!rest) return std::nullopt;
  NestNode moved = node.body();
  if (!rest->always()) moved = NestNode::If(*std::move(rest), std::move(moved));
  moved.Set(variable.number, iteration);
  return moved;
}

/// Takes the beginnings of sums in the first iteration out of the body; `may_have_more`: also
/// where their condition says more than that.
std::vector<NestNode> Begins(NestNode& loop, bool may_have_more) {
  std::vector<NestNode> begins, rest;
  if (loop.body().kind != Kind::kBlock) return begins;
  for (NestNode& child : loop.body().children) {
    std::optional<NestNode> moved;
    if (child.kind == Kind::kIf && IsOnlyBegins(child.body())) {
      moved = AtIteration(child, loop.range.variable, 0);
    }
    if (moved && moved->kind == Kind::kIf && !may_have_more) moved.reset();
    (moved ? begins : rest).push_back(moved ? *std::move(moved) : std::move(child));
  }
  loop.body().children = std::move(rest);
  return begins;
}

/// Takes what the last iteration ends with out of the body.
std::vector<NestNode> Ends(NestNode& loop) {
  std::vector<NestNode> ends;
  NestNode& body = loop.body();
  while (body.kind == Kind::kBlock && body.children.size() > 1) {
    std::optional<NestNode> moved =
        AtIteration(body.children.back(), loop.range.variable, *loop.range.extent() - 1);
    if (!moved) break;
    ends.insert(ends.begin(), *std::move(moved));
    body.children.pop_back();
  }
  return ends;
}

void CountFromZero(NestNode& loop) {
  LoopRange& range = loop.range;
  const std::optional<Index> last = range.condition.Last(range.variable.number);
  if (range.extent() || range.step != 1) return;
  if (!last || !range.first.number() || !last->number()) return;
  const std::int64_t first = *range.first.number(), extent = *last->number() - first + 1;
  if (extent < 1) return;
  range.variable.min = 0;
  range.variable.max = extent - 1;
  if (first != 0) {
    loop.body().Set(range.variable.number, Index(range.variable) + Index(first));
  }
  range = LoopRange::Of(range.variable);
}

NestNode Around(std::vector<NestNode> before, NestNode loop, std::vector<NestNode> behind) {
  if (before.empty() && behind.empty()) return loop;
  before.push_back(std::move(loop));
  std::ranges::move(behind, std::back_inserter(before));
  return NestNode::Block(std::move(before));
}

}  // namespace

NestNode WithoutEdges(NestNode nest) {
  for (NestNode& child : nest.children) child = WithoutEdges(std::move(child));
  if (!nest.is_loop()) return nest;
  CountFromZero(nest);
  if (nest.range.extent().value_or(0) < 1) return nest;
  std::vector<NestNode> begins = Begins(nest, /*may_have_more=*/true), ends = Ends(nest);
  return Around(std::move(begins), std::move(nest), std::move(ends));
}

NestNode WithBeginsInFront(NestNode loop) {
  if (!loop.facts.is_reduction || !loop.range.extent()) return loop;
  std::vector<NestNode> begins = Begins(loop, /*may_have_more=*/false);
  return Around(std::move(begins), std::move(loop), {});
}

}  // namespace exh::kernels::loops

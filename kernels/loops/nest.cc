// SPDX-License-Identifier: MIT
#include "kernels/loops/nest.h"

#include <algorithm>
#include <utility>

namespace exh::kernels::loops {
namespace {

using Kind = NestNode::Kind;

template <typename Visit>
void ForEach(const NestNode& node, const Visit& visit) {
  visit(node);
  for (const NestNode& child : node.children) ForEach(child, visit);
}

bool AddCalls(const NestNode& node, std::vector<const NestNode*>& calls) {
  if (node.kind == Kind::kCall) calls.push_back(&node);
  if (node.kind != Kind::kBlock) return node.kind == Kind::kCall;
  return std::ranges::all_of(node.children,
                             [&](const NestNode& child) { return AddCalls(child, calls); });
}

}  // namespace

LoopRange LoopRange::Of(ir::IndexVariable variable) {
  const ir::Index index(variable);
  const std::int64_t extent = variable.max + 1;
  return {.variable = std::move(variable),
          .first = 0,
          .condition = {index, ir::Relation::kLess, extent},
          .count = extent};
}

NestNode NestNode::Loop(LoopRange range, NestNode body) {
  NestNode node{.kind = Kind::kLoop, .range = std::move(range)};
  node.children.push_back(std::move(body));
  return node;
}

NestNode NestNode::If(ir::Condition condition, NestNode body) {
  NestNode node{.kind = Kind::kIf, .condition = std::move(condition)};
  node.children.push_back(std::move(body));
  return node;
}

NestNode NestNode::Call(int statement, std::vector<ir::Index> arguments) {
  return {.kind = Kind::kCall, .statement = statement, .arguments = std::move(arguments)};
}

NestNode NestNode::Block(std::vector<NestNode> children) {
  return {.kind = Kind::kBlock, .children = std::move(children)};
}

NestNode NestNode::Bare() const {
  return {.kind = kind,
          .range = range,
          .facts = facts,
          .mapping = mapping,
          .condition = condition,
          .statement = statement,
          .is_begin = is_begin,
          .arguments = arguments};
}

void NestNode::Set(int variable, const ir::Index& value) {
  range.first = range.first.With(variable, value);
  range.condition = range.condition.With(variable, value);
  condition = condition.With(variable, value);
  for (ir::Index& argument : arguments) argument = argument.With(variable, value);
  for (NestNode& child : children) child.Set(variable, value);
}

std::vector<const NestNode*> LoopsOf(const NestNode& nest) {
  std::vector<const NestNode*> loops;
  ForEach(nest, [&](const NestNode& node) {
    if (node.is_loop()) loops.push_back(&node);
  });
  return loops;
}

bool HasLoops(const NestNode& node) {
  return node.is_loop() || std::ranges::any_of(node.children, HasLoops);
}

std::set<int> StatementsIn(const NestNode& nest) {
  std::set<int> statements;
  ForEach(nest, [&](const NestNode& node) {
    if (node.kind == Kind::kCall) statements.insert(node.statement);
  });
  return statements;
}

std::optional<std::vector<const NestNode*>> CallsOf(const NestNode& node) {
  std::vector<const NestNode*> calls;
  if (!AddCalls(node, calls)) return std::nullopt;
  return calls;
}

bool IsOnlyBegins(const NestNode& node) {
  if (node.kind == Kind::kCall) return node.is_begin;
  return node.kind == Kind::kBlock && std::ranges::all_of(node.children, IsOnlyBegins);
}

}  // namespace exh::kernels::loops

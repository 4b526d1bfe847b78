// SPDX-License-Identifier: MIT
#include "tests/kernels/loops/executions.h"

#include <algorithm>

namespace exh::kernels::loops::testing {
namespace {

void Run(const NestNode& node, std::vector<std::int64_t>& values, std::vector<Execution>& all) {
  switch (node.kind) {
    case NestNode::Kind::kBlock:
      for (const NestNode& child : node.children) Run(child, values, all);
      return;
    case NestNode::Kind::kLoop: {
      const auto variable = static_cast<std::size_t>(node.range.variable.number);
      const std::int64_t before = values[variable];
      for (values[variable] = node.range.first.At(values); node.range.condition.HoldsAt(values);
           values[variable] += node.range.step) {
        Run(node.body(), values, all);
      }
      values[variable] = before;
      return;
    }
    case NestNode::Kind::kIf:
      if (node.condition.HoldsAt(values)) Run(node.body(), values, all);
      return;
    case NestNode::Kind::kCall:
      all.push_back({node.statement, {}});
      for (const ir::Index& argument : node.arguments) {
        all.back().arguments.push_back(argument.At(values));
      }
      return;
  }
}

}  // namespace

std::vector<Execution> ExecutionsOf(const NestNode& nest) {
  std::vector<std::int64_t> values(64, 0);
  std::vector<Execution> all;
  Run(nest, values, all);
  return all;
}

std::vector<Execution> SortedExecutionsOf(const NestNode& nest) {
  std::vector<Execution> all = ExecutionsOf(nest);
  std::ranges::sort(all);
  return all;
}

}  // namespace exh::kernels::loops::testing

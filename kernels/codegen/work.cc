// SPDX-License-Identifier: MIT
#include "kernels/codegen/work.h"

#include <algorithm>
#include <cmath>

namespace exh::kernels::codegen {
namespace {

// A GPU of the larger kind.
constexpr double kMultiprocessors = 128, kClockGhz = 1.75;
constexpr double kIssuesPerCycle = 4;  ///< Of a multiprocessor, for warps.
constexpr double kCyclesPerStep = 6;   ///< Of a warp that waits for itself alone.
constexpr double kResidentThreads = 2048;
constexpr double kResidentBlocks = 32;

double Steps(const LoopTree& tree, int index, std::vector<double>& steps) {
  const LoopNode& node = tree.node(index);
  double sum = node.kind == NodeKind::kExec ? 1 : 0;
  for (const int child : node.children) sum += Steps(tree, child, steps);
  if (node.kind == NodeKind::kLoop || node.kind == NodeKind::kUnroll) {
    sum *= tree.classes[static_cast<std::size_t>(node.dim_class)].size;
  }
  return steps[static_cast<std::size_t>(index)] = sum;
}

}  // namespace

std::vector<double> StepsOfNodes(const LoopTree& tree) {
  std::vector<double> steps(tree.nodes.size());
  Steps(tree, 0, steps);
  return steps;
}

double RoughTimeNs(const LoopTree& tree, const Launch& launch) {
  const double steps = StepsOfNodes(tree).front();
  const double warps = std::ceil(launch.threads / 32.0), grid = static_cast<double>(launch.grid);
  const double resident =
      std::clamp(std::floor(kResidentThreads / launch.threads), 1.0, kResidentBlocks);
  const double waves = std::ceil(grid / (kMultiprocessors * resident));
  const double alone = waves * steps * kCyclesPerStep;
  const double together = std::ceil(grid / kMultiprocessors) * warps * steps / kIssuesPerCycle;
  return std::max(alone, together) / kClockGhz;
}

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
#include "kernels/codegen/plan/work.h"

#include <algorithm>
#include <cmath>

#include "kernels/ir/device.h"

namespace exh::kernels::codegen {
namespace {

// A GPU of the larger kind.
constexpr double kMultiprocessors = 128, kClockGhz = 1.75;
constexpr double kIssuesPerCycle = 4;  ///< Of a multiprocessor, for warps.
constexpr double kCyclesPerStep = 6;   ///< Of a warp that waits for itself alone.
constexpr double kResidentThreads = 2048;
constexpr double kResidentBlocks = 32;
constexpr double kNsPerLaunch = 2e3;  ///< Of a kernel beside the main one.

double Steps(const LoopTree& tree, int index, std::vector<double>& steps) {
  const LoopNode& node = tree.node(index);
  double sum = node.kind == NodeKind::kExec && !tree.is_in_bulk[node.inst.index()] ? 1 : 0;
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
  const double warps = std::ceil(launch.threads / double{ir::kWarpLanes}),
               grid = static_cast<double>(launch.grid);
  const double resident =
      std::clamp(std::floor(kResidentThreads / launch.threads), 1.0, kResidentBlocks);
  const double waves = std::ceil(grid / (kMultiprocessors * resident));
  const double alone = waves * steps * kCyclesPerStep;
  const double together = std::ceil(grid / kMultiprocessors) * warps * steps / kIssuesPerCycle;
  return std::max(alone, together) / kClockGhz +
         kNsPerLaunch * static_cast<double>(launch.sides.size());
}

double RoughTimeNs(const LoopTree& tree, std::uint32_t threads) {
  constexpr double kPerNs = 4;  // Of a core.
  const double rounds = std::ceil(static_cast<double>(tree.num_blocks) / std::max(threads, 1u));
  return rounds * StepsOfNodes(tree).front() / kPerNs;
}

namespace {

/// Does `node` lie in `around`?
bool IsInside(const LoopTree& tree, int node, int around) {
  while (node >= 0 && node != around) node = tree.node(node).parent;
  return node == around;
}

}  // namespace

std::uint64_t LeastRegisters(const ir::Function& function, const LoopTree& tree,
                             const ValuePlan& values) {
  // By value: the nodes that touch it.
  std::vector<std::vector<int>> users(function.insts.size());
  for (const ir::Instruction& inst : function.insts) {
    const int node = tree.node_of_inst[inst.id.index()];
    if (node < 0) continue;
    users[inst.id.index()].push_back(node);
    for (const ValueRead& read : values.insts[inst.id.index()].reads) {
      if (read.producer.valid()) users[read.producer.index()].push_back(node);
    }
  }
  std::uint64_t most = 0;
  for (int loop = 0; loop < static_cast<int>(tree.nodes.size()); ++loop) {
    const LoopNode& node = tree.node(loop);
    if (node.kind != NodeKind::kLoop) continue;
    if (tree.classes[static_cast<std::size_t>(node.dim_class)].size < 2) continue;
    std::uint64_t sum = 0;
    for (const ir::Instruction& inst : function.insts) {
      const ValueStorage& storage = values.storage[inst.id.index()];
      const bool has_register = storage.is_read || inst.is_reduction();
      const auto is_inside = [&](int user) { return IsInside(tree, user, loop); };
      if (users[inst.id.index()].empty() || !has_register || is_inside(storage.home)) continue;
      if (std::none_of(users[inst.id.index()].begin(), users[inst.id.index()].end(), is_inside)) {
        continue;
      }
      // Those of a GPU have the width of an i32.
      const ir::Type held = tree.SumType(function, inst);
      const std::uint64_t bytes = ir::BytesOf(storage.is_bits ? inst.type : held);
      std::uint64_t points = 1;
      for (const KeyDim& key : storage.key) points *= key.size;
      sum += points * bytes / ir::BytesOf(ir::Type::kI32);
    }
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace exh::kernels::codegen

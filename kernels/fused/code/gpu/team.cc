// SPDX-License-Identifier: MIT
#include "kernels/fused/code/gpu/team.h"

#include <algorithm>

#include "kernels/ir/device.h"

namespace exh::kernels::fused {
namespace {

using loops::HasLoops;
using Kind = NestNode::Kind;

constexpr std::int64_t kBlock = 256;  ///< Threads of a block, as a rule.
constexpr std::int64_t kLargestBlock = 512;
constexpr std::int64_t kWarp = ir::kWarpLanes;
constexpr std::int64_t kEnough = 1 << 17;  ///< Threads that keep the largest GPUs busy.
constexpr std::int64_t kEnoughBlocks = 512;
constexpr std::int64_t kMostSplits = 256;
constexpr std::int64_t kShare = 4;  ///< Iterations that a thread should have at least.

/// Every thread of a block comes to the same barriers: loops have the same length everywhere, and
/// no condition decides about one.
bool IsUniform(const NestNode& node) {
  if (node.is_loop() && (!node.range.count || node.range.end)) return false;
  if (node.kind == Kind::kIf && HasLoops(node)) return false;
  return std::ranges::all_of(node.children, IsUniform);
}

/// What a team could divide in it: iterations, and how many elements have neighbours along them.
struct Work {
  std::int64_t iterations = 0;
  double neighbours = 0;
};

Work WorkIn(const NestNode& node) {
  Work most;
  if (node.is_loop()) {
    const std::vector<const NestNode*> loops = DividedLoops(node);
    if (!loops.empty()) {
      most.iterations = 1;
      for (const NestNode* loop : loops) most.iterations *= *loop->range.count;
      most.neighbours = loops.back()->facts.near();
      return most;
    }
  }
  for (const NestNode& child : node.children) {
    const Work work = WorkIn(child);
    most.iterations = std::max(most.iterations, work.iterations);
    most.neighbours = std::max(most.neighbours, work.neighbours);
  }
  return most;
}

std::int64_t PowerBelow(std::int64_t number) {
  std::int64_t power = 1;
  while (power * 2 <= number) power *= 2;
  return power;
}

}  // namespace

std::vector<const NestNode*> DividedLoops(const NestNode& loop) {
  const auto may = [&](const NestNode& other) {
    return other.is_loop() && other.range.count && !other.range.end &&
           (loop.facts.is_parallel ? other.facts.is_parallel : other.facts.is_reduction);
  };
  std::vector<const NestNode*> loops;
  for (const NestNode* next = &loop; may(*next); next = &next->body()) {
    loops.push_back(next);
  }
  return loops;
}

Team TeamFor(const std::vector<const NestNode*>& parallel, const NestNode& body) {
  Team team;
  for (const NestNode* loop : parallel) team.all_points *= *loop->range.count;
  const Work work = WorkIn(body);
  const bool has_ends = std::ranges::any_of(
      parallel, [](const NestNode* loop) { return loop->range.end.has_value(); });
  if (work.iterations < 2 * kShare || has_ends || !IsUniform(body)) return team;
  const double outside = parallel.empty() ? 0 : parallel.back()->facts.near();
  team.is_together = work.neighbours > outside || team.all_points < kWarp;
  const auto is_enough = [&] {
    return team.all_points * team.size >= kEnough || team.size * kShare > work.iterations;
  };
  if (team.is_together) {
    team.size = std::min(kWarp, PowerBelow(work.iterations));
    while (!is_enough() && team.size < kBlock) team.size *= 2;
    team.points = std::max<std::int64_t>(1, kBlock / team.size);
    team.points = std::min(team.points, PowerBelow(2 * team.all_points - 1));
    return team;
  }
  while (!is_enough() && team.size * kWarp < kLargestBlock) team.size *= 2;
  team.points = std::max(kWarp, kBlock / team.size);
  return team;
}

std::int64_t SplitsFor(const Team& team, std::int64_t iterations) {
  std::int64_t splits = 1;
  while (team.blocks() * splits < kEnoughBlocks && splits < kMostSplits &&
         iterations >= 2 * splits * team.size * kShare) {
    splits *= 2;
  }
  return splits;
}

}  // namespace exh::kernels::fused

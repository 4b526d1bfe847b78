// SPDX-License-Identifier: MIT
#include "kernels/loops/threads.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/loops/edges.h"

namespace exh::kernels::loops {
namespace {

/// Executions of statements that are worth waking other threads.
constexpr double kWorthThreads = 1 << 15;

double PointsOf(const NestNode& node) {
  if (node.kind == NestNode::Kind::kCall) return 1;
  double points = 0;
  for (const NestNode& child : node.children) points += PointsOf(child);
  return points * static_cast<double>(node.is_loop() ? node.range.extent().value_or(1) : 1);
}

}  // namespace

void DivideAmongThreads(NestNode& nest) {
  if (nest.is_loop()) {
    nest.mapping.has_threads = nest.facts.is_parallel && PointsOf(nest) >= kWorthThreads;
    return;
  }
  for (NestNode& child : nest.children) DivideAmongThreads(child);
}

NestNode ForThreads(const NestNode& nest) {
  std::vector<NestNode> loops;
  const NestNode* rest = &nest;
  for (; rest->is_loop(); rest = &rest->body()) {
    NestNode loop = rest->Bare();
    int& vector = loop.mapping.vector;
    vector = std::min(vector, loop.facts.widest);
    if (loop.range.count && *loop.range.count % vector != 0) vector = 1;
    loops.push_back(std::move(loop));
  }
  // What has the same number of iterations everywhere may go anywhere: no loop that it passes
  // begins or ends with it but its tiles, which it does not pass.
  std::ranges::stable_partition(
      loops, [](const NestNode& loop) { return loop.facts.is_independent && loop.range.count; });
  // A tile is what neighbouring threads do.
  const auto others = std::ranges::find_if_not(
      loops, [](const NestNode& loop) { return loop.facts.is_parallel && loop.range.count; });
  std::stable_partition(loops.begin(), others,
                        [](const NestNode& loop) { return !loop.mapping.is_in_tile; });
  NestNode result = rest->Bare();
  for (const NestNode& child : rest->children) result.children.push_back(ForThreads(child));
  for (std::size_t i = loops.size(); i-- > 0;) {
    if (i + 1 < loops.size()) loops[i].mapping.vector = 1;
    loops[i].children.push_back(std::move(result));
    result = WithBeginsInFront(std::move(loops[i]));
  }
  return result;
}

}  // namespace exh::kernels::loops

// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/own/launch_limits.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace exh::kernels::cuda {
namespace {

using Axes = std::array<std::int64_t, 3>;

// The same for all GPUs since compute capability 3.0 (CUDA programming guide).
constexpr Axes kMostGrid = {2147483647, 65535, 65535}, kMostBlock = {1024, 1024, 64};
constexpr int kThreads = 1024;        ///< Of a block, where the driver does not tell.
constexpr std::int64_t kCluster = 8;  ///< Blocks of one that every GPU with clusters can have.

/// `what` is "block"; empty: all three are from 1 to their limit.
std::string Outside(const char* what, const Axes& axes, const Axes& most) {
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis] >= 1 && axes[axis] <= most[axis]) continue;
    return fmt::format("{}.{} is {}, and may be 1 to {}", what, "xyz"[axis], axes[axis],
                       most[axis]);
  }
  return "";
}

}  // namespace

std::string ProblemOfLaunch(const OwnLaunch& launch, const DeviceFacts& facts, WideLaunch& wide) {
  if (std::string why = Outside("block", launch.block, kMostBlock); !why.empty()) return why;
  if (std::string why = Outside("grid", launch.grid, kMostGrid); !why.empty()) return why;
  if (std::string why = Outside("cluster", launch.cluster, {kCluster, kCluster, kCluster});
      !why.empty()) {
    return why;
  }
  const int threads = facts.threads_per_block > 0 ? facts.threads_per_block : kThreads;
  const auto product = [](const Axes& axes) { return axes[0] * axes[1] * axes[2]; };
  if (product(launch.block) > threads) {
    return fmt::format("a block of {} threads, the GPU has {} at most", product(launch.block),
                       threads);
  }
  if (launch.shared < 0 || static_cast<std::uint64_t>(launch.shared) > facts.shared_bytes) {
    return fmt::format("{} bytes of shared memory, the GPU has 0 to {}", launch.shared,
                       facts.shared_bytes);
  }
  if (product(launch.cluster) > kCluster) {
    return fmt::format("a cluster of {} blocks, {} are the most", product(launch.cluster),
                       kCluster);
  }
  if (product(launch.cluster) > 1 && facts.capability() < kClustersFrom) {
    return fmt::format("clusters need sm_90 or later, the GPU is {}", facts.architecture());
  }
  for (std::size_t axis = 0; axis < launch.grid.size(); ++axis) {
    if (launch.grid[axis] % launch.cluster[axis] == 0) continue;
    return fmt::format("grid.{0} is {1}, no multiple of cluster.{0}, {2}", "xyz"[axis],
                       launch.grid[axis], launch.cluster[axis]);
  }
  for (std::size_t axis = 0; axis < launch.grid.size(); ++axis) {
    wide.grid[axis] = static_cast<unsigned int>(launch.grid[axis]);
    wide.block[axis] = static_cast<unsigned int>(launch.block[axis]);
    wide.cluster[axis] = static_cast<unsigned int>(launch.cluster[axis]);
  }
  wide.shared_bytes = static_cast<unsigned int>(launch.shared);
  return "";
}

}  // namespace exh::kernels::cuda

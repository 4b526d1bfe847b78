// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/probes/sweeps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace exh::kernels {
namespace {

using cuda::CUdeviceptr;
using cuda::DeviceBuffer;

constexpr std::uint64_t kVector = 16;          ///< Bytes of an access.
constexpr std::uint64_t kBlockVectors = 2048;  ///< That a block goes through.
constexpr std::uint32_t kThreads = 512;

struct Kind {
  SweepKind kind;
  const char *name, *how, *kernel;
  std::uint64_t arrays;
};
constexpr Kind kKinds[] = {
    {SweepKind::kRead, "read", "reads of so many MB, launch after launch", "probe_sweep_read", 1},
    {SweepKind::kWrite, "write", "writes of so many MB", "probe_sweep_write", 1},
    {SweepKind::kThird, "third", "two reads a write, of so many MB", "probe_sweep_third", 3}};

/// Of a cache: shares that a launch tries to leave for the next one.
std::vector<double> SharesKept(Care care) {
  if (care == Care::kQuick) return {0.5, 0.75};
  return {0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1};
}

}  // namespace

std::string SweepName(int megabytes, SweepKind kind) {
  const Kind* const found = std::ranges::find(kKinds, kind, &Kind::kind);
  return fmt::format("sweep_{}_{}", megabytes, found->name);
}

std::vector<Characteristic> MeasureSweeps(const cuda::Gpu& gpu, const cuda::Timer& timer,
                                          const cuda::Module& programs, Care care) {
  constexpr std::uint64_t kMega = 1000000;
  const std::uint64_t most = gpu.facts().memory_bytes / 4;
  std::vector<int> sizes;
  for (const int megabytes : kSweepMegabytes) {
    if (static_cast<std::uint64_t>(megabytes) * kMega <= most) sizes.push_back(megabytes);
  }
  std::vector<Characteristic> all;
  if (sizes.empty()) return all;
  const DeviceBuffer memory(gpu, static_cast<std::uint64_t>(sizes.back()) * kMega);
  gpu.Fill(memory.data(), 0, memory.bytes() / 4);
  const double l2_bytes = static_cast<double>(gpu.facts().l2_bytes);
  for (const int megabytes : sizes) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(megabytes) * kMega;
    for (const Kind& kind : kKinds) {
      Characteristic found{SweepName(megabytes, kind.kind), "GB/s", kind.how};
      std::uint64_t count = bytes / kind.arrays / kVector;
      // None and all of them, and of each array its part of the share.
      std::vector<std::uint64_t> kept = {0, count};
      for (const double share : SharesKept(care)) {
        const double vectors = share * l2_bytes / static_cast<double>(kind.arrays * kVector);
        kept.push_back(std::min(count, static_cast<std::uint64_t>(vectors)));
      }
      CUdeviceptr a = memory.data(), b = a + count * kVector, c = b + count * kVector;
      if (kind.arrays == 1) b = c = a;
      Launch launch;
      launch.threads = kThreads;
      launch.grid = (count + kBlockVectors - 1) / kBlockVectors;
      const auto function = programs.Function(kind.kernel);
      for (std::uint64_t some : kept) {
        std::array<void*, 5> arguments = {&a, &b, &c, &count, &some};
        const auto run = [&](int) { gpu.Launch(function, launch, arguments.data()); };
        // Some launches are there to fill the cache: the first batch has more of them than it
        // takes.
        const bool is_full = care == Care::kFull;
        const cuda::Timing timing =
            timer.Time(run, static_cast<double>(bytes) / 4e3,
                       {.batch_ns = is_full ? 2e6 : 5e5, .batches = is_full ? 5 : 2, .stop_ns = 0});
        for (const double ns : timing.batch_ns) {
          found.samples.push_back(static_cast<double>(kind.arrays * count * kVector) / ns);
        }
      }
      all.push_back(std::move(found));
    }
  }
  return all;
}

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/probes/rates.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace exh::kernels::cuda {
namespace {

constexpr std::size_t kBytes = std::size_t{2} << 30;
constexpr std::uint32_t kCopyThreads = 512;
constexpr std::uint64_t kCopyVectors = 4;  ///< Of a thread.
constexpr std::uint32_t kFmaThreads = 256;
constexpr int kFmaBlocksPerSm = 8;
constexpr int kFmaRounds = 4096;
constexpr double kFmasPerRound = 64;
constexpr int kBatches = 10;

double Best(const Timing& timing) {
  return *std::min_element(timing.batch_ns.begin(), timing.batch_ns.end());
}

}  // namespace

MeasuredRates MeasureRates(const Gpu& gpu, const Timer& timer, const RateFunctions& functions) {
  MeasuredRates rates;
  const TimerOptions options{.batch_ns = 2e6, .batches = kBatches, .stop_ns = 0};
  // Bytes per ns are GB/s.
  const double moved = 2.0 * static_cast<double>(kBytes);
  {
    const DeviceBuffer from(gpu, kBytes), to(gpu, kBytes);
    gpu.Fill(from.data(), 0, kBytes / 4);
    gpu.Fill(to.data(), 0, kBytes / 4);
    const auto driver = [&](int) {
      gpu.Check(gpu.cu().cuMemcpyDtoDAsync(to.data(), from.data(), kBytes, gpu.stream()),
                "cuMemcpyDtoDAsync");
    };
    rates.driver_copy_gbs = moved / Best(timer.Time(driver, 1e6, options));
    CUdeviceptr source = from.data(), target = to.data();
    std::uint64_t vectors = kBytes / 16;
    std::array<void*, 3> arguments = {&source, &target, &vectors};
    Launch launch;
    launch.threads = kCopyThreads;
    launch.grid = vectors / (kCopyThreads * kCopyVectors);
    const auto kernel = [&](int) { gpu.Launch(functions.copy, launch, arguments.data()); };
    rates.kernel_copy_gbs = moved / Best(timer.Time(kernel, 1e6, options));
  }
  Launch launch;
  launch.threads = kFmaThreads;
  launch.grid = static_cast<std::uint64_t>(gpu.facts().multiprocessors * kFmaBlocksPerSm);
  const DeviceBuffer out(gpu, 4 * kFmaThreads);
  CUdeviceptr target = out.data();
  float a = 0.5F, b = 1.0F;
  int rounds = kFmaRounds;
  std::array<void*, 4> arguments = {&target, &a, &b, &rounds};
  const auto fma = [&](int) { gpu.Launch(functions.fma, launch, arguments.data()); };
  const Timing timing = timer.Time(fma, 1e6, options);
  rates.fma_gflops = 2 * kFmasPerRound * kFmaRounds * kFmaThreads *
                     static_cast<double>(launch.grid) / Best(timing);
  rates.clock_mhz = *std::max_element(timing.clocks_mhz.begin(), timing.clocks_mhz.end());
  return rates;
}

}  // namespace exh::kernels::cuda

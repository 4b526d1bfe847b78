// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/probes/gaps.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/ir/device.h"

namespace exh::kernels {
namespace {

using cuda::CUdeviceptr;
using cuda::DeviceBuffer;

constexpr std::uint32_t kMostThreads = 1024;
/// Values that are read lie so far apart that each is in another sector; with them the place of the
/// second cache changes from which one comes, and how far it is.
constexpr std::uint64_t kPlaces = 16, kPlaceBytes = 4096, kBlockBytes = 128;

/// A way in which launches are timed (timer.h): from a graph, one after another, or alone.
struct Way {
  int rounds;      ///< Of a launch: 64 multiply-adds, 130 ns.
  double once_ns;  ///< What the timer is told: below 20 us it makes a graph.
  double batch_ns;
  bool is_behind;  ///< Something else runs when the batch begins.
};
constexpr Way kWays[] = {{8, 1e3, 200e3, false},  {16, 2e3, 200e3, false}, {32, 4e3, 400e3, false},
                         {64, 8e3, 400e3, false}, {192, 25e3, 1e6, false}, {192, 25e3, 1, true}};

class GapProbe {
 public:
  GapProbe(const cuda::Gpu& gpu, const cuda::Timer& timer, const cuda::Module& programs, Care care)
      : gpu_(gpu),
        timer_(timer),
        batches_(care == Care::kFull ? 7 : 3),
        programs_(programs),
        units_(static_cast<std::uint64_t>(gpu.facts().multiprocessors)),
        spent_(gpu, units_ * kMostThreads / ir::kWarpLanes * sizeof(std::int32_t)),
        values_(gpu, kPlaces * kPlaceBytes + units_ * kBlockBytes) {
    gpu.Fill(values_.data(), 0, values_.bytes() / 4);
    gpu.Fill(spent_.data(), 0, spent_.bytes() / 4);
  }

  Characteristic Measure(const char* name, const char* how, const char* kernel, bool reads) const {
    Characteristic found{name, "ns", how, true};
    const auto function = programs_.Function(kernel);
    for (const Way& way : kWays) {
      for (const std::uint64_t blocks : {std::uint64_t{1}, units_}) {
        for (const std::uint32_t threads : {std::uint32_t{ir::kWarpLanes}, kMostThreads}) {
          // Of many blocks some are far from what they read, wherever that is.
          const std::uint64_t places = reads && blocks == 1 ? kPlaces : 1;
          for (std::uint64_t place = 0; place < places; ++place) {
            Sample(way, function, {blocks, threads, 0, 0}, place, found.samples);
          }
        }
      }
    }
    return found;
  }

 private:
  void Sample(const Way& way, cuda::CUfunction function, const Launch& launch, std::uint64_t place,
              std::vector<double>& samples) const {
    CUdeviceptr spent = spent_.data(), values = values_.data() + place * kPlaceBytes;
    int rounds = way.rounds;
    std::array<void*, 3> arguments = {&spent, &values, &rounds};
    const auto run = [&](int) { gpu_.Launch(function, launch, arguments.data()); };
    cuda::TimerOptions options{.batch_ns = way.batch_ns, .batches = batches_, .stop_ns = 0};
    if (way.is_behind) options.before = run;
    const cuda::Timing timing = timer_.Time(run, way.once_ns, options);
    // Of one launch each warp takes as long as of another: there is nothing to wait for.
    std::vector<std::int32_t> clocks(launch.grid * launch.threads / ir::kWarpLanes);
    gpu_.Synchronize();
    gpu_.Download(clocks.data(), spent_.data(), clocks.size() * sizeof(std::int32_t));
    const double busy = *std::ranges::max_element(clocks);
    // A look at the clock is not exact; most of many are about right.
    std::vector<double> looks = timing.clocks_mhz;
    std::ranges::nth_element(looks, looks.begin() + std::ssize(looks) / 2);
    const double mhz = looks[looks.size() / 2];
    for (const double ns : timing.batch_ns) samples.push_back(ns - busy * 1e3 / mhz);
  }

  const cuda::Gpu& gpu_;
  const cuda::Timer& timer_;
  const int batches_;
  const cuda::Module& programs_;
  const std::uint64_t units_;
  DeviceBuffer spent_, values_;
};

}  // namespace

std::vector<Characteristic> MeasureGaps(const cuda::Gpu& gpu, const cuda::Timer& timer,
                                        const cuda::Module& programs, Care care) {
  const GapProbe probe(gpu, timer, programs, care);
  return {probe.Measure("launch_gap",
                        "between launches: what their time is beyond a chain of multiply-adds "
                        "before a write",
                        "probe_gap", false),
          probe.Measure("launch_gap_read", "the same, where the chain begins with what is read",
                        "probe_gap_read", true)};
}

}  // namespace exh::kernels

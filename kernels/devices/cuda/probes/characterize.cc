// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/probes/characterize.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>

#include "kernels/devices/cuda/probes/gaps.h"
#include "kernels/devices/cuda/probes/sweeps.h"
#include "kernels/ir/device.h"

namespace exh::kernels {
namespace {

using cuda::CUdeviceptr;
using cuda::DeviceBuffer;

constexpr int kWarp = ir::kWarpLanes;
constexpr std::uint64_t kSharedBytes = 16 << 10;  ///< Dynamic, of a block of those that read it.
constexpr std::uint64_t kMiB = 1 << 20;

/// A kernel that times itself.
struct Probe {
  const char* name;
  const char* unit;
  const char* how;
  const char* kernel;
  std::uint32_t threads = 1024;
  int rounds = 512;
  double work = 1;  ///< Of a thread and round; for latencies: steps of the chain in a round.
  bool is_latency = false;
  bool on_all = true;  ///< A block on each multiprocessor, otherwise one block.
  std::uint64_t bytes = 0;
  bool is_bounding = true;  ///< Lower bounds divide by it (rates_json.cc).
  bool is_sum = false;      ///< A sample is what all multiprocessors do together.
  int since = 0;            ///< Compute capability, 90 of 9.0: others have no such instruction.
};

constexpr double kPerRound = 64, kReads = 16;

const std::vector<Probe>& Probes() {
  static const std::vector<Probe> probes = {
      {"fma_per_clk", "1/clk", "multiply-adds of a multiprocessor, 8 chains a thread", "probe_fma",
       1024, 64, 512},
      {"fma_outer_per_clk", "1/clk", "multiply-adds of an outer product of 8 and 8",
       "probe_fma_outer", 256, 2048, kPerRound},
      {"int_mad_per_clk", "1/clk", "integer multiply-adds of a multiprocessor", "probe_int_mad",
       1024, 512, kPerRound, false, true, 0, false},
      {"dmma_per_clk", "1/clk", "products of the matrix unit of doubles, of a multiprocessor",
       "probe_dmma", 512, 256, 16 * 16 * 8 * 16 / kWarp, false, true, 0, true, false, 90},
      {"convert_per_clk", "1/clk", "floats that become doubles, of a multiprocessor",
       "probe_convert", 1024, 256, kPerRound},
      {"exp_per_clk", "1/clk", "powers of 2, of a multiprocessor", "probe_exp", 1024, 256,
       kPerRound},
      {"root_per_clk", "1/clk", "reciprocal roots, of a multiprocessor", "probe_root", 1024, 256,
       kPerRound},
      {"issue_per_clk", "1/clk", "instructions of two pipes in turn, of a multiprocessor",
       "probe_issue", 1024, 64, 512},
      {"shared_bytes_per_clk", "B/clk", "reads of 4 bytes a thread, without conflicts",
       "probe_shared_32", 1024, 512, kReads * 4},
      {"shared_64_bytes_per_clk", "B/clk", "reads of 8 bytes a thread", "probe_shared_64", 1024,
       512, kReads * 8},
      {"shared_128_bytes_per_clk", "B/clk", "reads of 16 bytes a thread", "probe_shared_128", 1024,
       512, kReads * 16},
      {"l1_bytes_per_clk", "B/clk", "reads of 16 bytes a thread that L1 has", "probe_l1", 1024, 256,
       kReads * 16, false, true, 64 << 10},
      {"l2_bytes_per_clk", "B/clk", "the same of L2, every multiprocessor at once", "probe_l2",
       1024, 128, kReads * 16, false, true, 16 * kMiB},
      {"l2_one_bytes_per_clk", "B/clk", "the same of L2, one multiprocessor alone", "probe_l2",
       1024, 256, kReads * 16, false, false, 16 * kMiB},
      {"l2_all_bytes_per_clk", "B/clk", "the same of L2, all multiprocessors together", "probe_l2",
       1024, 128, kReads * 16, false, true, 16 * kMiB, true, true},
      {"l2_all_4_bytes_per_clk", "B/clk", "the same, of 4 MiB", "probe_l2", 1024, 128, kReads * 16,
       false, true, 4 * kMiB, true, true},
      {"fma_latency", "clk", "a chain of multiply-adds", "probe_fma_latency", 32, 512 * 64, 1, true,
       false},
      {"shared_latency", "clk", "a chain of links in shared memory", "probe_chase_shared", 32, 4096,
       1, true, false},
      {"barrier_1_latency", "clk", "a barrier of one warp", "probe_barrier", 32, 4096, 1, true,
       false, 0, false},
      {"barrier_8_latency", "clk", "a barrier of 8 warps", "probe_barrier", 256, 4096, 1, true,
       false, 0, false},
      {"barrier_32_latency", "clk", "a barrier of 32 warps", "probe_barrier", 1024, 4096, 1, true,
       false, 0, false},
  };
  return probes;
}

struct Chase {
  const char* name;
  const char* how;
  const char* kernel;
  std::uint64_t bytes, step;
  bool is_cold = false;      ///< L2 is filled with something else before.
  bool is_bounding = false;  ///< As of a probe.
};
constexpr int kStretches = 64, kStretchSteps = 64;
constexpr Chase kChases[] = {
    {"l1_latency", "a chain of links in 16 KiB", "probe_chase_ca", 16 << 10, 128, false, true},
    {"l2_latency", "a chain of links in 4 MiB, past L1", "probe_chase_cg", 4 * kMiB, 128},
    {"dram_latency", "a chain of links in 2 GiB that L2 does not have", "probe_chase_cg",
     2048 * kMiB, (128 << 10) + 256, true},
};

/// Multiply-adds of floats that a multiprocessor begins in a clock, by compute capability (CUDA
/// programming guide, throughput of native arithmetic instructions); 0: not in the table.
int LanesOf(int capability) {
  switch (capability) {
    case 70:
    case 72:
    case 75:
    case 80:
      return 64;
    case 86:
    case 87:
    case 89:
    case 90:
    case 100:
    case 120:
      return 128;
    default:
      return 0;
  }
}

class Characterizer {
 public:
  Characterizer(const cuda::Gpu& gpu, const cuda::Timer& timer, const cuda::Module& programs,
                Care care)
      : gpu_(gpu),
        timer_(timer),
        programs_(programs),
        is_full_(care == Care::kFull),
        spans_(gpu, kMostSpans * 16) {}

  std::vector<Characteristic> Run() {
    Facts();
    for (const Probe& probe : Probes()) {
      if (gpu_.facts().capability() < probe.since) continue;
      if (is_full_ || probe.is_bounding) Measure(probe);
    }
    for (const Chase& chase : kChases) {
      if (is_full_ || chase.is_bounding) Measure(chase);
    }
    Streams();
    Append(MeasureSweeps(gpu_, timer_, programs_, is_full_ ? Care::kFull : Care::kQuick));
    if (is_full_) Launches();
    Append(MeasureGaps(gpu_, timer_, programs_, is_full_ ? Care::kFull : Care::kQuick));
    Clock();  // At last: a GPU that idled is not as fast at once.
    return std::move(found_);
  }

 private:
  static constexpr std::size_t kMostSpans = std::size_t{1} << 16;

  void Append(std::vector<Characteristic> more) {
    std::ranges::move(more, std::back_inserter(found_));
  }

  int repeats() const { return is_full_ ? 7 : 3; }

  void Fact(const char* name, const char* unit, const char* how, double value) {
    Characteristic fact{name, unit, how};
    fact.fact = value;
    found_.push_back(std::move(fact));
  }

  void Facts() {
    Fact("multiprocessors", "1", "the driver says so", gpu_.facts().multiprocessors);
    Fact("l2_bytes", "B", "the driver says so", static_cast<double>(gpu_.facts().l2_bytes));
    Fact("warp_lanes", "1", "the driver says so", gpu_.facts().warp_size);
    Fact("threads_per_unit", "1/unit", "the driver says so", gpu_.facts().threads_per_unit);
    Fact("blocks_per_unit", "1/unit", "the driver says so", gpu_.facts().blocks_per_unit);
    Fact("registers_per_unit", "1/unit", "the driver says so", gpu_.facts().registers_per_unit);
    Fact("shared_per_unit", "B/unit", "the driver says so", gpu_.facts().shared_per_unit);
    Fact("memory_bytes", "B", "the driver says so", static_cast<double>(gpu_.facts().memory_bytes));
    // What no probe can exceed. Of an architecture that is not in the table nothing is known.
    if (const int lanes = LanesOf(gpu_.facts().capability()); lanes > 0) {
      constexpr double kSchedulers = 4;
      Fact("fp32_lanes", "1/clk", "CUDA programming guide: lanes of a multiprocessor", lanes);
      Fact("schedulers", "1/clk", "CUDA programming guide: warp schedulers", kSchedulers);
      Fact("shared_access", "1/clk", "CUDA programming guide: 32 banks of 4 bytes a clock", 1);
    }
    Fact("peak_clock", "MHz", "the driver says so", gpu_.facts().peak_clock_khz / 1e3);
  }

  void Clock() {
    Characteristic clock{"clock", "MHz", "of a multiprocessor, beside kernels"};
    for (int i = 0; i < (is_full_ ? 20 : 5); ++i) clock.samples.push_back(timer_.ClockMhz());
    found_.push_back(std::move(clock));
  }

  /// Clocks from the first to the last warp of each of `groups` groups of `warps` warps.
  std::vector<double> Spans(std::size_t groups, std::size_t warps) const {
    std::vector<long long> clocks(2 * groups * warps);
    gpu_.Synchronize();
    gpu_.Download(clocks.data(), spans_.data(), 8 * clocks.size());
    std::vector<double> spans;
    for (std::size_t group = 0; group < groups; ++group) {
      long long first = std::numeric_limits<long long>::max(), last = 0;
      for (std::size_t warp = group * warps; warp < (group + 1) * warps; ++warp) {
        first = std::min(first, clocks[2 * warp]);
        last = std::max(last, clocks[2 * warp + 1]);
      }
      spans.push_back(static_cast<double>(last - first));
    }
    return spans;
  }

  void Measure(const Probe& probe) {
    Characteristic found{probe.name, probe.unit, probe.how, probe.is_latency};
    const DeviceBuffer memory(gpu_, std::max<std::uint64_t>(probe.bytes, 16));
    gpu_.Fill(memory.data(), 0, memory.bytes() / 4);
    const auto function = programs_.Function(probe.kernel);
    Launch launch;
    launch.threads = probe.threads;
    launch.grid = probe.on_all ? static_cast<std::uint64_t>(gpu_.facts().multiprocessors) : 1;
    launch.shared_bytes = kSharedBytes;
    CUdeviceptr spans = spans_.data(), data = memory.data();
    int rounds = probe.rounds;
    std::uint64_t bytes = probe.bytes;
    std::array<void*, 4> arguments = {&spans, &rounds, &data, &bytes};
    for (int repeat = 0; repeat < repeats(); ++repeat) {
      gpu_.Launch(function, launch, arguments.data());
      const double work = probe.work * probe.rounds;
      double sum = 0;
      for (const double clocks : Spans(launch.grid, probe.threads / kWarp)) {
        const double sample = probe.is_latency ? clocks / work : work * probe.threads / clocks;
        sum += sample;
        if (!probe.is_sum) found.samples.push_back(sample);
      }
      if (probe.is_sum) found.samples.push_back(sum);
    }
    found_.push_back(std::move(found));
  }

  void Measure(const Chase& chase) {
    Characteristic found{chase.name, "clk", chase.how, true};
    const std::uint64_t size = std::min(chase.bytes, gpu_.facts().memory_bytes / 8);
    const DeviceBuffer memory(gpu_, size + chase.step);
    CUdeviceptr data = memory.data();
    std::uint64_t count = size / chase.step, step = chase.step;
    std::array<void*, 3> link = {&data, &count, &step};
    Launch launch;
    launch.threads = 256;
    launch.grid = 64;
    gpu_.Launch(programs_.Function("probe_link"), launch, link.data());
    CUdeviceptr spans = spans_.data();
    int rounds = kStretchSteps;
    std::uint64_t bytes = size;
    std::array<void*, 4> arguments = {&spans, &rounds, &data, &bytes};
    const DeviceBuffer other(gpu_, chase.is_cold ? 4 * gpu_.facts().l2_bytes / 4 * 4 : 4);
    for (int repeat = 0; repeat < repeats(); ++repeat) {
      gpu_.Fill(other.data(), 0, other.bytes() / 4);
      gpu_.Launch(programs_.Function(chase.kernel), {1, 1, 0, 0}, arguments.data());
      for (const double clocks : Spans(kStretches, 1)) found.samples.push_back(clocks / rounds);
    }
    found_.push_back(std::move(found));
  }

  /// Bytes of main memory, read and written, a second.
  void Streams() {
    const std::uint64_t free = gpu_.facts().memory_bytes / 4;
    const std::uint64_t most = (is_full_ ? 8192 : 2048) * kMiB;
    const std::uint64_t bytes = std::min(free, most) / 4 / 16 * 16;
    const DeviceBuffer a(gpu_, bytes), b(gpu_, bytes), c(gpu_, bytes);
    for (const DeviceBuffer* buffer : {&a, &b, &c}) gpu_.Fill(buffer->data(), 0, bytes / 4);
    struct Stream {
      const char *name, *how, *kernel;
      int arrays;
    };
    constexpr Stream streams[] = {{"dram_read", "reads", "probe_read", 1},
                                  {"dram_write", "writes", "probe_write", 1},
                                  {"dram_copy", "as many reads as writes", "probe_copy", 2},
                                  {"dram_add", "two reads a write", "probe_add", 3}};
    for (const Stream& stream : streams) {
      CUdeviceptr first = a.data(), second = b.data(), third = c.data();
      std::uint64_t count = bytes / 16;
      std::array<void*, 4> arguments = {&first, &second, &third, &count};
      Launch launch;
      launch.threads = 512;
      launch.grid = (count + 2047) / 2048;
      const auto function = programs_.Function(stream.kernel);
      const auto run = [&](int) { gpu_.Launch(function, launch, arguments.data()); };
      const cuda::Timing timing =
          timer_.Time(run, 1e6, {.batch_ns = 5e6, .batches = is_full_ ? 20 : 6, .stop_ns = 0});
      Characteristic found{stream.name, "GB/s", stream.how};
      for (const double ns : timing.batch_ns) {
        found.samples.push_back(static_cast<double>(bytes) * stream.arrays / ns);
      }
      found_.push_back(std::move(found));
    }
  }

  void Launches() {
    const auto function = programs_.Function("probe_nothing");
    const auto run = [&](int) { gpu_.Launch(function, {1, 32, 0, 0}, nullptr); };
    Characteristic graph{"launch", "ns", "an empty kernel after another, from a graph", true};
    graph.samples = timer_.Time(run, 1e3, {.batch_ns = 1e6, .batches = 20, .stop_ns = 0}).batch_ns;
    found_.push_back(std::move(graph));
  }

  const cuda::Gpu& gpu_;
  const cuda::Timer& timer_;
  const cuda::Module& programs_;
  const bool is_full_;
  DeviceBuffer spans_;
  std::vector<Characteristic> found_;
};

}  // namespace

double Characteristic::Fastest() const {
  if (samples.empty()) return fact;
  return less_is_faster ? *std::ranges::min_element(samples) : *std::ranges::max_element(samples);
}

std::vector<Characteristic> CharacterizeGpu(const cuda::Gpu& gpu, const cuda::Timer& timer,
                                            const cuda::Module& programs, Care care) {
  return Characterizer(gpu, timer, programs, care).Run();
}

}  // namespace exh::kernels

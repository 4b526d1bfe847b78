// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/driver/timer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <thread>

namespace exh::kernels::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kGraphBelowNs = 20e3;
constexpr int kMostNodes = 50;        ///< Of a graph: building one takes time, too.
constexpr int kMostLaunches = 2000;   ///< Of a batch.
constexpr double kClockNs = 10e3;     ///< How long a look at the clock lasts.
constexpr double kAwakeNs = 200e3;    ///< Of waiting without sleep.
constexpr double kHopelessNs = 10e9;  ///< A batch that lasts this long hangs.

/// A captured sequence of launches.
class Graph {
 public:
  Graph(const Gpu& gpu, const std::function<void(int)>& launch, int nodes) : gpu_(gpu) {
    CUgraph graph = nullptr;
    gpu.Check(gpu.cu().cuStreamBeginCapture(gpu.stream(), kCaptureThreadLocal),
              "cuStreamBeginCapture");
    for (int node = 0; node < nodes; ++node) launch(node);
    gpu.Check(gpu.cu().cuStreamEndCapture(gpu.stream(), &graph), "cuStreamEndCapture");
    const CUresult made = gpu.cu().cuGraphInstantiateWithFlags(&executable_, graph, 0);
    gpu.cu().cuGraphDestroy(graph);
    gpu.Check(made, "cuGraphInstantiateWithFlags");
  }
  ~Graph() { gpu_.cu().cuGraphExecDestroy(executable_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void Launch() const {
    gpu_.Check(gpu_.cu().cuGraphLaunch(executable_, gpu_.stream()), "cuGraphLaunch");
  }

 private:
  const Gpu& gpu_;
  CUgraphExec executable_ = nullptr;
};

}  // namespace

Timer::Timer(const Gpu& gpu, CUfunction clock)
    : gpu_(gpu), clock_(clock), ticks_(gpu, 2 * sizeof(std::uint64_t)) {
  gpu.Check(gpu.cu().cuEventCreate(&begin_, 0), "cuEventCreate");
  gpu.Check(gpu.cu().cuEventCreate(&end_, 0), "cuEventCreate");
}

bool Timer::WaitFor(CUevent event, double limit_ns) const {
  const auto start = Clock::now();
  while (true) {
    // Before it is asked: however long this process was kept from running, the work had its time.
    const double waited = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    const CUresult result = gpu_.cu().cuEventQuery(event);
    if (result != kNotReady) {
      gpu_.Check(result, "the kernel");
      return true;
    }
    if (waited > limit_ns) return false;
    // Events tell how long it took: nothing is lost but a moment, and compilers need the processor.
    if (waited > kAwakeNs) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

std::optional<double> Timer::Once(const std::function<void()>& launch, double limit_ns) const {
  gpu_.Check(gpu_.cu().cuEventRecord(begin_, gpu_.stream()), "cuEventRecord");
  launch();
  gpu_.Check(gpu_.cu().cuEventRecord(end_, gpu_.stream()), "cuEventRecord");
  if (!WaitFor(end_, limit_ns)) return std::nullopt;
  float ms = 0;
  gpu_.Check(gpu_.cu().cuEventElapsedTime(&ms, begin_, end_), "cuEventElapsedTime");
  return ms * 1e6;
}

double Timer::Between(const std::function<void()>& work, double limit_ns) const {
  const std::optional<double> ns = Once(work, limit_ns);
  if (!ns) throw GpuError("the kernel hangs: a batch of launches did not end");
  return *ns;
}

Timing Timer::Time(const std::function<void(int)>& launch, double once_ns,
                   const TimerOptions& options) const {
  const double wanted = std::ceil(options.batch_ns / std::max(once_ns, 500.0));
  int launches = static_cast<int>(std::clamp(wanted, 1.0, double{kMostLaunches}));
  std::optional<Graph> graph;
  int replays = 0;
  if (once_ns < kGraphBelowNs) {
    const int nodes = std::min(launches, kMostNodes);
    replays = (launches + nodes - 1) / nodes;
    launches = replays * nodes;
    graph.emplace(gpu_, launch, nodes);
  }
  const auto batch = [&] {
    if (graph) {
      for (int replay = 0; replay < replays; ++replay) graph->Launch();
    } else {
      for (int i = 0; i < launches; ++i) launch(i);
    }
  };
  const double limit = kHopelessNs + 20 * launches * once_ns;
  if (graph) Between([&] { graph->Launch(); }, limit);  // The first replay uploads the graph.
  Timing timing;
  const int last = (graph ? launches / replays : launches) - 1;
  while (static_cast<int>(timing.batch_ns.size()) < options.batches) {
    if (options.before) options.before(last);
    timing.batch_ns.push_back(Between(batch, limit) / launches);
    timing.clocks_mhz.push_back(ClockMhz());
    if (options.after && !options.after(last)) break;
    if (options.stop_ns > 0 && timing.batch_ns.front() > options.stop_ns) break;
  }
  return timing;
}

double Timer::ClockMhz() const {
  std::uint64_t ns = static_cast<std::uint64_t>(kClockNs);
  CUdeviceptr result = ticks_.data();
  std::array<void*, 2> arguments = {&ns, &result};
  gpu_.Launch(clock_, {1, 1, 0, 0}, arguments.data());
  std::array<std::uint64_t, 2> ticks{};
  gpu_.Synchronize();
  gpu_.Download(ticks.data(), ticks_.data(), sizeof ticks);
  return ticks[1] == 0 ? 0 : 1e3 * static_cast<double>(ticks[0]) / static_cast<double>(ticks[1]);
}

}  // namespace exh::kernels::cuda

// SPDX-License-Identifier: MIT
//
// The timing recipe for kernels (in words in README.md): one launch that is checked warms up
// and tells about how long a launch takes; then batches of launches back to back, each at
// least `batch_ns` long, between two events. Launches under 20 us are replayed from a graph, so
// that the gaps between them are the GPU's and not the processor's. The SM clock is measured beside
// every batch.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "kernels/devices/cuda/driver/gpu.h"

namespace exh::kernels::cuda {

struct TimerOptions {
  double batch_ns = 200e3;
  int batches = 5;
  double stop_ns = 0;  ///< A first batch with a mean above this is the last; 0: never.
  /// What is done around a batch and not timed; `last` is the number of the launch that it ends
  /// with. A batch after which the second says no is the last.
  std::function<void(int last)> before = nullptr;
  std::function<bool(int last)> after = nullptr;
};

struct Timing {
  std::vector<double> batch_ns;    ///< Mean of each batch.
  std::vector<double> clocks_mhz;  ///< Beside each batch.
};

class Timer {
 public:
  /// `clock`: exh_clock of the device programs.
  Timer(const Gpu& gpu, CUfunction clock);

  /// Time of one launch, or nothing when it lasts longer than `limit_ns`: it is then still running.
  std::optional<double> Once(const std::function<void()>& launch, double limit_ns) const;
  /// `launch(i)` enqueues launch number i on the GPU's stream; `once_ns` is about what it takes.
  /// Throws GpuError when a launch fails or hangs.
  Timing Time(const std::function<void(int)>& launch, double once_ns,
              const TimerOptions& options) const;
  /// The clock of the multiprocessors right now.
  double ClockMhz() const;

 private:
  double Between(const std::function<void()>& work, double limit_ns) const;
  bool WaitFor(CUevent event, double limit_ns) const;

  const Gpu& gpu_;
  CUfunction clock_;
  CUevent begin_ = nullptr, end_ = nullptr;
  DeviceBuffer ticks_;
};

}  // namespace exh::kernels::cuda

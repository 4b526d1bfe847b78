// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/stop.h"

namespace exh::kernels {

/// While it lives, products that this thread computes end early when `stop` is stopped. `stop` may
/// be null, and outlives this.
class StoppableProducts {
 public:
  explicit StoppableProducts(const StopToken* stop);
  ~StoppableProducts();
  StoppableProducts(const StoppableProducts&) = delete;
  StoppableProducts& operator=(const StoppableProducts&) = delete;

  /// One of them ended early: what was made of it is of no use.
  bool has_stopped() const { return has_stopped_; }

 private:
  friend bool RunStoppable(std::size_t count, const std::function<void(std::size_t)>& work);
  friend bool IsOver();
  const StopToken* stop_;
  StoppableProducts* before_;
  bool has_stopped_ = false;
};

/// Is nobody waiting any more for what this thread computes? Then it ended early, as products do.
bool IsOver();

/// Calls `work(0)` to `work(count - 1)` on all cores that this process may use; a call should take
/// some hundredths of a second at most. False: it ended early, as products do.
bool RunStoppable(std::size_t count, const std::function<void(std::size_t)>& work);

/// `count` pieces of work in tasks that are worth a thread: `points` is what one of them takes.
/// Each task calls `run(first, end)`.
template <typename Run>
bool InTasks(std::int64_t count, double points, const Run& run) {
  constexpr double kTask = 1 << 18;
  const auto pieces =
      static_cast<std::int64_t>(std::clamp(kTask / points, 1.0, static_cast<double>(count)));
  return RunStoppable(static_cast<std::size_t>((count + pieces - 1) / pieces),
                      [&](std::size_t task) {
                        const std::int64_t first = static_cast<std::int64_t>(task) * pieces;
                        run(first, std::min(count, first + pieces));
                      });
}

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace exh {

int NumCores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  // Fails where there are more cores than the set has room for: then it is all of them.
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void RunInParallel(std::size_t count, int jobs, const std::function<bool(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stopped = false;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&] {
    while (!stopped) {
      const std::size_t index = next.fetch_add(1);
      if (index >= count) return;
      try {
        if (!work(index)) stopped = true;
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!failure) failure = std::current_exception();
        stopped = true;
      }
    }
  };
  const std::size_t workers = std::min(count, static_cast<std::size_t>(std::max(1, jobs)));
  std::vector<std::thread> others;
  for (std::size_t worker = 1; worker < workers; ++worker) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace exh

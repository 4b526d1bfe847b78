// SPDX-License-Identifier: MIT
//
// Counters of a processor, of all threads of one process, by perf_event_open. One at a time: a
// processor has few of them, and what shares them is an estimate.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/descriptor.h"

namespace exh::kernels {

/// What may be counted. Of code outside of the system's kernel.
struct TaskEvent {
  std::string_view key;   ///< As in Counter.
  std::string_view name;  ///< As `perf list` calls it.
  std::string_view unit;
  std::uint32_t type = 0;  ///< As perf_event_attr has them.
  std::uint64_t config = 0;
};
/// All that are known here: cycles, instructions, misses of caches and of jumps, time and pages;
/// and of Intel's processors with AVX-512 also operations of floats.
std::vector<TaskEvent> TaskEvents();

/// One event, of the threads that a process has now and of those that they start.
class TaskCounter {
 public:
  TaskCounter(const TaskEvent& event, pid_t process);

  /// 0, or the errno that says why nothing is counted.
  int error() const { return error_; }
  void Start();
  /// What was counted since Start(). Where the counter was not always there, as much more.
  double Stop();

 private:
  std::vector<Descriptor> threads_;
  int error_ = 0;
};

/// What forbids a counter, by errno, and what would help: a line.
std::string WhyNotCounted(int error);

}  // namespace exh::kernels

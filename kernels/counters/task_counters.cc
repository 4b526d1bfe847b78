// SPDX-License-Identifier: MIT
#include "kernels/counters/task_counters.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace exh::kernels {
namespace {

/// Reads of a cache that miss it.
constexpr std::uint64_t MissesOf(std::uint64_t cache) {
  constexpr int kOpShift = 8, kResultShift = 16;
  return cache | (std::uint64_t{PERF_COUNT_HW_CACHE_OP_READ} << kOpShift) |
         (std::uint64_t{PERF_COUNT_HW_CACHE_RESULT_MISS} << kResultShift);
}

constexpr std::array kEvents = {
    TaskEvent{"cycles", "cycles", "clocks of all threads", PERF_TYPE_HARDWARE,
              PERF_COUNT_HW_CPU_CYCLES},
    TaskEvent{"instructions", "instructions", "of all threads", PERF_TYPE_HARDWARE,
              PERF_COUNT_HW_INSTRUCTIONS},
    TaskEvent{"first_misses", "L1-dcache-load-misses", "lines", PERF_TYPE_HW_CACHE,
              MissesOf(PERF_COUNT_HW_CACHE_L1D)},
    TaskEvent{"last_misses", "cache-misses", "lines", PERF_TYPE_HARDWARE,
              PERF_COUNT_HW_CACHE_MISSES},
    TaskEvent{"branch_misses", "branch-misses", "jumps", PERF_TYPE_HARDWARE,
              PERF_COUNT_HW_BRANCH_MISSES},
    TaskEvent{"thread_ns", "task-clock", "ns of all threads", PERF_TYPE_SOFTWARE,
              PERF_COUNT_SW_TASK_CLOCK},
    TaskEvent{"page_faults", "page-faults", "pages", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
};

/// FP_ARITH_INST_RETIRED: instructions by how many elements they take. A multiply-add counts twice.
constexpr std::uint64_t FloatsOf(std::uint64_t mask) {
  constexpr std::uint64_t kEvent = 0xC7;
  constexpr int kMaskShift = 8;
  return kEvent | (mask << kMaskShift);
}
constexpr std::array kIntelFloats = {
    TaskEvent{"floats_1", "fp_arith_inst_retired.scalar", "instructions", PERF_TYPE_RAW,
              FloatsOf(0x03)},
    TaskEvent{"floats_2", "fp_arith_inst_retired.128b_packed_double", "instructions", PERF_TYPE_RAW,
              FloatsOf(0x04)},
    TaskEvent{"floats_4", "fp_arith_inst_retired.4_flops", "instructions", PERF_TYPE_RAW,
              FloatsOf(0x18)},
    TaskEvent{"floats_8", "fp_arith_inst_retired.8_flops", "instructions", PERF_TYPE_RAW,
              FloatsOf(0x60)},
    TaskEvent{"floats_16", "fp_arith_inst_retired.512b_packed_single", "instructions",
              PERF_TYPE_RAW, FloatsOf(0x80)},
};

std::vector<pid_t> ThreadsOf(pid_t process) {
  std::vector<pid_t> threads;
  std::error_code ignored;
  const std::filesystem::path folder = fmt::format("/proc/{}/task", process);
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    if (thread > 0) threads.push_back(thread);
  }
  return threads;
}

int Open(const TaskEvent& event, pid_t thread) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.disabled = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  constexpr int kAnyCore = -1, kNoGroup = -1;
  return static_cast<int>(::syscall(SYS_perf_event_open, &attributes, thread, kAnyCore, kNoGroup,
                                    PERF_FLAG_FD_CLOEXEC));
}

}  // namespace

std::vector<TaskEvent> TaskEvents() {
  std::vector<TaskEvent> events(kEvents.begin(), kEvents.end());
  if (__builtin_cpu_is("intel") != 0 && __builtin_cpu_supports("avx512f") != 0) {
    events.insert(events.end(), kIntelFloats.begin(), kIntelFloats.end());
  }
  return events;
}

TaskCounter::TaskCounter(const TaskEvent& event, pid_t process) {
  for (const pid_t thread : ThreadsOf(process)) {
    Descriptor opened(Open(event, thread));
    if (opened.valid()) {
      threads_.push_back(std::move(opened));
    } else if (errno != ESRCH) {  // It may have ended.
      error_ = errno;
      return;
    }
  }
  if (threads_.empty()) error_ = ESRCH;
}

void TaskCounter::Start() {
  for (const Descriptor& thread : threads_) {
    ::ioctl(thread.get(), PERF_EVENT_IOC_RESET, 0);
    ::ioctl(thread.get(), PERF_EVENT_IOC_ENABLE, 0);
  }
}

double TaskCounter::Stop() {
  double sum = 0;
  for (const Descriptor& thread : threads_) {
    ::ioctl(thread.get(), PERF_EVENT_IOC_DISABLE, 0);
    std::array<std::uint64_t, 3> read = {};  // The value, and how long it was wanted and there.
    if (::read(thread.get(), read.data(), sizeof read) != sizeof read) continue;
    const auto [value, wanted, there] = read;
    if (there == 0) continue;
    sum += static_cast<double>(value) * static_cast<double>(wanted) / static_cast<double>(there);
  }
  return sum;
}

std::string WhyNotCounted(int error) {
  switch (error) {
    case EACCES:
    case EPERM: {
      std::string level = "unknown";
      std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> level;
      return fmt::format(
          "the system allows nobody here to count (kernel.perf_event_paranoid is {}): `sysctl "
          "kernel.perf_event_paranoid=2` or the capability CAP_PERFMON; in a container also a "
          "seccomp profile that allows perf_event_open",
          level);
    }
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return "the machine has no such counter, or hides it as many virtual machines do: count on "
             "the machine itself, or let the virtual one see its counters (vPMU)";
    case ENOSYS:
      return "the system has no perf_event_open: a kernel with CONFIG_PERF_EVENTS has it";
    case EMFILE:
      return "too many files are open: `ulimit -n` allows more";
    default:
      return std::strerror(error);
  }
}

}  // namespace exh::kernels

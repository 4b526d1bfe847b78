// SPDX-License-Identifier: MIT
#include "tests/cuda_shim/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/cuda_shim/fibers.h"
#include "tests/cuda_shim/memory.h"

__thread exh_shim::Index threadIdx, blockIdx;

namespace exh_shim {
namespace {

class Runner;
thread_local Runner* runner = nullptr;

class Runner {
 public:
  explicit Runner(const Launch& launch)
      : launch_(launch),
        memory_(launch),
        random_(static_cast<unsigned>(launch.thread_order)),
        fibers_(Fibers(launch.threads)),
        waits_(launch.threads),
        shuffles_(launch.threads),
        handed_{std::vector<unsigned long long>(launch.threads),
                std::vector<unsigned long long>(launch.threads)} {
    runner = this;
  }
  ~Runner() { runner = nullptr; }

  Memory& memory() { return memory_; }

  /// What went wrong first, or an empty text.
  std::string Run() {
    std::vector<unsigned> blocks = Numbers(launch_.grid);
    Shuffle(blocks);
    order_ = Numbers(launch_.threads);
    for (const unsigned block : blocks) {
      blockIdx.x = block;
      memory_.BeginBlock(block);
      for (unsigned t = 0; t < launch_.threads; ++t) fibers_[t]->Start(Body);
      for (bool ended = false; !ended;) {
        std::string error = Interval();
        if (!error.empty()) return error;
        ended = waits_[0] == 0;
        if (waits_[0] >= 0) memory_.BeginInterval(waits_[0]);
      }
    }
    return "";
  }

  void Wait(int line) {
    waits_[threadIdx.x] = line;
    Fiber::Yield();
  }

  /// The running thread waits until all have handed in theirs. Who goes on first may hand in the
  /// next one before others have taken this one: there are two places, one after the other.
  unsigned long long Shuffle(int line, unsigned mask, unsigned long long bits, unsigned lanes) {
    const unsigned t = threadIdx.x;
    auto& handed = handed_[shuffles_[t]++ % 2];
    handed[t] = bits;
    waits_[t] = -line;
    Fiber::Yield();
    const bool is_there = lanes < 32 && (t ^ lanes) < launch_.threads;
    if (!is_there || (AllLanes(t) & ~mask) != 0) {
      error_ = fmt::format(
          "line {}: thread {} shuffles with lanes ^ {} under mask {:#x}: not all are there", line,
          t, lanes, mask);
      Fiber::Yield();
    }
    return handed[t ^ lanes];
  }

 private:
  /// Kept for the next launch: a stack costs two calls of the system.
  static std::vector<std::unique_ptr<Fiber>>& Fibers(unsigned count) {
    thread_local std::vector<std::unique_ptr<Fiber>> fibers;
    while (fibers.size() < count) fibers.push_back(std::make_unique<Fiber>());
    return fibers;
  }

  /// Those of the warp of a thread.
  unsigned AllLanes(unsigned thread) const {
    constexpr unsigned kWarp = 32;
    const unsigned lanes = std::min(kWarp, launch_.threads - thread / kWarp * kWarp);
    return lanes == kWarp ? ~0u : (1u << lanes) - 1;
  }

  static void Body() {
    const Launch& launch = runner->launch_;
    launch.thread(launch.arrays, launch.scalars, runner->memory_.global());
  }

  std::vector<unsigned> Numbers(unsigned count) {
    std::vector<unsigned> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    if (launch_.thread_order == 1) std::reverse(numbers.begin(), numbers.end());
    return numbers;
  }

  void Shuffle(std::vector<unsigned>& numbers) {
    if (launch_.thread_order > 1) std::shuffle(numbers.begin(), numbers.end(), random_);
  }

  /// Every thread until it waits or ends.
  std::string Interval() {
    Shuffle(order_);
    for (const unsigned t : order_) {
      threadIdx.x = t;
      waits_[t] = 0;
      fibers_[t]->Resume();
      if (!memory_.error().empty()) return memory_.error();
      if (!error_.empty()) return error_;
    }
    for (unsigned t = 1; t < launch_.threads; ++t) {
      if (waits_[t] == waits_[0]) continue;
      return fmt::format("block {}: thread 0 {}, but thread {} {}", blockIdx.x, State(waits_[0]), t,
                         State(waits_[t]));
    }
    return "";
  }

  static std::string State(int line) {
    if (line < 0) return fmt::format("waits at the shuffle of line {}", -line);
    return line == 0 ? "has ended" : fmt::format("waits at the barrier of line {}", line);
  }

  const Launch& launch_;
  std::string error_;  ///< Of a shuffle.
  Memory memory_;
  std::mt19937 random_;
  std::vector<std::unique_ptr<Fiber>>& fibers_;
  std::vector<unsigned> order_;  ///< Of the threads in an interval.
  /// By thread: line of the barrier where it waits, or that of a shuffle below 0; 0: it has ended.
  std::vector<int> waits_;
  std::vector<unsigned> shuffles_;                         ///< By thread: how many it has begun.
  std::array<std::vector<unsigned long long>, 2> handed_;  ///< By thread: its own bits.
};

}  // namespace

void Run(const Launch& launch, char* error, int capacity) {
  const std::string text = Runner(launch).Run();
  std::snprintf(error, static_cast<std::size_t>(capacity), "%s", text.c_str());
}

void Barrier(int line) {
  runner->Wait(line);
}

unsigned long long Shuffle(int line, unsigned mask, unsigned long long bits, int lanes) {
  return runner->Shuffle(line, mask, bits, static_cast<unsigned>(lanes));
}

Address::Address(const void* at) : region_(runner->memory().Find(at, &offset_)) {}

void Address::Read(void* value, int bytes, int unit, Via via) const {
  // After an error the thread never goes on: nobody resumes it.
  const Access access = {offset_, bytes, unit, via};
  if (!runner->memory().Read(region_, access, value, threadIdx.x)) Fiber::Yield();
}

void Address::Write(const void* value, int bytes, int unit, Via via) const {
  const Access access = {offset_, bytes, unit, via};
  if (!runner->memory().Write(region_, access, value, threadIdx.x)) Fiber::Yield();
}

}  // namespace exh_shim

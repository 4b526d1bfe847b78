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
#include <utility>
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
  explicit Runner(const Program& program)
      : program_(program),
        memory_(program),
        random_(static_cast<unsigned>(program.thread_order)),
        fibers_(Fibers(MostThreads(program))) {
    runner = this;
  }
  ~Runner() { runner = nullptr; }

  Memory& memory() { return memory_; }

  /// What went wrong first, or an empty text.
  std::string Run() {
    for (unsigned i = 0; i < program_.num_kernels; ++i) {
      const std::string error = RunKernel(program_.kernels[i], program_.overlaps && i > 0);
      if (error.empty()) continue;
      const std::string name = program_.kernels[i].name;
      return name == "exh_kernel" ? error : name + ": " + error;
    }
    return memory_.DirtyTicket();
  }

  void Wait(int line) {
    waits_[threadIdx.x] = line;
    Fiber::Yield();
  }

  bool WaitOr(int line, bool value) {
    any_ |= value;
    Wait(line);
    return any_before_;
  }

  /// The running thread waits until all have handed in theirs. Who goes on first may hand in the
  /// next one before others have taken this one: there are two places, one after the other.
  unsigned long long Shuffle(int line, unsigned mask, unsigned long long bits, unsigned lanes) {
    const unsigned t = threadIdx.x;
    auto& handed = handed_[shuffles_[t]++ % 2];
    handed[t] = bits;
    waits_[t] = -line;
    Fiber::Yield();
    const bool is_there = lanes < 32 && (t ^ lanes) < kernel_->threads;
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
    const unsigned lanes = std::min(kWarp, kernel_->threads - thread / kWarp * kWarp);
    return lanes == kWarp ? ~0u : (1u << lanes) - 1;
  }

  static void Body() {
    const Program& program = runner->program_;
    runner->kernel_->thread(program.arrays, program.scalars, runner->memory_.global());
  }

  static unsigned MostThreads(const Program& program) {
    unsigned threads = 0;
    for (unsigned i = 0; i < program.num_kernels; ++i) {
      threads = std::max(threads, program.kernels[i].threads);
    }
    return threads;
  }

  std::string RunKernel(const Kernel& kernel, bool is_early) {
    kernel_ = &kernel;
    waits_.assign(kernel.threads, 0);
    shuffles_.assign(kernel.threads, 0);
    handed_.fill(std::vector<unsigned long long>(kernel.threads));
    memory_.BeginKernel(kernel, is_early);
    std::vector<unsigned> blocks = Numbers(kernel.grid);
    Shuffle(blocks);
    order_ = Numbers(kernel.threads);
    for (const unsigned block : blocks) {
      blockIdx.x = block;
      memory_.BeginBlock(block);
      any_ = any_before_ = false;
      for (unsigned t = 0; t < kernel.threads; ++t) fibers_[t]->Start(Body);
      for (bool ended = false; !ended;) {
        std::string error = Interval();
        if (!error.empty()) return error;
        ended = waits_[0] == 0;
        any_before_ = std::exchange(any_, false);
        if (waits_[0] >= 0) memory_.BeginInterval(waits_[0]);
      }
      if (!memory_.EndBlock()) return memory_.error();
    }
    return "";
  }

  std::vector<unsigned> Numbers(unsigned count) {
    std::vector<unsigned> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    if (program_.thread_order == 1) std::reverse(numbers.begin(), numbers.end());
    return numbers;
  }

  void Shuffle(std::vector<unsigned>& numbers) {
    if (program_.thread_order > 1) std::shuffle(numbers.begin(), numbers.end(), random_);
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
    for (unsigned t = 1; t < kernel_->threads; ++t) {
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

  const Program& program_;
  const Kernel* kernel_ = nullptr;  ///< The one that runs.
  std::string error_;               ///< Of a shuffle.
  Memory memory_;
  std::mt19937 random_;
  std::vector<std::unique_ptr<Fiber>>& fibers_;
  std::vector<unsigned> order_;  ///< Of the threads in an interval.
  /// By thread: line of the barrier where it waits, or that of a shuffle below 0; 0: it has ended.
  std::vector<int> waits_;
  /// Did a thread hand a value to the barrier that follows, and to the one before?
  bool any_ = false, any_before_ = false;
  std::vector<unsigned> shuffles_;                         ///< By thread: how many it has begun.
  std::array<std::vector<unsigned long long>, 2> handed_;  ///< By thread: its own bits.
};

}  // namespace

void Run(const Program& program, char* error, int capacity) {
  const std::string text = Runner(program).Run();
  std::snprintf(error, static_cast<std::size_t>(capacity), "%s", text.c_str());
}

void Barrier(int line) {
  runner->Wait(line);
}

int BarrierOr(int line, int value) {
  return runner->WaitOr(line, value != 0) ? 1 : 0;
}

void Fence() {
  runner->memory().Fence(threadIdx.x);
}

void AwaitPrevious() {
  runner->memory().AwaitPrevious(threadIdx.x);
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

void* Address::Change(int bytes, int unit) const {
  const Access access = {offset_, bytes, unit, Via::kPlain};
  void* const place = runner->memory().Change(region_, access, threadIdx.x);
  if (place == nullptr) Fiber::Yield();
  return place;
}

}  // namespace exh_shim

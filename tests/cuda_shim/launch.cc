// SPDX-License-Identifier: MIT
#include "tests/cuda_shim/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
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

  /// Does an asynchronous copy that begins now arrive when it is waited for, and not at once?
  bool IsLate() {
    return program_.thread_order == 0 || (program_.thread_order > 1 && random_() % 2 == 0);
  }

  bool WaitOr(int line, bool value) {
    any_ |= value;
    Wait(line);
    return any_before_;
  }

  /// The running thread waits until its warp has handed in all of a tile. As for shuffles there are
  /// two places, one after the other.
  void Multiply(int line, Tiles kind, double* sums, const double* a, const double* b) {
    const unsigned t = threadIdx.x;
    std::vector<Tile>& tiles = tiles_[tiles_begun_[t]++ % 2];
    std::copy_n(a, std::size(tiles[t].a), tiles[t].a);
    std::copy_n(b, std::size(tiles[t].b), tiles[t].b);
    of_warp_[t] = line;
    Fiber::Yield();
    // Rows and columns of registers as the PTX ISA has them: "mma.m16n8k16", .f64, .f16 and .s8.
    const Tile* const warp = &tiles[t / kWarp * kWarp];
    const unsigned lane = t % kWarp;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = lane / 4 + (i < 2 ? 0 : 8), column = lane % 4 * 2 + i % 2;
      for (unsigned k = 0; k < 16; ++k) {
        unsigned in_group = k % 4, of_a = k / 4 * 2 + row / 8, of_b = k / 4;
        if (kind == Tiles::kHalves) {
          in_group = k % 8 / 2, of_a = (k / 8 * 2 + row / 8) * 2 + k % 2, of_b = k / 8 * 2 + k % 2;
        } else if (kind == Tiles::kBytes) {
          in_group = k / 4, of_a = row / 8 * 4 + k % 4, of_b = k % 4;
        }
        const double left = warp[row % 8 * 4 + in_group].a[of_a];
        const double right = warp[column * 4 + in_group].b[of_b];
        sums[i] = __builtin_fma(left, right, sums[i]);
      }
    }
  }

  /// The running thread waits until its warp has handed in theirs. Who goes on first may hand in
  /// the next one before others have taken this one: there are two places, one after the other.
  unsigned long long Shuffle(int line, unsigned mask, unsigned long long bits, unsigned lanes) {
    const unsigned t = threadIdx.x;
    auto& handed = handed_[shuffles_[t]++ % 2];
    handed[t] = bits;
    of_warp_[t] = -line;
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
  static constexpr unsigned kWarp = 32;

  /// What a thread hands in of a tile.
  struct Tile {
    double a[8], b[4];
  };

  /// Kept for the next launch: a stack costs two calls of the system.
  static std::vector<std::unique_ptr<Fiber>>& Fibers(unsigned count) {
    thread_local std::vector<std::unique_ptr<Fiber>> fibers;
    while (fibers.size() < count) fibers.push_back(std::make_unique<Fiber>());
    return fibers;
  }

  /// Those of the warp of a thread.
  unsigned AllLanes(unsigned thread) const {
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
    tiles_begun_.assign(kernel.threads, 0);
    tiles_.fill(std::vector<Tile>(kernel.threads));
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
        memory_.BeginInterval(waits_[0]);
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

  /// Every thread until it waits for all others, or ends.
  std::string Interval() {
    Shuffle(order_);
    for (std::vector<unsigned> running = order_; !running.empty();) {
      of_warp_.assign(kernel_->threads, 0);
      for (const unsigned t : running) {
        threadIdx.x = t;
        waits_[t] = 0;
        fibers_[t]->Resume();
        if (!memory_.error().empty()) return memory_.error();
        if (!error_.empty()) return error_;
      }
      // Warps go on that wait for themselves.
      std::erase_if(running, [&](unsigned t) { return of_warp_[t] == 0; });
      for (const unsigned t : running) {
        const unsigned first = t / kWarp * kWarp;
        for (unsigned other = first; other < first + kWarp; ++other) {
          const bool is_there = other < kernel_->threads, shuffles = of_warp_[t] < 0;
          if (is_there ? of_warp_[other] == of_warp_[t] : shuffles) continue;
          return fmt::format("line {}: thread {} {}, but not thread {} of its warp",
                             std::abs(of_warp_[t]), t, shuffles ? "shuffles" : "multiplies a tile",
                             other);
        }
      }
    }
    for (unsigned t = 1; t < kernel_->threads; ++t) {
      if (waits_[t] == waits_[0]) continue;
      return fmt::format("block {}: thread 0 {}, but thread {} {}", blockIdx.x, State(waits_[0]), t,
                         State(waits_[t]));
    }
    return "";
  }

  static std::string State(int line) {
    return line == 0 ? "has ended" : fmt::format("waits at the barrier of line {}", line);
  }

  const Program& program_;
  const Kernel* kernel_ = nullptr;  ///< The one that runs.
  std::string error_;               ///< Of a shuffle.
  Memory memory_;
  std::mt19937 random_;
  std::vector<std::unique_ptr<Fiber>>& fibers_;
  std::vector<unsigned> order_;  ///< Of the threads in an interval.
  std::vector<int> waits_;  ///< By thread: line of the barrier where it waits; 0: it has ended.
  /// By thread: the line where it waits for its warp, that of a shuffle below 0; 0: it does not.
  std::vector<int> of_warp_;
  /// Did a thread hand a value to the barrier that follows, and to the one before?
  bool any_ = false, any_before_ = false;
  std::vector<unsigned> shuffles_;                         ///< By thread: how many it has begun.
  std::array<std::vector<unsigned long long>, 2> handed_;  ///< By thread: its own bits.
  std::vector<unsigned> tiles_begun_;                      ///< By thread: how many.
  std::array<std::vector<Tile>, 2> tiles_;                 ///< By thread.
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

void CommitCopies() {
  runner->memory().CommitCopies(threadIdx.x);
}

void AwaitCopies(int groups_left) {
  if (!runner->memory().AwaitCopies(groups_left, threadIdx.x)) Fiber::Yield();
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

void Multiply(int line, Tiles tiles, double* sums, const double* a, const double* b) {
  runner->Multiply(line, tiles, sums, a, b);
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

void Address::CopyFrom(const Address& from, int bytes, int unit, bool inside) const {
  const Access to = {offset_, bytes, unit, Via::kPlain};
  const Access source = {from.offset_, bytes, unit, Via::kPlain};
  const bool is_late = runner->IsLate();
  Region* const read = inside ? from.region_ : nullptr;
  Memory& memory = runner->memory();
  if (inside && read == nullptr) {
    // An error, as of any read.
    char nothing[16];
    memory.Read(read, source, nothing, threadIdx.x);
    Fiber::Yield();
  }
  if (!memory.BeginCopy(region_, to, read, source, is_late, threadIdx.x)) Fiber::Yield();
}

}  // namespace exh_shim

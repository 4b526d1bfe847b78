// SPDX-License-Identifier: MIT
#include "tests/cuda_shim/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/cuda_shim/bulk/mbarriers.h"
#include "tests/cuda_shim/bulk/words.h"
#include "tests/cuda_shim/fibers.h"
#include "tests/cuda_shim/memory.h"
#include "tests/cuda_shim/units/groups.h"

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
    std::string error = RunOnce();
    if (!error.empty() || !memory_.has_statuses()) return error;
    memory_.BeginLaunch();
    return RunOnce();
  }

  std::string RunOnce() {
    for (unsigned i = 0; i < program_.num_kernels; ++i) {
      const std::string error = RunKernel(program_.kernels[i], program_.overlaps && i > 0);
      if (error.empty()) continue;
      const std::string name = program_.kernels[i].name;
      return name == "exh_kernel" ? error : name + ": " + error;
    }
    return memory_.DirtyTicket();
  }

  void Wait(int line) {
    run_->waits[threadIdx.x] = line;
    Fiber::Yield();
  }
  void ClusterWait(int line) {
    if (memory_.ClusterWait(threadIdx.x)) run_->waits[threadIdx.x] = kOfCluster + line;
    Fiber::Yield();
  }

  /// Does an asynchronous copy that begins now arrive when it is waited for, and not at once?
  bool IsLate() {
    return program_.thread_order == 0 || (program_.thread_order > 1 && random_() % 2 == 0);
  }

  /// The running thread goes on when the phase of the barrier has ended.
  void AwaitPhase(int line, const Address& barrier, unsigned parity) {
    const unsigned t = threadIdx.x;
    Hold& hold = run_->holds[t];
    if (!memory_.BeginWait(line, barrier.region(), barrier.offset(), parity, t, hold.wait)) {
      Fiber::Yield();
    }
    if (memory_.HasEnded(hold.wait, t)) return;
    hold.kind = Hold::Kind::kPhase;
    Fiber::Yield();
  }

  /// The running thread goes on when the first threads of the block are here, too.
  void Meet(int line, unsigned threads) {
    const unsigned t = threadIdx.x;
    Meeting& meeting = run_->meeting;
    if (threads == 0 || threads % kWarp != 0 || threads > kernel_->threads || t >= threads) {
      Fail(fmt::format("line {}: thread {} of {} meets threads 0 to {}", line, t, kernel_->threads,
                       threads - 1));
    }
    if (meeting.here == 0) meeting = {line, threads, 0};
    if (meeting.line != line || meeting.threads != threads) {
      Fail(
          fmt::format("line {}: thread {} meets threads 0 to {}, others do in line {} with 0 to {}",
                      line, t, threads - 1, meeting.line, meeting.threads - 1));
    }
    run_->holds[t].kind = Hold::Kind::kMeeting;
    if (++meeting.here < threads) return Fiber::Yield();
    meeting.here = 0;
    for (unsigned other = 0; other < threads; ++other) {
      run_->holds[other].kind = other == t ? Hold::Kind::kNone : Hold::Kind::kMet;
    }
    memory_.Meet(0, threads);
  }

  bool WaitOr(int line, bool value) {
    run_->any |= value;
    Wait(line);
    return run_->any_before;
  }

  /// The running thread waits until its warp has handed in all of a tile. As for shuffles there are
  /// two places, one after the other.
  void Multiply(int line, Tiles kind, double* sums, const double* a, const double* b) {
    const unsigned t = threadIdx.x;
    std::vector<Tile>& tiles = run_->tiles[run_->tiles_begun[t]++ % 2];
    const unsigned depth = kind == Tiles::kBytes ? 32 : 16;
    std::copy_n(a, depth / 2, tiles[t].a);
    std::copy_n(b, depth / 4, tiles[t].b);
    run_->of_warp[t] = line;
    Fiber::Yield();
    // Rows and columns of registers as the PTX ISA has them: "mma.m16n8k16", .f64 and .f16, and
    // "mma.m16n8k32", .s8 and .e4m3.
    const Tile* const warp = &tiles[t / kWarp * kWarp];
    const unsigned lane = t % kWarp;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = lane / 4 + (i < 2 ? 0 : 8), column = lane % 4 * 2 + i % 2;
      for (unsigned k = 0; k < depth; ++k) {
        unsigned in_group = k % 4, of_a = k / 4 * 2 + row / 8, of_b = k / 4;
        if (kind == Tiles::kHalves) {
          in_group = k % 8 / 2, of_a = (k / 8 * 2 + row / 8) * 2 + k % 2, of_b = k / 8 * 2 + k % 2;
        } else if (kind == Tiles::kBytes) {
          in_group = k % 16 / 4, of_a = (k / 16 * 2 + row / 8) * 4 + k % 4;
          of_b = k / 16 * 4 + k % 4;
        }
        const double left = warp[row % 8 * 4 + in_group].a[of_a];
        const double right = warp[column * 4 + in_group].b[of_b];
        sums[i] = __builtin_fma(left, right, sums[i]);
      }
    }
  }

  /// The running thread waits until its warp has handed in all words.
  const unsigned long long* Swap(int line, unsigned long long bits) {
    const unsigned t = threadIdx.x;
    auto& swapped = run_->swapped[run_->swaps[t]++ % 2];
    swapped[t] = bits;
    run_->of_warp[t] = line;
    Fiber::Yield();
    return &swapped[t / kWarp * kWarp];
  }

  /// The running thread waits for all of its warp, and knows what they did. The first one that goes
  /// on says so for all.
  void SyncWarp(int line) {
    const unsigned first = threadIdx.x / kWarp * kWarp;
    unsigned& here = run_->synced[first / kWarp];
    ++here;
    Swap(line, 0);
    if (here != kWarp) return;
    here = 0;
    if (memory_.is_ordered()) memory_.Meet(first, kWarp);
  }

  /// The same with rows of matrices.
  void Transpose(int line, const unsigned short* row, unsigned matrices, unsigned* words) {
    const unsigned lane = threadIdx.x % kWarp;
    unsigned long long halves[2];
    static_assert(sizeof halves == 8 * sizeof *row);
    __builtin_memcpy(halves, row, sizeof halves);
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned long long* const all = Swap(line, halves[half]);
      if (half != lane / 16) continue;  // It has an element of the other one.
      const auto element = [&](unsigned of_lane) {
        return static_cast<unsigned>(all[of_lane] >> lane / 4 % 4 * 16 & 0xffffu);
      };
      for (unsigned m = 0; m < matrices; ++m) {
        const unsigned first = 8 * m + lane % 4 * 2;
        words[m] = element(first) | element(first + 1) << 16;
      }
    }
  }

  /// … as they are.
  void TakeRows(int line, const unsigned short* row, unsigned matrices, unsigned* words) {
    const unsigned lane = threadIdx.x % kWarp;
    unsigned long long halves[2];
    __builtin_memcpy(halves, row, sizeof halves);
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned long long* const all = Swap(line, halves[half]);
      if (half != lane % 4 / 2) continue;  // It has a word of the other one.
      for (unsigned m = 0; m < matrices; ++m) {
        words[m] = static_cast<unsigned>(all[8 * m + lane / 4] >> lane % 2 * 32);
      }
    }
  }

  Groups& groups() { return run_->groups; }
  void MultiplyInPlace(const StepInPlace& step) {
    const unsigned t = threadIdx.x;
    if (!run_->groups.Issue(step, t, IsLate(), memory_)) FailIn(run_->groups);
  }
  void AwaitBatches(int left) {
    if (!run_->groups.Await(left, threadIdx.x, memory_)) FailIn(run_->groups);
  }

  /// The running thread waits until its warp has handed in theirs. Who goes on first may hand in
  /// the next one before others have taken this one: there are two places, one after the other.
  unsigned long long Shuffle(int line, unsigned mask, unsigned long long bits, unsigned lanes) {
    const unsigned t = threadIdx.x;
    auto& handed = run_->handed[run_->shuffles[t]++ % 2];
    handed[t] = bits;
    run_->of_warp[t] = -line;
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
  /// The running thread never goes on.
  void Fail(const std::string& error) {
    error_ = error;
    Fiber::Yield();
  }
  /// The running thread never goes on: what went wrong is the memory's error, or that of groups.
  void FailIn(const Groups& groups) {
    if (memory_.error().empty()) error_ = groups.error();
    Fiber::Yield();
  }

  static constexpr unsigned kWarp = 32;
  /// Added to the line of a barrier of the cluster.
  static constexpr int kOfCluster = 1 << 24;
  static constexpr int kBegins = -1;  ///< Instead of a line: a thread that has not begun.

  /// What a thread hands in of a tile.
  struct Tile {
    double a[16], b[8];
  };

  /// What a thread waits for, but for barriers of the block and of the cluster.
  struct Hold {
    enum class Kind {
      kNone,
      kWarp,  ///< Its warp, of which some wait for something else.
      kPhase,
      kMeeting,
      kMet  ///< It may go on, and has not.
    };
    Kind kind = Kind::kNone;
    PhaseWait wait{};
  };
  struct Meeting {
    int line = 0;
    unsigned threads = 0, here = 0;
  };

  /// A block that runs.
  struct Block {
    unsigned number = 0, rank = 0;
    /// By thread: line of the barrier where it waits, or kBegins; 0: it has ended.
    std::vector<int> waits;
    std::vector<Hold> holds;  ///< By thread.
    /// By thread: the line where it waits for its warp, that of a shuffle below 0; 0: it does not.
    std::vector<int> of_warp;
    std::vector<unsigned> running;  ///< Threads of its interval that do not wait for all others.
    bool goes_on = false;           ///< Has one of its threads, since it began or went on?
    bool rests = false;             ///< Its threads wait for the cluster, or have ended.
    Meeting meeting{};
    /// Did a thread hand a value to the barrier that follows, and to the one before?
    bool any = false, any_before = false;
    std::vector<unsigned> shuffles;                         ///< By thread: how many it has begun.
    std::array<std::vector<unsigned long long>, 2> handed;  ///< By thread: its own bits.
    std::vector<unsigned> swaps;                            ///< By thread: how many it has begun.
    std::vector<unsigned> synced;  ///< By warp: threads that wait for the others.
    std::array<std::vector<unsigned long long>, 2> swapped;  ///< By thread: of its warp alone.
    std::vector<unsigned> tiles_begun;                       ///< By thread: how many.
    std::array<std::vector<Tile>, 2> tiles;                  ///< By thread.
    Groups groups;
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
      threads = std::max(threads, program.kernels[i].threads * program.kernels[i].cluster);
    }
    return threads;
  }

  std::string RunKernel(const Kernel& kernel, bool is_early) {
    kernel_ = &kernel;
    memory_.BeginKernel(kernel, is_early);
    Block begun;
    begun.holds.assign(kernel.threads, {});
    begun.of_warp.assign(kernel.threads, 0);
    begun.shuffles.assign(kernel.threads, 0);
    begun.tiles_begun.assign(kernel.threads, 0);
    begun.tiles.fill(std::vector<Tile>(kernel.threads));
    begun.handed.fill(std::vector<unsigned long long>(kernel.threads));
    begun.swaps.assign(kernel.threads, 0);
    begun.synced.assign((kernel.threads + kWarp - 1) / kWarp, 0);
    begun.swapped.fill(std::vector<unsigned long long>(kernel.threads));
    cluster_.assign(kernel.cluster, begun);
    std::vector<unsigned> clusters = Numbers(kernel.grid / kernel.cluster);
    Shuffle(clusters);
    order_ = Numbers(kernel.threads);
    for (const unsigned cluster : clusters) {
      if (std::string error = RunCluster(cluster); !error.empty()) return error;
    }
    return "";
  }

  std::string RunCluster(unsigned cluster) {
    std::vector<unsigned> ranks = Numbers(kernel_->cluster);
    memory_.BeginCluster(cluster * kernel_->cluster);
    for (const unsigned rank : ranks) {
      run_ = &cluster_[rank];
      run_->number = cluster * kernel_->cluster + rank;
      run_->rank = rank;
      run_->any = run_->any_before = false;
      run_->waits.assign(kernel_->threads, kBegins);
      run_->groups.BeginBlock(kernel_->threads);
      memory_.BeginBlock(run_->number, rank);
      for (unsigned t = 0; t < kernel_->threads; ++t) FiberOf(t).Start(Body);
    }
    while (true) {
      if (std::string error = RunUntilAllRest(ranks); !error.empty()) return error;
      const int line = LineOf(*run_);
      for (const Block& block : cluster_) {
        if (LineOf(block) == line) continue;
        return fmt::format("block {} {}, but block {} of its cluster {}", run_->number, State(line),
                           block.number, State(LineOf(block)));
      }
      if (line == 0) return "";
      memory_.BeginIntervals(line - kOfCluster);
    }
  }

  void Enter(unsigned rank) {
    run_ = &cluster_[rank];
    blockIdx.x = run_->number;
    memory_.GoOn(run_->number, rank);
  }

  /// The blocks in turn, as long as one of them goes on.
  std::string RunUntilAllRest(std::vector<unsigned>& ranks) {
    for (Block& block : cluster_) block.rests = false;
    while (true) {
      if (ranks.size() > 1) Shuffle(ranks);
      bool all_rest = true, goes_on = false;
      for (const unsigned rank : ranks) {
        if (cluster_[rank].rests) continue;
        Enter(rank);
        if (std::string error = RunAlone(); !error.empty()) return error;
        all_rest = all_rest && run_->rests;
        goes_on = goes_on || run_->goes_on;
      }
      if (all_rest) return "";
      if (goes_on) continue;
      Enter(*std::ranges::find_if(ranks, [&](unsigned rank) { return !cluster_[rank].rests; }));
      return Deadlock(run_->running);
    }
  }

  /// The block until its threads wait for the others of the cluster, or end.
  std::string RunAlone() {
    run_->goes_on = false;
    while (true) {
      std::string error = Interval();
      if (!error.empty() || !run_->running.empty()) return error;
      const int line = LineOf(*run_);
      run_->any_before = std::exchange(run_->any, false);
      run_->rests = line == 0 || line >= kOfCluster;
      if (line == 0) {
        if (std::string left = run_->groups.EndBlock(); !left.empty()) return left;
        return memory_.EndBlock() ? "" : memory_.error();
      }
      if (run_->rests) return "";
      if (line > 0) memory_.BeginInterval(line);
    }
  }

  /// Of the barrier at which its threads wait that have not ended; 0: all have.
  static int LineOf(const Block& block) {
    const auto waiting = std::ranges::find_if(block.waits, [](int line) { return line != 0; });
    return waiting == block.waits.end() ? 0 : *waiting;
  }

  Fiber& FiberOf(unsigned thread) { return *fibers_[run_->rank * kernel_->threads + thread]; }

  std::vector<unsigned> Numbers(unsigned count) {
    std::vector<unsigned> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    if (program_.thread_order == 1) std::reverse(numbers.begin(), numbers.end());
    return numbers;
  }

  void Shuffle(std::vector<unsigned>& numbers) {
    if (program_.thread_order > 1) std::shuffle(numbers.begin(), numbers.end(), random_);
  }

  /// Every thread until it waits for all others, or ends. Some are left running where all of these
  /// wait for a phase: another block of the cluster may end it.
  std::string Interval() {
    std::vector<unsigned>& running = run_->running;
    if (running.empty()) {
      Shuffle(order_);
      run_->of_warp.assign(kernel_->threads, 0);
      // Some may have ended before a barrier of the cluster.
      std::ranges::copy_if(order_, std::back_inserter(running),
                           [&](unsigned t) { return run_->waits[t] != 0; });
    }
    std::vector<int>& of_warp = run_->of_warp;
    while (!running.empty()) {
      bool goes_on = false;
      for (const unsigned t : running) {
        if (IsHeld(t)) continue;
        goes_on = true;
        threadIdx.x = t;
        run_->waits[t] = of_warp[t] = 0;
        FiberOf(t).Resume();
        if (!memory_.error().empty()) return memory_.error();
        if (!error_.empty()) return error_;
      }
      if (!memory_.error().empty()) return memory_.error();
      if (!goes_on) return "";
      run_->goes_on = true;
      std::erase_if(running, [&](unsigned t) { return of_warp[t] == 0 && !WaitsForOthers(t); });
      if (std::string error = HoldWarps(running); !error.empty()) return error;
    }
    const std::vector<int>& waits = run_->waits;
    // At a barrier of the cluster, who has ended has arrived.
    const bool is_of_cluster = LineOf(*run_) >= kOfCluster;
    const auto counts = [&](int line) { return line != 0 || !is_of_cluster; };
    const auto first = std::ranges::find_if(waits, counts);
    for (auto other = first; other != waits.end(); ++other) {
      if (*other == *first || !counts(*other)) continue;
      return fmt::format("block {}: thread {} {}, but thread {} {}", blockIdx.x,
                         first - waits.begin(), State(*first), other - waits.begin(),
                         State(*other));
    }
    return "";
  }

  bool WaitsForOthers(unsigned thread) const {
    const Hold::Kind kind = run_->holds[thread].kind;
    return kind != Hold::Kind::kNone && kind != Hold::Kind::kWarp;
  }

  bool IsHeld(unsigned thread) {
    Hold& hold = run_->holds[thread];
    if (hold.kind == Hold::Kind::kMet ||
        (hold.kind == Hold::Kind::kPhase && memory_.HasEnded(hold.wait, thread))) {
      hold.kind = Hold::Kind::kNone;
    }
    return hold.kind != Hold::Kind::kNone;
  }

  /// Warps go on that wait for themselves, when all of their threads do.
  std::string HoldWarps(const std::vector<unsigned>& running) {
    const std::vector<int>& of_warp = run_->of_warp;
    for (const unsigned t : running) {
      if (of_warp[t] == 0) continue;
      run_->holds[t].kind = Hold::Kind::kNone;
      const unsigned first = t / kWarp * kWarp;
      for (unsigned other = first; other < first + kWarp; ++other) {
        const bool is_there = other < kernel_->threads, shuffles = of_warp[t] < 0;
        if (is_there ? of_warp[other] == of_warp[t] : shuffles) continue;
        if (is_there && WaitsForOthers(other)) {
          run_->holds[t].kind = Hold::Kind::kWarp;
          continue;
        }
        return fmt::format("line {}: thread {} {}, but not thread {} of its warp",
                           std::abs(of_warp[t]), t, shuffles ? "shuffles" : "waits", other);
      }
    }
    return "";
  }

  /// None of these threads can go on: some hold the others up.
  std::string Deadlock(const std::vector<unsigned>& running) {
    const std::vector<int>& of_warp = run_->of_warp;
    const Meeting& meeting = run_->meeting;
    const auto missing = [&](unsigned thread, const std::string& why) {
      return fmt::format("block {}: threads 0 to {} meet in line {}, but thread {} {}", blockIdx.x,
                         meeting.threads - 1, meeting.line, thread, why);
    };
    for (unsigned t = 0; meeting.here > 0 && t < meeting.threads; ++t) {
      if (of_warp[t] == 0 && !WaitsForOthers(t)) return missing(t, State(run_->waits[t]));
    }
    for (const unsigned t : running) {
      const Hold& hold = run_->holds[t];
      if (hold.kind != Hold::Kind::kPhase) continue;
      memory_.FailWaiting(hold.wait, t);
      return memory_.error();
    }
    const unsigned thread =
        *std::ranges::find_if(running, [&](unsigned t) { return of_warp[t] != 0; });
    return missing(thread, fmt::format("waits for its warp in line {}", std::abs(of_warp[thread])));
  }

  static std::string State(int line) {
    if (line >= kOfCluster) {
      return fmt::format("waits at the barrier of the cluster of line {}", line - kOfCluster);
    }
    return line == 0 ? "has ended" : fmt::format("waits at the barrier of line {}", line);
  }

  const Program& program_;
  const Kernel* kernel_ = nullptr;  ///< The one that runs.
  std::string error_;               ///< Of a shuffle.
  Memory memory_;
  std::mt19937 random_;
  std::vector<std::unique_ptr<Fiber>>& fibers_;
  std::vector<unsigned> order_;  ///< Of the threads in an interval.
  std::vector<Block> cluster_;   ///< By rank.
  Block* run_ = nullptr;         ///< The one that runs.
};

}  // namespace

void Run(const Program& program, char* error, int capacity) {
  const std::string text = Runner(program).Run();
  std::snprintf(error, static_cast<std::size_t>(capacity), "%s", text.c_str());
}

void Barrier(int line) {
  runner->Wait(line);
}

void TakeRows(int line, const unsigned short (&row)[8], unsigned matrices, unsigned* words) {
  runner->TakeRows(line, row, matrices, words);
}

void MultiplyInPlace(const StepInPlace& step) {
  runner->MultiplyInPlace(step);
}

void BeginBatch() {
  runner->groups().Begin(threadIdx.x);
}

void CommitBatch() {
  runner->groups().Commit(threadIdx.x);
}

void AwaitBatches(int batches_left) {
  runner->AwaitBatches(batches_left);
}

void Publish() {
  runner->memory().Publish(threadIdx.x);
}

void Transpose(int line, const unsigned short (&row)[8], unsigned matrices, unsigned* words) {
  runner->Transpose(line, row, matrices, words);
}

void InitBarrier(int line, const Address& barrier, unsigned count) {
  Memory& memory = runner->memory();
  if (!memory.InitBarrier(line, barrier.region(), barrier.offset(), count, threadIdx.x)) {
    Fiber::Yield();
  }
}

void BarriersMade() {
  runner->memory().BarriersMade(threadIdx.x);
}

void ExpectBytes(int line, const Address& barrier, unsigned bytes) {
  Memory& memory = runner->memory();
  if (!memory.ExpectBytes(line, barrier.region(), barrier.offset(), bytes, threadIdx.x)) {
    Fiber::Yield();
  }
}

void ArriveAt(int line, const Address& barrier) {
  if (!runner->memory().ArriveAt(line, barrier.region(), barrier.offset(), threadIdx.x)) {
    Fiber::Yield();
  }
}

void ArriveAtRank(int line, const Address& barrier, int rank) {
  Memory& memory = runner->memory();
  if (!memory.ArriveAtRank(line, barrier.region(), barrier.offset(), rank, threadIdx.x)) {
    Fiber::Yield();
  }
}

void AwaitPhase(int line, const Address& barrier, unsigned parity) {
  runner->AwaitPhase(line, barrier, parity);
}

void CopyBox(int line, const Address& to, const exh_tensor_map& map, const Address& barrier,
             const int* coordinates, unsigned axes) {
  ShareBox(line, to, map, barrier, runner->memory().own_bit(), coordinates, axes);
}

void ShareBox(int line, const Address& to, const exh_tensor_map& map, const Address& barrier,
              unsigned blocks, const int* coordinates, unsigned axes) {
  unsigned late = 0;
  for (unsigned left = blocks; left != 0; left &= left - 1) {
    if (runner->IsLate()) late |= left & -left;
  }
  if (!runner->memory().CopyBox(line, to.region(), to.offset(), map, barrier.region(),
                                barrier.offset(), coordinates, axes, blocks, late, threadIdx.x)) {
    Fiber::Yield();
  }
}

void Meet(int line, unsigned threads) {
  runner->Meet(line, threads);
}

int BarrierOr(int line, int value) {
  return runner->WaitOr(line, value != 0) ? 1 : 0;
}

void ClusterArrive() {
  runner->memory().ClusterArrive(threadIdx.x);
}

void ClusterWait(int line) {
  runner->ClusterWait(line);
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

unsigned long long Swap(int line, unsigned long long bits, int lanes) {
  return runner->Swap(line, bits)[threadIdx.x % 32 ^ static_cast<unsigned>(lanes)];
}

void SyncWarp(int line) {
  runner->SyncWarp(line);
}

unsigned Ballot(int line, bool is_set) {
  const unsigned long long* const warp = runner->Swap(line, is_set ? 1 : 0);
  unsigned bits = 0;
  for (unsigned lane = 0; lane < 32; ++lane) bits |= static_cast<unsigned>(warp[lane]) << lane;
  return bits;
}

void Multiply(int line, Tiles tiles, double* sums, const double* a, const double* b) {
  runner->Multiply(line, tiles, sums, a, b);
}

Address::Address(const void* at) : region_(runner->memory().Find(at, &offset_)) {}

unsigned Address::InShared() const {
  const long long place = runner->memory().InShared(region_, offset_);
  if (place < 0) {
    char nothing[1];
    Read(nothing, 1, 1, Via::kCached);  // An error as of any access that shared memory has not.
  }
  return static_cast<unsigned>(place);
}

Address Address::InBlock(int rank) const {
  return {runner->memory().SharedOf(region_, rank), offset_};
}

void Address::Read(void* value, int bytes, int unit, Via via) const {
  // After an error the thread never goes on: nobody resumes it.
  const Access access = {offset_, bytes, unit, via};
  if (!runner->memory().Read(region_, access, value, threadIdx.x)) Fiber::Yield();
}

void Address::Write(const void* value, int bytes, int unit, Via via) const {
  const Access access = {offset_, bytes, unit, via};
  if (!runner->memory().Write(region_, access, value, threadIdx.x)) Fiber::Yield();
}

void Address::Tell(unsigned long long word) const {
  const Access access = {offset_, sizeof word, sizeof word, Via::kPlain};
  if (!runner->memory().Tell(region_, access, word, threadIdx.x)) Fiber::Yield();
}

unsigned long long Address::Hear() const {
  std::uint64_t word = 0;
  const Access access = {offset_, sizeof word, sizeof word, Via::kPlain};
  if (!runner->memory().Hear(region_, access, word, threadIdx.x)) Fiber::Yield();
  return word;
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

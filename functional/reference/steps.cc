// SPDX-License-Identifier: MIT
#include "functional/reference/steps.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/check.h"

namespace exh::functional::reference {
namespace {

/// Numbers that a loop calculates so that threads are worth their start.
constexpr double kWorthThreads = 1 << 15;
/// Rounds of a loop for each thread, so that all end at about the same time.
constexpr std::int64_t kSharesOfThread = 8;

/// Two numbers, and how they become one, for all lanes.
template <class Operation>
void InLanes(const Call& call, Cell* const* frame, const Operation& operation) {
  Cell* result = frame[call.result.slot] + call.result.offset;
  const Cell* left = frame[call.left.slot] + call.left.offset;
  const Cell* right = frame[call.right.slot] + call.right.offset;
  for (std::int64_t lane = 0;;) {
    *result = operation(*left, *right);
    if (++lane == call.lanes) return;
    result += call.result.stride;
    left += call.left.stride;
    right += call.right.stride;
  }
}

void Dot(const Call& call, Cell* const* frame) {
  const Cell* left = frame[call.left.slot] + call.left.offset;
  const Cell* right = frame[call.right.slot] + call.right.offset;
  Cell sum = Multiply(*left, *right);
  for (std::int64_t lane = 1; lane < call.lanes; ++lane) {
    left += call.left.stride;
    right += call.right.stride;
    sum = Add(sum, Multiply(*left, *right));
  }
  frame[call.result.slot][call.result.offset] = sum;
}

void RunCall(const Call& call, Cell* const* frame) {
  switch (call.function) {
    case Function::kId:
      return InLanes(call, frame, [](const Cell& a, const Cell&) { return a; });
    case Function::kAdd:
      return InLanes(call, frame, Add);
    case Function::kSubtract:
      return InLanes(call, frame, Subtract);
    case Function::kMultiply:
      return InLanes(call, frame, Multiply);
    case Function::kDivide:
      return InLanes(call, frame, Divide);
    case Function::kMin:
      return InLanes(call, frame, Min);
    case Function::kMax:
      return InLanes(call, frame, Max);
    case Function::kDot:
      return Dot(call, frame);
  }
  EXH_UNREACHABLE();
}

void CopyFrom(const Copy& copy, std::size_t depth, Cell* to, const Cell* from) {
  if (depth == copy.to.dims.size()) {
    *to = *from;
    return;
  }
  const Dim &to_dim = copy.to.dims[depth], &from_dim = copy.from.dims[depth];
  const bool is_last = depth + 1 == copy.to.dims.size();
  for (std::int64_t i = 0; i < to_dim.extent; ++i) {
    if (is_last) {
      to[to_dim.At(i)] = from[from_dim.At(i)];
    } else {
      CopyFrom(copy, depth + 1, to + to_dim.At(i), from + from_dim.At(i));
    }
  }
}

double CostOf(const Loop& loop) {
  double cost = 1;
  for (const Step& step : loop.body) {
    if (step.kind == Step::Kind::kCall) cost += static_cast<double>(step.call.lanes);
    if (step.kind == Step::Kind::kLoop) cost += CostOf(*step.loop);
    if (step.kind == Step::Kind::kCopy) {
      cost += static_cast<double>(CellsOf(ShapeOf(step.copy->to)));
    }
  }
  return cost * static_cast<double>(loop.count);
}

bool IsWorthSharing(const Loop& loop) {
  return !loop.is_ordered && CostOf(loop) >= kWorthThreads;
}

/// Of a loop of few rounds, loops within are shared if they have more.
void ShareWithin(Loop& outer, int threads) {
  for (Step& step : outer.body) {
    if (step.kind != Step::Kind::kLoop || !IsWorthSharing(*step.loop)) continue;
    Loop& loop = *step.loop;
    const bool has_longer = std::ranges::any_of(loop.body, [&](const Step& inner) {
      return inner.kind == Step::Kind::kLoop && inner.loop->count > loop.count &&
             IsWorthSharing(*inner.loop);
    });
    if (loop.count < std::int64_t{2} * threads && has_longer) {
      ShareWithin(loop, threads);
    } else {
      loop.is_shared = true;
    }
  }
}

/// Memory is made once a kernel, and once a thread of a loop that is shared.
void GatherBuffers(Loop& loop, std::vector<Buffer>& buffers) {
  for (Step& step : loop.body) {
    if (step.kind != Step::Kind::kLoop) continue;
    Loop& inner = *step.loop;
    if (inner.is_shared) {
      GatherBuffers(inner, inner.buffers);
      continue;
    }
    buffers.insert(buffers.end(), inner.buffers.begin(), inner.buffers.end());
    inner.buffers.clear();
    GatherBuffers(inner, buffers);
  }
}

/// A frame of its own with memory for what a loop writes on its way.
class Frame {
 public:
  Frame(std::vector<Cell*> slots, const std::vector<Buffer>& buffers) : slots_(std::move(slots)) {
    std::int64_t cells = 0;
    for (const Buffer& buffer : buffers) cells += buffer.cells;
    memory_ = std::make_unique_for_overwrite<Cell[]>(static_cast<std::size_t>(cells));
    Cell* next = memory_.get();
    for (const Buffer& buffer : buffers) {
      slots_[static_cast<std::size_t>(buffer.slot)] = next;
      next += buffer.cells;
    }
  }

  Cell** slots() { return slots_.data(); }

 private:
  std::vector<Cell*> slots_;
  std::unique_ptr<Cell[]> memory_;
};

class Runner {
 public:
  Runner(const Code& code, int threads, const StopToken* stop)
      : code_(code), threads_(threads), stop_(stop) {}

  /// It ended early.
  bool has_ended() const { return has_ended_.load(std::memory_order_relaxed); }

  void RunBlock(const Block& block, Cell** frame) const {
    for (const Step& step : block) {
      switch (step.kind) {
        case Step::Kind::kCall:
          RunCall(step.call, frame);
          break;
        case Step::Kind::kCopy:
          CopyFrom(*step.copy, 0, frame[step.copy->to.slot] + step.copy->to.offset,
                   frame[step.copy->from.slot] + step.copy->from.offset);
          break;
        case Step::Kind::kLoop:
          if (step.loop->is_shared) {
            RunShared(*step.loop, frame);
          } else {
            RunRounds(*step.loop, frame, 0, step.loop->count);
          }
          break;
        case Step::Kind::kSwap:
          std::swap(frame[step.swapped.first], frame[step.swapped.second]);
          break;
      }
    }
  }

 private:
  void RunRounds(const Loop& loop, Cell** frame, std::int64_t first, std::int64_t end) const {
    for (std::int64_t i = first; i < end && !IsOver(); ++i) {
      for (const Walk& walk : loop.walks) {
        frame[walk.to] = frame[walk.from] + walk.offset + walk.dim.At(i);
      }
      RunBlock(loop.body, frame);
    }
  }

  /// Asked in every round, and looks at the token in some of them.
  bool IsOver() const {
    constexpr int kRoundsPerLook = 4096;
    thread_local int rounds = 0;
    if (++rounds >= kRoundsPerLook) {
      rounds = 0;
      if (IsStopped(stop_)) has_ended_.store(true, std::memory_order_relaxed);
    }
    return has_ended();
  }

  void RunShared(const Loop& loop, Cell** frame) const {
    const std::vector<Cell*> slots(frame, frame + code_.slots);
    const std::int64_t count = std::min<std::int64_t>(threads_, loop.count);
    std::vector<Frame> frames;
    for (std::int64_t i = 0; i < count; ++i) frames.emplace_back(slots, loop.buffers);
    const std::int64_t share = std::max<std::int64_t>(1, loop.count / (threads_ * kSharesOfThread));
    std::atomic<std::int64_t> next = 0;
    const auto work = [&](Frame& own) {
      for (std::int64_t first; (first = next.fetch_add(share)) < loop.count;) {
        RunRounds(loop, own.slots(), first, std::min(first + share, loop.count));
      }
    };
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < frames.size(); ++i) {
      helpers.emplace_back([&work, &own = frames[i]] { work(own); });
    }
    work(frames.front());
  }

  const Code& code_;
  int threads_;
  const StopToken* const stop_;
  mutable std::atomic<bool> has_ended_ = false;
};

}  // namespace

void Share(Code& code, int threads) {
  if (threads > 1) ShareWithin(code.whole, threads);
  GatherBuffers(code.whole, code.whole.buffers);
}

bool Run(const Code& code, std::vector<Cell*> frame, int threads, const StopToken* stop) {
  if (IsStopped(stop)) return false;
  Frame own(std::move(frame), code.whole.buffers);
  const Runner runner(code, threads, stop);
  runner.RunBlock(code.whole.body, own.slots());
  return !runner.has_ended();
}

}  // namespace exh::functional::reference

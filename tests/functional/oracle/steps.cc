// SPDX-License-Identifier: MIT
#include "tests/functional/oracle/steps.h"

#include <utility>

#include "base/check.h"

namespace exh::functional::reference {
namespace {

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

/// Memory is made once a kernel.
void GatherBuffers(Loop& loop, std::vector<Buffer>& buffers) {
  for (Step& step : loop.body) {
    if (step.kind != Step::Kind::kLoop) continue;
    Loop& inner = *step.loop;
    buffers.insert(buffers.end(), inner.buffers.begin(), inner.buffers.end());
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

void RunBlock(const Block& block, Cell** frame) {
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
        for (std::int64_t i = 0; i < step.loop->count; ++i) {
          for (const Walk& walk : step.loop->walks) {
            frame[walk.to] = frame[walk.from] + walk.offset + walk.dim.At(i);
          }
          RunBlock(step.loop->body, frame);
        }
        break;
      case Step::Kind::kSwap:
        std::swap(frame[step.swapped.first], frame[step.swapped.second]);
        break;
    }
  }
}

}  // namespace

void Run(Code& code, std::vector<Cell*> frame) {
  GatherBuffers(code.whole, code.whole.buffers);
  Frame own(std::move(frame), code.whole.buffers);
  RunBlock(code.whole.body, own.slots());
}

}  // namespace exh::functional::reference

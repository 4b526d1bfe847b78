// SPDX-License-Identifier: MIT
//
// What is done for a kernel, step by step: calls of functions of numbers, copies and loops. In the
// slots of a frame memory begins.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/functional/oracle/cell.h"
#include "tests/functional/oracle/layout.h"

namespace exh::functional::reference {

enum class Function : std::uint8_t {
  kId,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kMin,
  kMax,
  kDot,  ///< The sum of the products of all lanes.
};

struct Operand {
  int slot = 0;
  std::int64_t offset = 0;
  std::int64_t stride = 0;  ///< To the next lane.
};

struct Call {
  Function function = Function::kId;
  std::int64_t lanes = 1;
  Operand result, left, right;
};

/// Both have the same extents.
struct Copy {
  Part to, from;
};

/// Memory that a slot gets.
struct Buffer {
  int slot = 0;
  std::int64_t cells = 0;
};

/// In round i of a loop, slot `to` is `offset` and the i-th place of `dim` behind slot `from`.
struct Walk {
  int to = 0, from = 0;
  std::int64_t offset = 0;
  Dim dim;
};

struct Step;
using Block = std::vector<Step>;

struct Loop {
  std::int64_t count = 0;
  std::vector<Walk> walks;
  std::vector<Buffer> buffers;
  Block body;
};

struct Step {
  enum class Kind : std::uint8_t { kCall, kCopy, kLoop, kSwap };
  Kind kind = Kind::kCall;
  Call call;
  std::unique_ptr<Copy> copy;
  std::unique_ptr<Loop> loop;
  std::pair<int, int> swapped;  ///< kSwap: slots.
};

/// All of a kernel.
struct Code {
  static constexpr int kConstants = 0, kResult = 1;  ///< Slots.
  int slots = 2;
  std::vector<Cell> constants;
  std::vector<std::pair<std::string, int>> inputs;  ///< And their slots.
  std::int64_t result_cells = 0;
  Loop whole;  ///< Of one round.
};

/// `frame`: the memory of constants, inputs and the result is in it.
void Run(Code& code, std::vector<Cell*> frame);

}  // namespace exh::functional::reference

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/ir/index/condition.h"
#include "poly/schedule.h"
#include "poly/scop.h"

namespace exh::poly {

using kernels::ir::Condition;
using kernels::ir::Index;
using kernels::ir::IndexVariable;

/// A piece of a program: loops, conditions and calls of statements, as plain values, over the
/// variables of the loops around them.
struct ScopNode {
  enum class Kind : std::uint8_t {
    kBlock,  ///< Its children, one after the other.
    kLoop,   ///< Its one child, for each value of its variable.
    kIf,     ///< Its one child, where the condition holds.
    kCall,   ///< One execution of a statement.
  };
  Kind kind = Kind::kBlock;
  int row = 0;  ///< kLoop: the row of the schedule whose dates it counts.
  /// kLoop: "c3" of row 3, whose number is twice that of its row. Its range holds in the loop.
  IndexVariable variable;
  Index first;                         ///< kLoop: its first value.
  Condition condition;                 ///< kLoop: holds as long as it goes on; kIf.
  std::int64_t step = 1;               ///< kLoop.
  std::optional<std::int64_t> extent;  ///< kLoop: iterations, where it counts from 0 in steps of 1.
  int statement = 0;                   ///< kCall.
  std::vector<Index> arguments;        ///< kCall: the value of each iterator.
  std::vector<ScopNode> children;

  /// The statements in it, each once, from the smallest on.
  std::vector<int> Statements() const;
};

/// The loops that execute the statements in the order of a schedule, at the extents that the scop
/// has. The schedule must be legal. Throws IslError.
ScopNode LoopTreeOf(const Scop& scop, const Schedule& schedule);

}  // namespace exh::poly

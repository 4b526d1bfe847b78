// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poly/schedule.h"
#include "poly/scop.h"

namespace exh::poly {

/// A piece of a program: loops, conditions and calls of statements, as plain values. Expressions
/// are C texts over the variables of the loops around them; they may call isl's min, max and
/// floord.
struct LoopNode {
  enum class Kind : std::uint8_t {
    kBlock,  ///< Its children, one after the other.
    kLoop,   ///< Its one child, for each value of its variable.
    kIf,     ///< Its one child, where the condition holds.
    kCall,   ///< One execution of a statement.
  };
  Kind kind = Kind::kBlock;
  int row = 0;                         ///< kLoop: the row of the schedule whose dates it counts.
  std::string variable;                ///< kLoop: "c0" of row 0.
  std::string first;                   ///< kLoop: its first value.
  std::string condition;               ///< kLoop: holds as long as it goes on; kIf.
  std::string step = "1";              ///< kLoop.
  std::optional<std::int64_t> extent;  ///< kLoop: iterations, where it counts from 0 in steps of 1.
  int statement = 0;                   ///< kCall.
  std::vector<std::string> arguments;  ///< kCall: the value of each iterator.
  std::vector<LoopNode> children;

  /// The statements in it, each once, from the smallest on.
  std::vector<int> Statements() const;
};

/// The loops that execute the statements in the order of a schedule, at the extents that the scop
/// has. The schedule must be legal. Throws IslError.
LoopNode LoopTreeOf(const Scop& scop, const Schedule& schedule);

}  // namespace exh::poly

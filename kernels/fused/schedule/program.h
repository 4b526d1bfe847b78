// SPDX-License-Identifier: MIT
//
// A fused operator for schedulers: its statements as parts, each of which is one scop of poly/.
//
//   reduction  ->  begin: the element is what reduces nothing
//                  the statement itself: the element takes one more value
//                  end: the element becomes what its type holds, where it is summed up in a wider
//                  one
//
// A statement that reads with quotients or remainders has accesses that no scop can say. Where it
// reads what a statement before it wrote, a new part begins: all of that is written by then.
// Otherwise nothing depends on how it reads, and the scop does without.
//
// Statements that do not depend on each other, not even through others, are in parts of their own.
#pragma once

#include <vector>

#include "kernels/fused/statements.h"
#include "poly/scop.h"

namespace exh::kernels::fused {

/// What a statement of a scop is of a statement of the operator.
struct StatementPiece {
  enum class What : std::uint8_t { kWhole, kBegin, kTake, kEnd };
  int statement = 0;           ///< Of OperatorProgram::list.
  What what = What::kWhole;    ///< kWhole: it reduces nothing.
  std::vector<int> iterators;  ///< Of the operator's statement, for each of the scop's. Those of
                               ///< extent 1 are none of the scop's.
};

struct ProgramPart {
  poly::Scop scop;  ///< Arrays are those of the program, all of them.
  std::vector<StatementPiece> pieces;
};

struct OperatorProgram {
  /// Every tensor is written by one statement at most, inputs by none. Shapes have fewer dimensions
  /// than those of the operator (merge.h).
  StatementList list;
  /// The tensors of the list, then what reductions are accumulated in where that is not the tensor.
  std::vector<StatementTensor> arrays;
  std::vector<int> accumulators;   ///< By statement of the list: an array; -1: it reduces nothing.
  std::vector<ProgramPart> parts;  ///< Each before the next.

  /// The type that a reduction is accumulated in.
  static ir::Type AccumulatesIn(const Statement& statement);
};

/// `list`: of any operator; operations that only hand each other registers become one statement,
/// and what is only used together one dimension.
OperatorProgram ProgramOf(const StatementList& list);

}  // namespace exh::kernels::fused

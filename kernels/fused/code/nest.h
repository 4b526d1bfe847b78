// SPDX-License-Identifier: MIT
//
// The loops of a part as printers need them: which may run in parallel, and which are vectors.
#pragma once

#include <vector>

#include "kernels/fused/schedule/program.h"
#include "poly/isl/dependences.h"
#include "poly/isl/loop_tree.h"
#include "poly/schedule.h"

namespace exh::kernels::fused {

/// One piece of the program: poly::ScopNode, and what is known of its loops. No block is in a
/// block.
struct NestNode {
  poly::ScopNode::Kind kind = poly::ScopNode::Kind::kBlock;
  poly::ScopNode node;       ///< Without children.
  bool is_parallel = false;  ///< kLoop: its iterations may run at once.
  /// kLoop: it may be moved out of all loops that it is in, and its iterations may run at once.
  bool is_independent = false;
  /// kLoop: all that its iterations hand each other are values of reductions, which may begin in
  /// its first iteration.
  bool is_reduction = false;
  bool is_begin = false;  ///< kCall: a reduction begins.
  /// kLoop: iterations, where that is a number and the same wherever it is: from node.first on, in
  /// steps of node.step. As node.extent, but tiles have one as well.
  std::optional<std::int64_t> count = {};
  /// kLoop: elements that are read and written in it by accesses of which neighbours follow one
  /// another in memory.
  double near_reads = 0, near_writes = 0;
  /// kLoop: ends before this value, where the last tile is not whole.
  std::optional<std::int64_t> end = {};
  int widest = 1;            ///< kLoop: the most that `vector` may be for wide accesses.
  int vector = 1;            ///< kLoop: so many iterations are done as one, with wide accesses.
  int lanes = 0;             ///< A vector on a processor: its iterations; 0: the compiler says.
  bool is_in_tile = false;   ///< kLoop: of the iterations of one tile.
  bool has_threads = false;  ///< kLoop: its iterations are divided among threads of a processor.
  std::vector<NestNode> children;

  bool is_loop() const { return kind == poly::ScopNode::Kind::kLoop; }
};

/// Appends the calls of a node that has nothing but calls in it. False: there is more.
bool AddCalls(const NestNode& node, std::vector<const NestNode*>& calls);

/// The loops of a part in the order of a legal schedule. A loop is parallel if it carries none of
/// the dependences between the statements in it, and independent if the dependences between the
/// statements of all loops that it is in stay within one of its iterations. It is a vector, if
/// `has_vectors`, where it is parallel, has no loops or conditions in it, its extent is a multiple
/// of 4 or 2, each statement in it writes neighbours, and one access at least can be 64 or 128 bits
/// wide. Throws poly::IslError.
NestNode NestOf(const ProgramPart& part, const std::vector<poly::Dependence>& dependences,
                const poly::Schedule& schedule, bool has_vectors);

}  // namespace exh::kernels::fused

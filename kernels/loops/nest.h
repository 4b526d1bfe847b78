// SPDX-License-Identifier: MIT
//
// NestNode: loops, conditions and calls of statements as a tree of plain values. Bounds are indices
// over the variables of the loops around: they may be skewed, and no rectangles. What a loop runs
// over, what is known of it and what is decided of it stand in three parts, so that a pass can
// decide anew and leave the rest as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "kernels/ir/index/condition.h"
#include "kernels/ir/index/index.h"

namespace exh::kernels::loops {

/// What a loop runs over: from `first` on, in steps, as long as the condition holds.
struct LoopRange {
  ir::IndexVariable variable;  ///< Its range holds in the loop.
  ir::Index first;
  ir::Condition condition;
  std::int64_t step = 1;
  /// Iterations, where that is a number and the same wherever the loop is.
  std::optional<std::int64_t> count = {};
  /// Nothing happens from this value on, though `count` has it: the last tile is not whole.
  std::optional<std::int64_t> end = {};

  /// From 0 to a number, in steps of 1.
  static LoopRange Of(ir::IndexVariable variable);
  /// Its iterations, where it counts from 0 in steps of 1.
  std::optional<std::int64_t> extent() const {
    return step == 1 && first == ir::Index() ? count : std::nullopt;
  }
};

/// What is true of a loop, whoever decides how it runs.
struct LoopFacts {
  bool is_parallel = false;  ///< Its iterations may run at once.
  /// It may be moved out of all loops that it is in, and its iterations may run at once.
  bool is_independent = false;
  /// All that its iterations hand each other are values of reductions, which may begin in its first
  /// iteration.
  bool is_reduction = false;
  /// Elements that are read and written in it by accesses of which neighbours follow one another in
  /// memory.
  double near_reads = 0, near_writes = 0;
  int widest = 1;  ///< The most iterations that wide accesses can do as one.

  double near() const { return near_reads + near_writes; }
};

/// How a loop runs.
struct LoopMapping {
  bool has_threads = false;  ///< Its iterations are divided among threads of a processor.
  int vector = 1;            ///< So many iterations are done as one, with wide accesses.
  int lanes = 0;             ///< A vector on a processor: its iterations; 0: the compiler says.
  bool is_in_tile = false;   ///< It is one of the loops over the iterations of a tile.
};

struct NestNode {
  enum class Kind : std::uint8_t {
    kBlock,  ///< Its children, one after the other.
    kLoop,   ///< Its one child, for each value of its variable.
    kIf,     ///< Its one child, where the condition holds.
    kCall,   ///< One execution of a statement.
  };
  Kind kind = Kind::kBlock;
  LoopRange range = {};                   ///< kLoop.
  LoopFacts facts = {};                   ///< kLoop.
  LoopMapping mapping = {};               ///< kLoop.
  ir::Condition condition = {};           ///< kIf.
  int statement = 0;                      ///< kCall.
  bool is_begin = false;                  ///< kCall: a reduction begins.
  std::vector<ir::Index> arguments = {};  ///< kCall: the value of each iterator.
  std::vector<NestNode> children = {};

  bool is_loop() const { return kind == Kind::kLoop; }
  const NestNode& body() const { return children.front(); }
  NestNode& body() { return children.front(); }

  static NestNode Loop(LoopRange range, NestNode body);
  static NestNode If(ir::Condition condition, NestNode body);
  static NestNode Call(int statement, std::vector<ir::Index> arguments);
  static NestNode Block(std::vector<NestNode> children);

  /// Without what is in it.
  NestNode Bare() const;
  /// The variable has this value.
  void Set(int variable, const ir::Index& value);
};

/// The loops of a nest from the outside to the inside, in the order of the text.
std::vector<const NestNode*> LoopsOf(const NestNode& nest);

/// Is it a loop, or is one in it?
bool HasLoops(const NestNode& node);

/// The statements in it, each once.
std::set<int> StatementsIn(const NestNode& node);

/// The calls of a node that has nothing but calls in it; nothing: there is more.
std::optional<std::vector<const NestNode*>> CallsOf(const NestNode& node);

/// Has it nothing in it but beginnings of reductions?
bool IsOnlyBegins(const NestNode& node);

}  // namespace exh::kernels::loops

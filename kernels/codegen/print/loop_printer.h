// SPDX-License-Identifier: MIT
//
// The loops of a kernel as text: what is the same in every language. A walk over the loop tree that
// declares values where they live, and prints the copies of unrolled nodes. What a loop, a band of
// threads, and the nodes behind a reduction look like is the business of subclasses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/text_writer.h"
#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/codegen/print/code_names.h"
#include "kernels/codegen/print/statements.h"

namespace exh::kernels::codegen {

class LoopPrinter {
 public:
  virtual ~LoopPrinter() = default;

 protected:
  LoopPrinter(const LoweredCode& code, const CodeNames& names, Statements& statements,
              TextWriter& out)
      : code_(code), tree_(code.tree), names_(names), out_(out), instructions_(statements) {}

  /// From now on a part of the program, which outlives this.
  void Select(const Part& part) {
    part_ = &part;
    instructions_.SetPart(part);
  }
  /// Is there something to do in the node?
  bool Runs(int node) const { return part_->nodes[static_cast<std::size_t>(node)]; }
  const DimClass& Class(int index) const { return tree_.classes[static_cast<std::size_t>(index)]; }
  /// The BLOCK classes that number the blocks of the part, outermost first.
  const std::vector<int>& BlockClasses() const;
  /// Declares the index of each of them. `block`: the number of the block; `type`: of the indices.
  void BlockIndices(const std::string& block, const std::string& type, bool bounded,
                    const BlockCluster& cluster = {});

  /// Declarations that live in the node, then its children.
  void Body(int index);
  virtual void Children(int index);
  void Node(int index);
  /// "LOOP mad.m1": what is said of a class; unrolled copies after the first say nothing new.
  void Comment(const std::string& kind, int dim_class);

  /// The tiles that a loop skips; null: none.
  const SkippedTiles* SkippedBy(int loop) const;
  /// Declares how many iterations a loop has that skips tiles, and returns the name of that.
  /// `type`: of indices.
  std::string DeclareEnd(const SkippedTiles& tiles, const std::string& type);

  /// What stands before a node.
  virtual void Before(int /*index*/) {}
  virtual void Execute(ir::InstId inst) { instructions_.Execute(inst); }
  virtual void Loop(int index) = 0;
  virtual void Threads(int index) = 0;
  /// A node behind the loops of a reduction: kLanes, kRound, kCombine, kCorrect,
  /// kHandOver, kLastBlock, kExchange.
  virtual void Ending(int index) = 0;

  const LoweredCode& code_;
  const LoopTree& tree_;
  const CodeNames& names_;
  TextWriter& out_;
  const Part* part_ = nullptr;  ///< What is being printed.

 private:
  Statements& instructions_;
  int repeats_ = 0;  ///< Unrolled dims around that are past their first copy.
};

}  // namespace exh::kernels::codegen

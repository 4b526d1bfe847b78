// SPDX-License-Identifier: MIT
#include "kernels/fused/code/nest.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "kernels/loops/edges.h"
#include "poly/isl/legality.h"
#include "poly/isl/loop_tree.h"
#include "poly/scenarios.h"

namespace exh::kernels::fused {
namespace {

using ir::Condition;
using ir::Index;
using Kind = NestNode::Kind;

std::size_t At(int i) {
  return static_cast<std::size_t>(i);
}

bool IsVariable(const Index& index, int variable) {
  return index.variable() != nullptr && index.variable()->number == variable;
}

void MarkBegins(const ProgramPart& part, NestNode& node) {
  node.is_begin = node.kind == Kind::kCall &&
                  part.pieces[At(node.statement)].what == StatementPiece::What::kBegin;
  for (NestNode& child : node.children) MarkBegins(part, child);
}

class Marking {
 public:
  Marking(const ProgramPart& part, const std::vector<poly::Dependence>& dependences,
          const poly::Schedule& schedule, bool has_vectors)
      : part_(part),
        dependences_(dependences),
        carried_(poly::CarriedBy(part.scop, dependences, schedule)),
        separated_(poly::SeparatedBy(part.scop, dependences, schedule)),
        has_vectors_(has_vectors) {}

  /// `all`: the statements of the loops that the node is in; empty: it is in none.
  void Run(NestNode& node, std::set<int> all = {}) const {
    loops::LoopFacts& facts = node.facts;
    if (node.is_loop()) {
      const std::set<int> inside = loops::StatementsIn(node);
      if (all.empty()) all = inside;
      const std::size_t row = At(poly::RowOf(node));
      facts.is_parallel = HasNone(carried_[row], inside);
      facts.is_independent = HasNone(separated_[row], all);
      facts.is_reduction = !facts.is_parallel && HasNone(NotTaken(node, carried_[row]), inside);
      if (node.range.extent()) AddNeighbours(node, node.range.variable.number, facts);
    }
    std::vector<NestNode> children;
    for (NestNode& child : node.children) {
      Run(child, all);
      if (node.kind == Kind::kBlock && child.kind == Kind::kBlock) {  // No block in a block.
        std::ranges::move(child.children, std::back_inserter(children));
      } else {
        children.push_back(std::move(child));
      }
    }
    node.children = std::move(children);
    if (facts.is_parallel) facts.widest = WidthOf(node);
    if (has_vectors_) node.mapping.vector = facts.widest;
  }

 private:
  /// None of the dependences that `has` says is one between these statements.
  bool HasNone(const std::vector<bool>& has, const std::set<int>& statements) const {
    for (std::size_t i = 0; i < dependences_.size(); ++i) {
      if (has[i] && statements.contains(dependences_[i].source) &&
          statements.contains(dependences_[i].target)) {
        return false;
      }
    }
    return true;
  }

  /// Without dependences that what a reduction takes has on what it took, or on its beginning in
  /// the first iteration.
  std::vector<bool> NotTaken(const NestNode& loop, std::vector<bool> has) const {
    for (std::size_t i = 0; i < dependences_.size(); ++i) {
      const poly::Dependence& of = dependences_[i];
      const StatementPiece &source = part_.pieces[At(of.source)],
                           &target = part_.pieces[At(of.target)];
      if (target.what != StatementPiece::What::kTake || source.statement != target.statement)
        continue;
      const bool is_begin = source.what == StatementPiece::What::kBegin &&
                            BeginsFirst(loop.body(), loop.range.variable, of.source);
      if (of.source == of.target || is_begin) has[i] = false;
    }
    return has;
  }

  /// Is the statement in the node only where the variable is 0?
  static bool BeginsFirst(const NestNode& node, const ir::IndexVariable& variable, int statement) {
    if (node.kind == Kind::kCall) return node.statement != statement;
    if (node.kind == Kind::kIf && node.condition.Without(Condition::Is(variable, 0))) {
      return true;
    }
    return std::ranges::all_of(node.children, [&](const NestNode& child) {
      return BeginsFirst(child, variable, statement);
    });
  }

  /// Accesses that are neighbours in memory from one value of the variable to the next.
  void AddNeighbours(const NestNode& node, int variable, loops::LoopFacts& facts) const {
    for (const NestNode& child : node.children) AddNeighbours(child, variable, facts);
    if (node.kind != Kind::kCall) return;
    const auto found = std::ranges::find_if(
        node.arguments, [&](const Index& argument) { return IsVariable(argument, variable); });
    if (found == node.arguments.end()) return;
    const int iterator = static_cast<int>(found - node.arguments.begin());
    const auto& accesses = part_.scop.statements[At(node.statement)].accesses;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      const auto along = [&](int of) {
        return poly::VectorAccessOf(part_.scop, node.statement, static_cast<int>(i), of);
      };
      if (!along(iterator).is_contiguous) continue;
      double elements = 1;
      const auto& iterators = part_.scop.statements[At(node.statement)].iterators;
      for (std::size_t of = 0; of < iterators.size(); ++of) {
        if (along(static_cast<int>(of)).is_constant) continue;
        elements *= static_cast<double>(iterators[of].extent);
      }
      (accesses[i].is_write ? facts.near_writes : facts.near_reads) += elements;
    }
  }

  /// 1 where it is no vector.
  int WidthOf(const NestNode& loop) const {
    if (!loop.range.extent()) return 1;
    const auto calls = loops::CallsOf(loop.body());
    if (!calls) return 1;
    int width = 1;
    for (const int wanted : {4, 2}) {
      if (width > 1 || *loop.range.extent() % wanted != 0) continue;
      int wide = 0;
      const bool fits = std::ranges::all_of(*calls, [&](const NestNode* call) {
        return AllowsWidth(*call, loop.range.variable.number, wanted, wide);
      });
      if (fits && wide > 0) width = wanted;
    }
    return width;
  }

  /// `wide` counts the accesses that a vector is good for.
  bool AllowsWidth(const NestNode& call, int variable, int width, int& wide) const {
    const std::vector<Index>& arguments = call.arguments;
    int iterator = -1;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].Uses(variable)) continue;
      if (!IsVariable(arguments[i], variable) || iterator >= 0) return false;
      iterator = static_cast<int>(i);
    }
    if (iterator < 0) return false;
    const auto& accesses = part_.scop.statements[At(call.statement)].accesses;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      const poly::VectorAccess access =
          poly::VectorAccessOf(part_.scop, call.statement, static_cast<int>(i), iterator);
      const bool is_wide = access.is_contiguous && access.width >= width;
      if (accesses[i].is_write && !is_wide) return false;
      wide += is_wide ? 1 : 0;
    }
    return true;
  }

  const ProgramPart& part_;
  const std::vector<poly::Dependence>& dependences_;
  const std::vector<std::vector<bool>> carried_, separated_;
  const bool has_vectors_;
};

}  // namespace

NestNode NestOf(const ProgramPart& part, const std::vector<poly::Dependence>& dependences,
                const poly::Schedule& schedule, bool has_vectors) {
  NestNode nest = poly::LoopTreeOf(part.scop, schedule);
  MarkBegins(part, nest);
  nest = loops::WithoutEdges(std::move(nest));
  Marking(part, dependences, schedule, has_vectors).Run(nest);
  return nest;
}

}  // namespace exh::kernels::fused

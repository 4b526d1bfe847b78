// SPDX-License-Identifier: MIT
#include "kernels/fused/code/nest.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernels/fused/code/simpler.h"
#include "poly/isl/legality.h"
#include "poly/scenarios.h"

namespace exh::kernels::fused {
namespace {

using Kind = poly::ScopNode::Kind;

std::size_t At(int i) {
  return static_cast<std::size_t>(i);
}

bool IsVariable(const poly::Index& index, int variable) {
  return index.variable() != nullptr && index.variable()->number == variable;
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
  NestNode Run(poly::ScopNode node, std::vector<int> all = {}) const {
    NestNode result;
    result.kind = node.kind;
    result.is_begin = node.kind == Kind::kCall &&
                      part_.pieces[At(node.statement)].what == StatementPiece::What::kBegin;
    if (node.kind == Kind::kLoop) {
      const std::vector<int> inside = node.Statements();
      if (all.empty()) all = inside;
      result.is_parallel = HasNone(carried_[At(node.row)], inside);
      result.is_independent = HasNone(separated_[At(node.row)], all);
      result.is_reduction =
          !result.is_parallel && HasNone(NotTaken(node, carried_[At(node.row)]), inside);
      result.count = node.extent;
      if (node.extent) AddNeighbours(node, node.variable.number, result);
    }
    for (poly::ScopNode& child : node.children) {
      NestNode marked = Run(std::move(child), all);
      if (node.kind == Kind::kBlock && marked.kind == Kind::kBlock) {  // No block in a block.
        std::ranges::move(marked.children, std::back_inserter(result.children));
      } else {
        result.children.push_back(std::move(marked));
      }
    }
    node.children.clear();
    result.node = std::move(node);
    if (result.is_parallel) result.widest = WidthOf(result);
    if (has_vectors_) result.vector = result.widest;
    return result;
  }

 private:
  /// None of the dependences that `has` says is one between these statements.
  bool HasNone(const std::vector<bool>& has, const std::vector<int>& statements) const {
    for (std::size_t i = 0; i < dependences_.size(); ++i) {
      if (has[i] && std::ranges::binary_search(statements, dependences_[i].source) &&
          std::ranges::binary_search(statements, dependences_[i].target)) {
        return false;
      }
    }
    return true;
  }

  /// Without dependences that what a reduction takes has on what it took, or on its beginning in
  /// the first iteration.
  std::vector<bool> NotTaken(const poly::ScopNode& loop, std::vector<bool> has) const {
    for (std::size_t i = 0; i < dependences_.size(); ++i) {
      const poly::Dependence& of = dependences_[i];
      const StatementPiece &source = part_.pieces[At(of.source)],
                           &target = part_.pieces[At(of.target)];
      if (target.what != StatementPiece::What::kTake || source.statement != target.statement)
        continue;
      const bool is_begin = source.what == StatementPiece::What::kBegin &&
                            BeginsFirst(loop.children.front(), loop.variable, of.source);
      if (of.source == of.target || is_begin) has[i] = false;
    }
    return has;
  }

  /// Is the statement in the node only where the variable is 0?
  static bool BeginsFirst(const poly::ScopNode& node, const poly::IndexVariable& variable,
                          int statement) {
    if (node.kind == Kind::kCall) return node.statement != statement;
    if (node.kind == Kind::kIf && node.condition.Without(poly::Condition::Is(variable, 0))) {
      return true;
    }
    return std::ranges::all_of(node.children, [&](const poly::ScopNode& child) {
      return BeginsFirst(child, variable, statement);
    });
  }

  /// Accesses that are neighbours in memory from one value of the variable to the next.
  void AddNeighbours(const poly::ScopNode& node, int variable, NestNode& result) const {
    for (const poly::ScopNode& child : node.children) AddNeighbours(child, variable, result);
    if (node.kind != Kind::kCall) return;
    const auto found = std::ranges::find_if(node.arguments, [&](const poly::Index& argument) {
      return IsVariable(argument, variable);
    });
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
      (accesses[i].is_write ? result.near_writes : result.near_reads) += elements;
    }
  }

  /// 1 where it is no vector.
  int WidthOf(const NestNode& loop) const {
    if (!loop.node.extent) return 1;
    std::vector<const NestNode*> calls;
    if (!AddCalls(loop.children.front(), calls)) return 1;
    int width = 1;
    for (const int wanted : {4, 2}) {
      if (width > 1 || *loop.node.extent % wanted != 0) continue;
      int wide = 0;
      const bool fits = std::ranges::all_of(calls, [&](const NestNode* call) {
        return AllowsWidth(*call, loop.node.variable.number, wanted, wide);
      });
      if (fits && wide > 0) width = wanted;
    }
    return width;
  }

  /// `wide` counts the accesses that a vector is good for.
  bool AllowsWidth(const NestNode& call, int variable, int width, int& wide) const {
    const std::vector<poly::Index>& arguments = call.node.arguments;
    int iterator = -1;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].Uses(variable)) continue;
      if (!IsVariable(arguments[i], variable) || iterator >= 0) return false;
      iterator = static_cast<int>(i);
    }
    if (iterator < 0) return false;
    const auto& accesses = part_.scop.statements[At(call.node.statement)].accesses;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      const poly::VectorAccess access =
          poly::VectorAccessOf(part_.scop, call.node.statement, static_cast<int>(i), iterator);
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

bool AddCalls(const NestNode& node, std::vector<const NestNode*>& calls) {
  if (node.kind == Kind::kCall) {
    calls.push_back(&node);
    return true;
  }
  return node.kind == Kind::kBlock &&
         std::ranges::all_of(node.children,
                             [&](const NestNode& child) { return AddCalls(child, calls); });
}

NestNode NestOf(const ProgramPart& part, const std::vector<poly::Dependence>& dependences,
                const poly::Schedule& schedule, bool has_vectors) {
  return Marking(part, dependences, schedule, has_vectors)
      .Run(Simpler(part, poly::LoopTreeOf(part.scop, schedule)));
}

}  // namespace exh::kernels::fused

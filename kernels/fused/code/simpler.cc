// SPDX-License-Identifier: MIT
#include "kernels/fused/code/simpler.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace exh::kernels::fused {
namespace {

using poly::Condition;
using poly::Index;
using poly::ScopNode;
using Kind = ScopNode::Kind;

class Simplifying {
 public:
  explicit Simplifying(const ProgramPart& part) : part_(part) {}

  ScopNode Run(ScopNode node) const {
    for (ScopNode& child : node.children) child = Run(std::move(child));
    if (node.kind != Kind::kLoop) return node;
    FromZero(node);
    // Where there may be no iteration, nothing begins.
    ScopNode block;
    block.kind = Kind::kBlock;
    if (!node.extent || *node.extent < 1) return node;
    std::vector<ScopNode> begins = Begins(node), ends = Ends(node);
    if (begins.empty() && ends.empty()) return node;
    std::ranges::move(begins, std::back_inserter(block.children));
    block.children.push_back(std::move(node));
    std::ranges::move(ends, std::back_inserter(block.children));
    return block;
  }

 private:
  bool IsOnlyBegins(const ScopNode& node) const {
    if (node.kind == Kind::kBlock) {
      return std::ranges::all_of(node.children,
                                 [&](const ScopNode& child) { return IsOnlyBegins(child); });
    }
    return node.kind == Kind::kCall &&
           part_.pieces[static_cast<std::size_t>(node.statement)].what ==
               StatementPiece::What::kBegin;
  }

  /// Takes the beginnings of sums in the first iteration out of the body.
  std::vector<ScopNode> Begins(ScopNode& loop) const {
    std::vector<ScopNode> begins, rest;
    ScopNode& body = loop.children.front();
    if (body.kind != Kind::kBlock) return begins;
    for (ScopNode& child : body.children) {
      const bool is_begin = child.kind == Kind::kIf && IsOnlyBegins(child.children.front());
      std::optional<ScopNode> moved;
      if (is_begin) moved = AtIteration(child, loop.variable, 0);
      (moved ? begins : rest).push_back(moved ? std::move(*moved) : std::move(child));
    }
    body.children = std::move(rest);
    return begins;
  }

  /// Takes what the last iteration ends with out of the body.
  static std::vector<ScopNode> Ends(ScopNode& loop) {
    std::vector<ScopNode> ends;
    ScopNode& body = loop.children.front();
    while (body.kind == Kind::kBlock && body.children.size() > 1) {
      std::optional<ScopNode> moved =
          AtIteration(body.children.back(), loop.variable, *loop.extent - 1);
      if (!moved) break;
      ends.insert(ends.begin(), std::move(*moved));
      body.children.pop_back();
    }
    return ends;
  }

  /// What a condition holds at one iteration alone, there; nothing: it is no such condition.
  static std::optional<ScopNode> AtIteration(const ScopNode& node,
                                             const poly::IndexVariable& variable,
                                             std::int64_t iteration) {
    if (node.kind != Kind::kIf) return std::nullopt;
    std::optional<Condition> rest = node.condition.Without(Condition::Is(variable, iteration));
    if (!rest) return std::nullopt;
    ScopNode moved = node.children.front();
    if (!rest->always()) {
      moved = node;
      moved.condition = *std::move(rest);
    }
    Set(moved, variable.number, iteration);
    return moved;
  }

  /// The variable has this value.
  static void Set(ScopNode& node, int variable, const Index& value) {
    node.first = node.first.With(variable, value);
    node.condition = node.condition.With(variable, value);
    for (Index& argument : node.arguments) argument = argument.With(variable, value);
    for (ScopNode& child : node.children) Set(child, variable, value);
  }

  static void FromZero(ScopNode& loop) {
    const std::optional<Index> last = loop.condition.Last(loop.variable.number);
    if (loop.extent || loop.step != 1 || !last || !loop.first.number() || !last->number()) return;
    const std::int64_t first = *loop.first.number(), extent = *last->number() - first + 1;
    if (extent < 1) return;
    loop.variable.min = 0;
    loop.variable.max = extent - 1;
    loop.extent = extent;
    const Index variable(loop.variable);
    if (first != 0) Set(loop.children.front(), loop.variable.number, variable + Index(first));
    loop.first = 0;
    loop.condition = {variable, kernels::ir::Relation::kLess, extent};
  }

  const ProgramPart& part_;
};

}  // namespace

ScopNode Simpler(const ProgramPart& part, ScopNode node) {
  return Simplifying(part).Run(std::move(node));
}

}  // namespace exh::kernels::fused

// SPDX-License-Identifier: MIT
//
// An outer axis and an inner one move together if a step of the outer one is as far as all steps of
// the inner one, in every place that has one of them, and no node has one without the other. Then
// the outer one becomes both, with the steps of the inner one.
#include "kernels/text/join_axes.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace exh::kernels::text {
namespace {

using derived::Expression;
using Node = Expression::Node;
using Place = ir::Affine<int>;
using Pair = std::pair<int, int>;  ///< The outer axis, the inner one.

class Joiner {
 public:
  Joiner(Expression& expression, const Shapes& shapes) : e_(expression), shapes_(shapes) {}

  void Run() {
    while (const auto pair = Next()) Join(*pair);
  }

 private:
  std::optional<Pair> Next() const {
    for (const Node& node : e_.nodes) {
      if (node.op != ir::Op::kLoad && node.op != ir::Op::kStore) continue;
      for (const auto& [outer, _] : node.strides) {
        for (const auto& [inner, __] : node.strides) {
          if (outer == inner || !DivideDimension(node, outer, inner)) continue;
          if (MoveTogether(outer, inner)) return Pair(outer, inner);
        }
      }
    }
    return std::nullopt;
  }

  /// Are both steps within one dimension of the array?
  bool DivideDimension(const Node& access, int outer, int inner) const {
    const auto shape = shapes_.find(e_.array(access.array).name);
    if (shape == shapes_.end()) return false;
    const std::int64_t first = access.StrideOf(inner);
    const std::int64_t last = access.StrideOf(outer) * e_.axis(outer).total;
    std::int64_t pitch = 1;
    for (std::size_t i = shape->second.size(); i-- > 0;) {
      const std::int64_t next = pitch * shape->second[i];
      if (first >= pitch && first < next) return last <= next;
      pitch = next;
    }
    return false;
  }

  bool Agrees(const Place& place, int outer, int inner) const {
    return place.StrideOf(outer) == place.StrideOf(inner) * e_.axis(inner).total;
  }
  bool MoveTogether(int outer, int inner) const {
    const auto has = [](const std::vector<int>& axes, int axis) {
      return std::ranges::find(axes, axis) != axes.end();
    };
    return std::ranges::all_of(e_.nodes, [&](const Node& node) {
      return has(node.axes, outer) == has(node.axes, inner) &&
             has(node.reduced, outer) == has(node.reduced, inner) && Agrees(node, outer, inner) &&
             std::ranges::all_of(node.guards, [&](const Expression::Guard& guard) {
               return Agrees(guard, outer, inner);
             });
    });
  }

  static void Join(Place& place, const Pair& pair) {
    const std::int64_t stride = place.StrideOf(pair.second);
    place.Add(pair.first, stride - place.StrideOf(pair.first));
    place.Add(pair.second, -stride);
  }
  void Join(const Pair& pair) {
    Expression::Axis& outer = e_.axes[static_cast<std::size_t>(pair.first)];
    outer.total *= e_.axis(pair.second).total;
    for (Node& node : e_.nodes) {
      Join(node, pair);
      for (Expression::Guard& guard : node.guards) Join(guard, pair);
      std::erase(node.axes, pair.second);
      std::erase(node.reduced, pair.second);
    }
  }

  Expression& e_;
  const Shapes& shapes_;
};

}  // namespace

void JoinAxes(Expression& expression, const Shapes& shapes) {
  Joiner(expression, shapes).Run();
}

}  // namespace exh::kernels::text

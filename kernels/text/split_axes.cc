// SPDX-License-Identifier: MIT
//
// An axis of extent n that moves an element by s covers the digits of the element's number from s
// to s * n. Two axes, of a load and of the store before it, that cover some digits in common agree
// when they begin and end alike. Where one begins within the other, that one is split there.
//
// Each split makes an axis shorter, so there is an end.
#include "kernels/text/split_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace exh::kernels::text {
namespace {

using derived::Expression;

struct Cut {
  int axis = -1;
  std::int64_t inner = 1;  ///< Steps of the inner part.
};

/// Where a step of `other` begins within the digits of an axis of `affine`.
std::optional<Cut> CutOf(const Expression& expression, const ir::Affine<int>& affine,
                         const ir::Affine<int>& other) {
  for (const auto& [axis, stride] : affine.strides) {
    const std::int64_t extent = expression.axis(axis).total;
    if (stride <= 0) continue;
    for (const auto& [_, step] : other.strides) {
      if (step <= stride || step >= stride * extent || step % stride != 0) continue;
      if (extent % (step / stride) == 0) return Cut{axis, step / stride};
    }
  }
  return std::nullopt;
}

std::optional<Cut> NextCut(const Expression& expression) {
  for (const Expression::Node& load : expression.nodes) {
    if (load.op != ir::Op::kLoad || load.store < 0 || load.index >= 0) continue;
    const Expression::Node& store = expression.node(load.store);
    if (const auto cut = CutOf(expression, load, store)) return cut;
    if (const auto cut = CutOf(expression, store, load)) return cut;
  }
  return std::nullopt;
}

void Split(ir::Affine<int>& affine, const Cut& cut, int added) {
  const std::int64_t stride = affine.StrideOf(cut.axis);
  if (stride == 0) return;
  affine.Add(cut.axis, stride * (cut.inner - 1));
  affine.Add(added, stride);
}

void Split(std::vector<int>& axes, const Cut& cut, int added) {
  const auto found = std::ranges::find(axes, cut.axis);
  if (found != axes.end()) axes.insert(found + 1, added);
}

}  // namespace

void SplitAxes(Expression& expression) {
  while (const auto cut = NextCut(expression)) {
    const auto added = static_cast<int>(expression.axes.size());
    Expression::Axis& outer = expression.axes[static_cast<std::size_t>(cut->axis)];
    outer.total /= static_cast<std::uint32_t>(cut->inner);
    const std::string name = fmt::format("{}_in", outer.name);
    expression.axes.push_back({name, static_cast<std::uint32_t>(cut->inner)});
    for (Expression::Node& node : expression.nodes) {
      Split(node, *cut, added);
      for (Expression::Guard& guard : node.guards) Split(guard, *cut, added);
      Split(node.axes, *cut, added);
      Split(node.reduced, *cut, added);
    }
  }
}

}  // namespace exh::kernels::text

// SPDX-License-Identifier: MIT
#include "kernels/codegen/plan/combine_plan.h"

#include <algorithm>
#include <bit>

#include "kernels/ir/target.h"

namespace exh::kernels::codegen {
namespace {

constexpr std::uint32_t kWarp = 32;

/// Can threads be told apart by the bits of their index, and are all lanes of a warp there, or the
/// lower part of one?
bool HasShuffles(const LoopTree& tree, const ThreadAxis& axis) {
  return std::has_single_bit(axis.size) && std::has_single_bit(axis.stride) &&
         (tree.num_threads % kWarp == 0 ||
          (tree.num_threads < kWarp && std::has_single_bit(tree.num_threads)));
}

Combine PlanCombine(const ir::Function& function, const LoopTree& tree, const ValuePlan& values,
                    ir::InstId id) {
  const ir::Instruction& inst = function.inst(id);
  const std::vector<int> slices = tree.SliceAxes(inst);
  Combine combine;
  combine.reduction = id;
  combine.op = CombinedBy(inst.op);
  std::vector<bool> is_own(tree.axes.size(), false);
  for (const ir::DimId dim : inst.dims) {
    if (tree.class_of(dim).axis >= 0)
      is_own[static_cast<std::size_t>(tree.class_of(dim).axis)] = true;
  }
  const int layout = tree.axes[static_cast<std::size_t>(slices.front())].layout;
  combine.below = tree.layouts[static_cast<std::size_t>(layout)].threads;
  combine.num_slots = 1;
  // The innermost axis, whose threads are neighbours, first: so their slots are neighbours, too.
  for (std::size_t i = tree.axes.size(); i-- > 0;) {
    const ThreadAxis& axis = tree.axes[i];
    if (axis.layout != layout || axis.size == 1) continue;
    if (!is_own[i]) {
      combine.silent.push_back({axis.stride, axis.size});
      continue;
    }
    ThreadDigit rest = {axis.stride, axis.size};
    const bool is_slice = std::ranges::find(slices, static_cast<int>(i)) != slices.end();
    if (is_slice && HasShuffles(tree, axis)) {
      ThreadDigit shuffled = {rest.stride, 1};
      for (; rest.size > 1 && rest.stride < kWarp; rest.stride *= 2, rest.size /= 2) {
        combine.shuffles.push_back(rest.stride);
        shuffled.size *= 2;
      }
      if (shuffled.size > 1) combine.silent.push_back(shuffled);
    }
    if (rest.size == 1) continue;
    if (is_slice) combine.shared.push_back(rest);
    combine.slots.push_back(rest);
    combine.num_slots *= rest.size;
  }
  if (combine.shared.empty()) return combine;
  std::uint32_t registers = 1;
  for (const KeyDim& key : values.storage[id.index()].key) registers *= key.size;
  const std::uint32_t each = combine.num_slots * ir::BytesOf(ir::ComputeTypeOf(inst.type));
  combine.at_once = std::clamp(ir::kSliceBytes / each, 1u, registers);
  combine.shared_bytes = std::uint64_t{combine.at_once} * each;
  return combine;
}

}  // namespace

ir::Op CombinedBy(ir::Op op) {
  return op == ir::Op::kMad ? ir::Op::kAdd : op;
}

CombinePlan PlanCombines(const ir::Function& function, const LoopTree& tree,
                         const ValuePlan& values) {
  CombinePlan plan;
  plan.of_node.assign(tree.nodes.size(), -1);
  for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
    if (tree.nodes[node].kind != NodeKind::kCombine) continue;
    plan.of_node[node] = static_cast<int>(plan.combines.size());
    plan.combines.push_back(PlanCombine(function, tree, values, tree.nodes[node].inst));
  }
  return plan;
}

}  // namespace exh::kernels::codegen

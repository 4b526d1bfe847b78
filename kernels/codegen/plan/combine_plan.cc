// SPDX-License-Identifier: MIT
#include "kernels/codegen/plan/combine_plan.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "kernels/codegen/memory/memory_plan.h"
#include "kernels/codegen/plan/split_plan.h"
#include "kernels/ir/ops.h"
#include "kernels/ir/target.h"

namespace exh::kernels::codegen {
namespace {

/// Can threads be told apart by the bits of their index, and are all lanes of a warp there, or the
/// lower part of one?
bool HasShuffles(const LoopTree& tree, const ThreadAxis& axis) {
  return std::has_single_bit(axis.size) && std::has_single_bit(axis.stride) &&
         (tree.num_threads % ir::kWarpLanes == 0 ||
          (tree.num_threads < ir::kWarpLanes && std::has_single_bit(tree.num_threads)));
}

void AddDigit(ThreadDigit digit, std::vector<ThreadDigit>& digits) {
  if (digit.size > 1) digits.push_back(digit);
}

/// The bits of an axis of slices that shuffles combine, the lower ones by halving. What is left of
/// the axis comes back.
ThreadDigit AddShuffles(const ThreadAxis& axis, Combine& combine) {
  const std::uint32_t lanes =
      axis.stride < ir::kWarpLanes ? std::min(axis.size, ir::kWarpLanes / axis.stride) : 1;
  // `lanes` is a power of two, so this is the largest one that divides both.
  const std::uint32_t halved = std::gcd(combine.owned, lanes);
  combine.owned /= halved;
  AddDigit({axis.stride, halved}, combine.halved);
  AddDigit({axis.stride, halved}, combine.slots);
  AddDigit({axis.stride * halved, lanes / halved}, combine.shuffled);
  AddDigit({axis.stride * halved, lanes / halved}, combine.silent);
  return {axis.stride * lanes, axis.size / lanes};
}

/// Lanes of a warp along the innermost axis of slices, as far as bits tell them apart; what is left
/// of the slices, in their order, goes through shared memory.
Combine PlanScan(const ir::Function& function, const LoopTree& tree, const ValuePlan& values,
                 ir::InstId id, bool shuffles) {
  const ir::Instruction& scan = function.inst(id);
  const std::vector<int> slices = tree.SliceAxes(scan);
  const ValueStorage& storage = values.storage[id.index()];
  Combine combine;
  combine.reduction = id;
  combine.op = ir::CombinedBy(scan.op);
  const int layout = tree.axes[static_cast<std::size_t>(slices.front())].layout;
  combine.below = tree.layouts[static_cast<std::size_t>(layout)].threads;
  for (std::size_t place = 0; place < storage.key.size(); ++place) {
    const auto first_step = storage.scanned.begin() + static_cast<std::ptrdiff_t>(storage.rows);
    const bool is_step =
        std::find(first_step, storage.scanned.end(), place) != storage.scanned.end();
    if (!is_step) combine.owned *= storage.key[place].size;
  }
  for (auto slice = slices.rbegin(); slice != slices.rend(); ++slice) {
    const ThreadAxis& axis = tree.axes[static_cast<std::size_t>(*slice)];
    ThreadDigit rest = {axis.stride, axis.size};
    if (slice == slices.rbegin() && shuffles && HasShuffles(tree, axis)) {
      const std::uint32_t lanes =
          axis.stride < ir::kWarpLanes ? std::min(axis.size, ir::kWarpLanes / axis.stride) : 1;
      AddDigit({axis.stride, lanes}, combine.shuffled);
      AddDigit({axis.stride, lanes}, combine.silent);
      rest = {axis.stride * lanes, axis.size / lanes};
    }
    AddDigit(rest, combine.shared);
  }
  combine.slots = combine.shared;
  const std::vector<int> own = tree.OwnAxes(scan);
  for (std::size_t i = tree.axes.size(); i-- > 0;) {
    const ThreadAxis& axis = tree.axes[i];
    const auto is_in = [&](const std::vector<int>& axes) {
      return std::ranges::find(axes, static_cast<int>(i)) != axes.end();
    };
    if (axis.layout != layout || axis.size == 1 || is_in(slices)) continue;
    (is_in(own) ? combine.slots : combine.silent).push_back({axis.stride, axis.size});
  }
  return combine;
}

/// How much of shared memory it takes, of so many bytes.
void PlanSlots(const ir::Instruction& inst, std::uint64_t room, Combine& combine) {
  combine.num_slots = 1;
  for (const ThreadDigit& digit : combine.slots) combine.num_slots *= digit.size;
  if (combine.shared.empty()) return;
  const std::uint32_t each = combine.num_slots * ir::BytesOf(ir::ComputeTypeOf(inst.type));
  combine.at_once = std::clamp(static_cast<std::uint32_t>(room / each), 1u, combine.owned);
  combine.shared_bytes = std::uint64_t{combine.at_once} * each;
}

Combine PlanCombine(const ir::Function& function, const LoopTree& tree, const ValuePlan& values,
                    int node, bool shuffles) {
  const ir::InstId id = tree.node(node).inst;
  const ir::Instruction& inst = function.inst(id);
  const std::vector<int> slices = tree.SliceAxes(inst);
  Combine combine;
  combine.reduction = id;
  combine.op = ir::CombinedBy(inst.op);
  std::vector<bool> is_own(tree.axes.size(), false);
  for (const int axis : tree.OwnAxes(inst)) is_own[static_cast<std::size_t>(axis)] = true;
  const int layout = tree.axes[static_cast<std::size_t>(slices.front())].layout;
  combine.below = tree.layouts[static_cast<std::size_t>(layout)].threads;
  const std::vector<int> around = tree.ClassesAround(node);
  for (const KeyDim& key : values.storage[id.index()].key) {
    const bool is_copy = std::ranges::find(around, key.dim_class) != around.end();
    if (!is_copy) combine.owned *= key.size;
  }
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
    if (is_slice && shuffles && HasShuffles(tree, axis)) rest = AddShuffles(axis, combine);
    if (is_slice) AddDigit(rest, combine.shared);
    AddDigit(rest, combine.slots);
  }
  return combine;
}

}  // namespace

std::vector<std::uint32_t> BitsIn(const std::vector<ThreadDigit>& digits) {
  std::vector<std::uint32_t> bits;
  for (const ThreadDigit& digit : digits) {
    for (std::uint32_t bit = 1; bit < digit.size; bit *= 2) bits.push_back(digit.stride * bit);
  }
  return bits;
}

CombinePlan PlanCombines(const ir::Function& function, const LoopTree& tree,
                         const ValuePlan& values, const SplitPlan& splits, bool shuffles) {
  CombinePlan plan;
  plan.of_node.assign(tree.nodes.size(), -1);
  for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
    if (tree.nodes[node].kind != NodeKind::kCombine) continue;
    plan.of_node[node] = static_cast<int>(plan.combines.size());
    const ir::InstId id = tree.nodes[node].inst;
    const ir::Instruction& inst = function.inst(id);
    const int number = static_cast<int>(node);
    Combine& combine = plan.combines.emplace_back(
        inst.is_scan() ? PlanScan(function, tree, values, id, shuffles)
                       : PlanCombine(function, tree, values, number, shuffles));
    combine.node = number;
    const int split = splits.of_inst[id.index()];
    if (split < 0 || !inst.is_scan()) {
      PlanSlots(inst, ir::kSliceBytes, combine);
      continue;
    }
    // What is before the block, and its number.
    const std::uint64_t before = splits.reductions[static_cast<std::size_t>(split)].values() *
                                 ir::BytesOf(ir::ComputeTypeOf(inst.type));
    // Of eight slots or more that follow one another there may be what all of them have, too.
    const std::uint64_t room = ir::kSliceBytes - Aligned(before) - kTurnBytes;
    PlanSlots(inst, room / 9 * 8, combine);
    combine.before_at = Aligned(combine.shared_bytes + combine.shared_bytes / 8);
    combine.shared_bytes = combine.before_at + before;
    combine.warps_look = shuffles && tree.num_threads % ir::kWarpLanes == 0;
  }
  return plan;
}

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
#include "kernels/codegen/memory/group_plan.h"

#include <algorithm>

namespace exh::kernels::codegen {
namespace {

using ir::FragmentPart;

class GroupPlanner {
 public:
  GroupPlanner(const ir::Function& function, const Schedule& schedule, const LoopTree& tree,
               const MemoryPlan& memory)
      : function_(function), schedule_(schedule), tree_(tree), memory_(memory) {}

  GroupPlan Run() {
    for (const ir::Instruction& inst : function_.insts) {
      const bool is_group = schedule_.InStatements(inst.id) && tree_.has_lanes() &&
                            schedule_.unit.Or(Unit::FMA, inst.id) == Unit::WGMMA;
      if (is_group) AddProduct(inst);
    }
    return std::move(plan_);
  }

 private:
  void Fail(const ir::Instruction& product, const std::string& why) {
    if (plan_.error.empty())
      plan_.error = "a group of warps cannot do " + product.name() + ": " + why;
  }
  const DimClass& Class(int index) const { return tree_.classes[static_cast<std::size_t>(index)]; }

  /// The dim of the product that is a part of its tile, and the one of the level around it.
  ir::DimId PartOf(const ir::Instruction& product, FragmentPart part) const {
    const auto found = std::ranges::find_if(
        product.dims, [&](ir::DimId id) { return function_.dim(id).part == part; });
    return found == product.dims.end() ? ir::DimId() : *found;
  }
  ir::DimId LevelAround(const ir::Instruction& product, ir::DimId inner) const {
    const ir::Dimension& of = function_.dim(inner);
    const auto found = std::ranges::find_if(product.dims, [&](ir::DimId id) {
      const ir::Dimension& dim = function_.dim(id);
      return dim.logical == of.logical && dim.level + 1 == of.level;
    });
    return found == product.dims.end() ? ir::DimId() : *found;
  }

  void AddProduct(const ir::Instruction& inst) {
    GroupProduct product{.inst = inst.id};
    product.is_promoted = ir::IsPromoted(ir::UnitOf(function_, inst));
    const ir::DimId rows = PartOf(inst, FragmentPart::kRow),
                    columns = PartOf(inst, FragmentPart::kColumn);
    if (!rows.valid() || !columns.valid()) return Fail(inst, "it has no tile");
    const ir::DimId group = LevelAround(inst, rows), copies = LevelAround(inst, columns);
    if (!group.valid()) return Fail(inst, "there is no level of warps around its rows");
    product.group_class = tree_.class_of_dim[group.index()];
    if (std::string why = WhyNoGroup(product.group_class); !why.empty()) return Fail(inst, why);
    if (!function_.dim(columns).innermost_level) return Fail(inst, "its columns are no neighbours");
    if (copies.valid() && tree_.class_of(copies).kind == DimKind::UNROLL) {
      product.copies_class = tree_.class_of_dim[copies.index()];
      product.copies = Class(product.copies_class).size;
    }
    if (product.copies > ir::kGroupCopies) return Fail(inst, "it has too many columns");
    const std::vector<ir::MemId>& blocks = tree_.group_operands[inst.id.index()];
    if (blocks.size() != 2) return Fail(inst, "an operand is not in shared memory");
    for (const ir::MemId block : blocks) {
      const bool is_first = std::ranges::any_of(
          Pairs(block), [&](const ir::DimPair& pair) { return pair.dst == rows; });
      GroupOperand& operand = product.operands[is_first ? 0 : 1];
      if (operand.block.valid()) return Fail(inst, "both operands move along its rows");
      operand = OperandOf(inst, block, group, copies, product);
    }
    FindBatch(inst, product);
    if (product.copies_class >= 0 && BeginsIn(inst, product.copies_class)) {
      return Fail(inst, "its columns do not begin together");
    }
    plan_.products.push_back(std::move(product));
  }

  void FindBatch(const ir::Instruction& inst, GroupProduct& product) const {
    product.batch = tree_.node_of_inst[inst.id.index()];
    product.depth = ir::ShapeOf(ir::UnitOf(function_, inst)).depth.size();
    for (int at = tree_.node(product.batch).parent;
         at >= 0 && tree_.node(at).kind == NodeKind::kUnroll && IsAlone(inst, at);
         at = tree_.node(at).parent) {
      const std::uint32_t depth = product.depth * StepsOf(inst, tree_.node(at).dim_class);
      if (product.is_promoted && depth > ir::kPromotedTerms) break;
      product.batch = at;
      product.depth = depth;
    }
  }
  /// Instructions along the sum that the copies of a class are.
  std::uint32_t StepsOf(const ir::Instruction& product, int dim_class) const {
    const DimClass& copies = Class(dim_class);
    const bool is_summed = std::ranges::any_of(product.reduce_dims, [&](ir::DimId dim) {
      return tree_.class_of_dim[dim.index()] == dim_class;
    });
    return is_summed && copies.part == FragmentPart::kNone ? copies.size : 1;
  }

  /// Is there nothing in the node but the product, and what would read its operands?
  bool IsAlone(const ir::Instruction& product, int index) const {
    const LoopNode& node = tree_.node(index);
    if (node.kind == NodeKind::kExec) {
      return node.inst == product.id || tree_.stays_in_place[node.inst.index()];
    }
    const bool is_plain = node.kind == NodeKind::kUnroll || node.kind == NodeKind::kVector;
    return is_plain &&
           std::ranges::all_of(node.children, [&](int child) { return IsAlone(product, child); });
  }
  /// Is what begins the sums in a loop of the class that the product is in, too?
  bool BeginsIn(const ir::Instruction& product, int dim_class) const {
    return std::ranges::any_of(function_.comms, [&](const ir::Communication& comm) {
      if (!comm.is_init || comm.consumer != product.id || comm.planned) return false;
      const int init = tree_.node_of_inst[comm.producer.index()];
      int at = tree_.CommonAncestor(init, tree_.node_of_inst[product.id.index()]);
      while (at >= 0 && tree_.node(at).dim_class != dim_class) at = tree_.node(at).parent;
      return init >= 0 && at >= 0;
    });
  }

  /// The warps of a group have neighbouring numbers, and begin with a multiple of four.
  std::string WhyNoGroup(int dim_class) const {
    const DimClass& warps = Class(dim_class);
    if (warps.kind != DimKind::THREAD || warps.size % ir::kGroupWarps != 0) {
      return "the level around its rows is no multiple of four warps";
    }
    const ThreadAxis& axis = tree_.axes[static_cast<std::size_t>(warps.axis)];
    const ThreadLayout& layout = tree_.layouts[static_cast<std::size_t>(axis.layout)];
    const bool is_innermost = axis.stride == ir::kWarpLanes && layout.patch == 1;
    return is_innermost ? "" : "the warps along its rows are no neighbours";
  }

  std::vector<ir::DimPair> Pairs(ir::MemId block) const {
    const ir::Communication& served = function_.comm(function_.block(block).comm);
    std::vector<ir::DimPair> pairs;
    for (const ir::PairId id : function_.comm(served.lowered->load_comm).pairs) {
      pairs.push_back(function_.pair(id));
    }
    return pairs;
  }

  /// Elements from one iteration of the dim of the load to the next, in rows one after the other;
  /// 0: it is not stored.
  std::int64_t StrideOf(const ir::MemBlock& block, ir::DimId dim) const {
    std::uint32_t rank = 0;
    for (const ir::AxisId id : block.axes) {
      if (function_.axis(id).load_dim == dim) rank = schedule_.rank(block.id, id);
    }
    if (rank == 0) return 0;
    std::int64_t stride = 1;
    for (const ir::AxisId id : block.axes) {
      const std::uint32_t other = schedule_.rank(block.id, id);
      if (other > 0 && other < rank) stride *= schedule_.size(function_.axis(id).load_dim);
    }
    return stride;
  }

  GroupOperand OperandOf(const ir::Instruction& inst, ir::MemId id, ir::DimId group,
                         ir::DimId copies, const GroupProduct& product) {
    const ir::MemBlock& block = function_.block(id);
    const TempArray& temp = memory_.temp(id);
    const Skew skew = schedule_.skew.Or(Skew::PLAIN, id);
    GroupOperand operand{.block = id, .load = block.load};
    if (temp.space != MemSpace::SHARED || temp.layout.cut == 0) {
      Fail(inst, block.name() + " is not swizzled in shared memory");
      return operand;
    }
    const std::uint32_t bytes = block.element_bytes;
    const std::int64_t length = temp.layout.length, cut = temp.layout.cut;
    for (const ir::DimPair& pair : Pairs(id)) {
      const ir::Dimension& to = function_.dim(pair.dst);
      const std::int64_t stride = StrideOf(block, pair.src);
      if (to.part == FragmentPart::kDepth) operand.is_across = stride != 1;
    }
    if (operand.is_across && bytes == 1) Fail(inst, block.name() + " has rows of bytes across");
    const std::int64_t in_step = ir::kGroupDepthBytes / bytes;
    const std::uint32_t eight_rows = 8 * temp.layout.cut * bytes;
    operand.swizzle = skew == Skew::SWIZZLE_64 ? 2 : 1;
    operand.stride = eight_rows;
    if (operand.is_across) operand.leading = temp.layout.rows * temp.layout.cut * bytes;
    // As it is placed: along a row within its cut, or whole cuts; or whole rows, eight at a time.
    const auto placed = [&](std::int64_t stride) -> std::int64_t {
      if (stride % length == 0) return stride / length * cut;
      if (stride % cut == 0) return stride / cut * temp.layout.rows * cut;
      return stride;
    };
    const std::int64_t across = operand.is_across ? 1 : length,
                       depth = operand.is_across ? length : 1;
    for (const ir::DimPair& pair : Pairs(id)) {
      const ir::Dimension& to = function_.dim(pair.dst);
      const std::int64_t stride = StrideOf(block, pair.src);
      const int dim_class = tree_.class_of_dim[pair.dst.index()];
      if (to.part != FragmentPart::kNone) {
        if (stride != (to.part == FragmentPart::kDepth ? depth : across)) {
          Fail(inst, block.name() + " has its tile in no rows");
        }
        continue;
      }
      if (stride == 0 || Class(dim_class).size == 1) continue;
      constexpr std::int64_t kRows = 16, kColumns = 8;  // Of a tile of a warp.
      const bool is_group = pair.dst == group, are_copies = pair.dst == copies;
      const bool is_dense =
          (!is_group || stride == kRows * across) && (!are_copies || stride == kColumns * across);
      if (!is_dense) Fail(inst, block.name() + " has other elements between its rows");
      if (are_copies && product.copies_class >= 0) continue;  // They are in the matrix.
      if (is_group) {
        operand.group_step = placed(stride * ir::kGroupWarps);
        continue;
      }
      const bool is_whole = stride % length == 0 ? stride / length % 8 == 0
                            : operand.is_across  ? stride % cut == 0
                                                 : stride % in_step == 0 && length == cut;
      if (!is_whole) Fail(inst, block.name() + " has a matrix that begins within a swizzle");
      operand.first.Add(dim_class, placed(stride));
    }
    const bool is_second = std::ranges::any_of(Pairs(id), [&](const ir::DimPair& pair) {
      return function_.dim(pair.dst).part == FragmentPart::kColumn;
    });
    if (operand.is_across && is_second && product.columns() % cut != 0) {
      Fail(inst, "its columns are no whole cuts of rows");
    }
    return operand;
  }

  const ir::Function& function_;
  const Schedule& schedule_;
  const LoopTree& tree_;
  const MemoryPlan& memory_;
  GroupPlan plan_;
};

}  // namespace

const GroupProduct* GroupPlan::Find(ir::InstId inst) const {
  const auto found = std::ranges::find(products, inst, &GroupProduct::inst);
  return found == products.end() ? nullptr : &*found;
}

const GroupProduct* GroupPlan::OfBatch(int node) const {
  const auto found = std::ranges::find(products, node, &GroupProduct::batch);
  return found == products.end() ? nullptr : &*found;
}

GroupPlan PlanGroups(const ir::Function& function, const Schedule& schedule, const LoopTree& tree,
                     const MemoryPlan& memory) {
  return GroupPlanner(function, schedule, tree, memory).Run();
}

}  // namespace exh::kernels::codegen

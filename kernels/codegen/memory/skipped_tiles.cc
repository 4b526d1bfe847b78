// SPDX-License-Identifier: MIT
#include "kernels/codegen/memory/skipped_tiles.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/ir/flow/masks.h"

namespace exh::kernels::codegen {
namespace {

class SkipPlanner {
 public:
  SkipPlanner(const ir::Function& function, const Schedule& schedule, const LoopTree& tree)
      : f_(function), schedule_(schedule), tree_(tree) {}

  std::optional<SkippedTiles> Of(const ir::Instruction& maximum) const {
    SkippedTiles tiles;
    tiles.loop = tree_.node_of_inst[maximum.id.index()];
    const int dim_class = tree_.runs_in[maximum.id.index()];
    while (tree_.node(tiles.loop).dim_class != dim_class) {
      tiles.loop = tree_.node(tiles.loop).parent;
    }
    const std::optional<ir::Mask> mask = MaskOfAll(maximum, tiles.masks);
    if (!mask || !IsAllThatStays(maximum, tiles.loop)) return std::nullopt;
    for (const ir::MaskBound& bound : *mask) AddBound(bound, tiles);
    return tiles.ends.empty() ? std::nullopt : std::optional(std::move(tiles));
  }

 private:
  const ir::Instruction* Producer(const ir::Operand& operand) const {
    if (operand.kind != ir::Operand::Kind::kComm) return nullptr;
    return &f_.inst(f_.comm(operand.comm).producer);
  }
  bool RunsFor(const ir::Communication& comm) const {
    return schedule_.pace.Or(Pace::AFTER, comm.id) == Pace::RUNNING;
  }

  /// The mask that the maximum and all terms of it have in common. `masks`: the choices.
  std::optional<ir::Mask> MaskOfAll(const ir::Instruction& maximum,
                                    std::vector<ir::InstId>& masks) const {
    std::vector<const ir::Instruction*> seen = {Producer(maximum.operands[0])};
    for (const ir::Communication& comm : f_.comms) {
      if (comm.producer != maximum.id || !RunsFor(comm)) continue;
      seen.push_back(Producer(f_.inst(comm.consumer).operands[0]));
    }
    std::optional<ir::Mask> common;
    for (const ir::Instruction* choice : seen) {
      const auto mask = choice == nullptr ? std::nullopt : ir::MaskOf(f_, *choice);
      if (!mask || (common && *common != *mask)) return std::nullopt;
      common = mask;
      if (std::ranges::find(masks, choice->id) == masks.end()) masks.push_back(choice->id);
    }
    return common;
  }

  bool IsIn(ir::InstId inst, int loop) const {
    int node = tree_.node_of_inst[inst.index()];
    while (node >= 0 && node != loop) node = tree_.node(node).parent;
    return node == loop;
  }

  /// Does nothing come out of the loop but the maximum and the sums that it corrects?
  bool IsAllThatStays(const ir::Instruction& maximum, int loop) const {
    std::vector<ir::InstId> sums = {maximum.id};
    for (const ir::Communication& comm : f_.comms) {
      if (comm.producer != maximum.id || !RunsFor(comm)) continue;
      sums.insert(sums.end(), comm.running->corrected.begin(), comm.running->corrected.end());
    }
    for (const ir::Instruction& inst : f_.insts) {
      if (!schedule_.InStatements(inst.id) || !IsIn(inst.id, loop)) continue;
      if (inst.op == ir::Op::kStore) return false;
      const bool stays = std::ranges::find(sums, inst.id) != sums.end();
      if (!stays && inst.is_reduction() && !IsIn(f_.comm(inst.init).producer, loop)) return false;
      for (const ir::Communication& comm : f_.comms) {
        const bool is_read = comm.producer == inst.id && schedule_.InStatements(comm.consumer);
        if (is_read && !stays && !IsIn(comm.consumer, loop)) return false;
      }
      // What a temporary holds is read where it is filled.
      if (inst.op != ir::Op::kTempStore) continue;
      if (!IsIn(f_.block(inst.block).load, loop)) return false;
    }
    return true;
  }

  void AddBound(const ir::MaskBound& bound, SkippedTiles& tiles) const {
    const ir::Instruction& choice = f_.inst(tiles.masks.front());
    Affine index;
    index.offset = bound.offset;
    for (const ir::LogicalDim& axis : f_.logical_dims) {
      if (axis.dims.empty() || f_.dim(axis.dims.front()).inst != choice.id) continue;
      const auto found = bound.steps.find(std::string(axis.axis_name()));
      if (found == bound.steps.end()) continue;
      std::int64_t step = found->second;
      for (auto dim = axis.dims.rbegin(); dim != axis.dims.rend(); ++dim) {
        AddDim(tree_, *dim, step, index);
        step *= schedule_.size(*dim);
      }
    }
    // What is around the loop is known in an iteration, and so is the iteration.
    const int own = tree_.node(tiles.loop).dim_class;
    std::vector<int> known;
    for (int node = tiles.loop; node >= 0; node = tree_.node(node).parent) {
      const NodeKind kind = tree_.node(node).kind;
      if (kind == NodeKind::kBlock || kind == NodeKind::kLoop) {
        known.push_back(tree_.node(node).dim_class);
      }
    }
    Affine most, least;
    most.offset = least.offset = index.offset;
    for (const auto& [dim_class, stride] : index.strides) {
      if (std::ranges::find(known, dim_class) != known.end()) {
        least.Add(dim_class, stride);
        if (dim_class != own) most.Add(dim_class, stride);
        continue;
      }
      const std::int64_t last = tree_.classes[static_cast<std::size_t>(dim_class)].size - 1LL;
      (stride > 0 ? most : least).offset += stride * last;
    }
    const std::int64_t step = -index.StrideOf(own);
    if (step > 0) tiles.ends.push_back({most, step});
    tiles.whole.push_back(least);
  }

  const ir::Function& f_;
  const Schedule& schedule_;
  const LoopTree& tree_;
};

}  // namespace

std::vector<SkippedTiles> PlanSkippedTiles(const ir::Function& function, const Schedule& schedule,
                                           const LoopTree& tree) {
  std::vector<SkippedTiles> all;
  const SkipPlanner planner(function, schedule, tree);
  for (const ir::Instruction& inst : function.insts) {
    if (tree.node_of_inst[inst.id.index()] < 0 || !tree.Runs(inst.id)) continue;
    if (auto tiles = planner.Of(inst)) all.push_back(std::move(*tiles));
  }
  return all;
}

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
#include "kernels/codegen/memory/ring_plan.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace exh::kernels::codegen {
namespace {

class RingPlanner {
 public:
  RingPlanner(const ir::Function& function, const Schedule& schedule, const LoopTree& tree,
              const MemoryPlan& memory)
      : function_(function), schedule_(schedule), tree_(tree), memory_(memory) {}

  RingPlan Run() {
    plan_.of_node.assign(tree_.nodes.size(), -1);
    plan_.of_inst.assign(function_.insts.size(), -1);
    plan_.of_block.assign(function_.blocks.size(), -1);
    for (const ir::Dimension& dim : function_.dims) {
      const std::uint32_t blocks = schedule_.cluster.Or(1, dim.id);
      if (blocks > 1) plan_.cluster = {tree_.class_of_dim[dim.id.index()], blocks};
    }
    for (const TempArray& temp : memory_.temps) {
      if (temp.slots > 1) AddBlock(temp);
    }
    for (Ring& ring : plan_.rings) Finish(ring);
    PlanRoles();
    return std::move(plan_);
  }

 private:
  void Fail(const ir::MemBlock& block, const std::string& why) {
    if (plan_.error.empty()) plan_.error = "the ring of " + block.name() + " " + why;
  }
  int NodeOf(ir::InstId inst) const { return tree_.node_of_inst[inst.index()]; }
  NodeKind KindOf(int node) const { return tree_.node(node).kind; }
  bool IsRepeated(int node) const {
    const int c = tree_.node(node).dim_class;
    return c >= 0 && tree_.classes[static_cast<std::size_t>(c)].size > 1;
  }

  void AddBlock(const TempArray& temp) {
    const ir::MemBlock& block = function_.block(temp.block);
    const Transfer transfer = schedule_.transfer.Or(Transfer::REGISTERS, block.id);
    RingBlock added{block.id, function_.comm(block.comm).producer, block.store,
                    transfer != Transfer::REGISTERS, temp.slots};
    if (temp.space != MemSpace::SHARED) return Fail(block, "is not in shared memory");
    if (function_.inst(added.read).op != ir::Op::kLoad) return Fail(block, "holds no argument");
    const auto is_other = [&](const ir::Communication& comm) {
      return comm.producer == added.read && !comm.planned && comm.id != block.comm;
    };
    if (std::ranges::any_of(function_.comms, is_other)) return Fail(block, "is not all that reads");
    const int shared = tree_.CommonAncestor(NodeOf(block.store), NodeOf(block.load));
    const int loop =
        KindOf(shared) == NodeKind::kLoop && IsRepeated(shared) ? shared : tree_.LoopAround(shared);
    if (loop < 0) return Fail(block, "has no loop to turn in");
    for (int node = shared; node != loop; node = tree_.node(node).parent) {
      if (IsRepeated(node)) return Fail(block, "is filled several times in an iteration");
    }
    for (int node = loop; node >= 0; node = tree_.node(node).parent) {
      if (tree_.node(node).layout >= 0) return Fail(block, "turns inside of threads");
    }
    if (tree_.CommonAncestor(NodeOf(added.read), loop) != loop) {
      return Fail(block, "is read outside of its loop");
    }
    if (transfer == Transfer::TMA) {
      std::string why;
      const std::vector<int> around = tree_.ClassesAround(loop);
      added.bulk =
          PlanBulkCopy(function_, schedule_, tree_, memory_, block, around, plan_.cluster, why);
      if (!why.empty()) return Fail(block, why);
    } else if (added.is_async ? !IsCopy(block, added) : !FitsRegisters(added, loop)) {
      return;
    }
    int& ring = plan_.of_node[static_cast<std::size_t>(loop)];
    if (ring < 0) {
      ring = static_cast<int>(plan_.rings.size());
      plan_.rings.push_back({.loop = loop});
    }
    plan_.of_block[block.id.index()] = plan_.of_inst[added.read.index()] =
        plan_.of_inst[added.store.index()] = ring;
    plan_.rings[static_cast<std::size_t>(ring)].blocks.push_back(std::move(added));
  }

  bool FitsRegisters(const RingBlock& added, int loop) {
    for (int node = NodeOf(added.store); node != loop; node = tree_.node(node).parent) {
      if (KindOf(node) != NodeKind::kLoop || !IsRepeated(node)) continue;
      Fail(function_.block(added.block), "is filled part by part, which registers do not hold");
      return false;
    }
    return true;
  }

  /// Is the store what one copy makes of the read?
  bool IsCopy(const ir::MemBlock& block, const RingBlock& added) {
    const ir::Instruction& read = function_.inst(added.read);
    const std::vector<int> around = tree_.ClassesAround(NodeOf(added.store));
    const auto fail = [&](const char* why) {
      Fail(block, why);
      return false;
    };
    for (const ir::DimId dim : read.dims) {
      const int c = tree_.class_of_dim[dim.index()];
      const bool is_single = tree_.classes[static_cast<std::size_t>(c)].size == 1;
      if (!is_single && std::ranges::find(around, c) == around.end()) {
        return fail("is copied in other loops than it is read in");
      }
    }
    if (function_.array(read.array).type != block.type) return fail("holds other elements");
    const std::uint32_t lanes = schedule_.vec.Or(1, added.store);
    const std::uint32_t bytes = lanes * block.element_bytes;
    if (lanes != schedule_.vec.Or(1, added.read)) return fail("is not as wide as what it holds");
    if (bytes != 4 && bytes != 8 && bytes != 16) return fail("is not filled by copies of a word");
    const bool is_cg = schedule_.cache.Or(Cache::CACHE_DEFAULT, added.read) == Cache::CACHE_GLOBAL;
    if (is_cg && bytes != 16) return fail("passes by a cache that only wide copies pass by");
    if (lanes == 1) return true;
    const int from = WideClass(memory_.address[added.read.index()]);
    if (from < 0 || from != WideClass(memory_.address[added.store.index()])) {
      return fail("is not as its argument along a copy");
    }
    if (IsSplit(memory_, added.read, from, lanes)) return fail("is partly outside of its argument");
    return true;
  }

  /// The unrolled class that steps from element to element; -1: none.
  int WideClass(const Affine& address) const {
    for (const auto& [dim_class, stride] : address.strides) {
      const DimClass& c = tree_.classes[static_cast<std::size_t>(dim_class)];
      if (stride == 1 && c.kind == DimKind::UNROLL) return dim_class;
    }
    return -1;
  }

  static void Finish(Ring& ring) {
    std::ranges::stable_sort(ring.blocks, std::greater<>(), &RingBlock::stages);
    for (const RingBlock& block : ring.blocks) {
      if (ring.lengths.empty() || ring.lengths.back() != block.stages) {
        ring.lengths.push_back(block.stages);
      }
      // The shortest one needs its copies soonest.
      if (block.is_async && !block.bulk) ring.under_way = static_cast<int>(block.stages) - 2;
    }
  }

  /// Barriers, and who fills what they belong to.
  void PlanRoles() {
    plan_.has_producers = schedule_.roles.Or(Roles::ALIKE) == Roles::PRODUCER;
    plan_.is_persistent = schedule_.grid.Or(Grid::EACH_TILE) == Grid::PERSISTENT;
    for (const Ring& ring : plan_.rings) {
      const bool is_mixed = std::ranges::any_of(ring.blocks, [&](const RingBlock& block) {
        return block.bulk.has_value() != ring.is_bulk() || block.stages != ring.lengths.front();
      });
      if (ring.is_bulk() && is_mixed) {
        Fail(function_.block(ring.blocks.front().block),
             "turns beside one that is filled otherwise");
      }
      if (ring.is_bulk()) {
        plan_.barrier_bytes +=
            (plan_.has_producers ? 2 : 1) * ring.lengths.front() * kMbarrierBytes;
      }
    }
    plan_.barrier_bytes = Aligned(plan_.barrier_bytes);
    if (!plan_.has_producers) {
      if (plan_.cluster.blocks > 1 && plan_.error.empty())
        plan_.error = "a cluster has no producers";
      return;
    }
    const bool is_one = plan_.rings.size() == 1 && plan_.rings.front().is_bulk();
    if (!is_one) {
      if (plan_.error.empty()) plan_.error = "producers fill one ring";
      return;
    }
    for (int node = tree_.node(plan_.rings.front().loop).parent; node >= 0;
         node = tree_.node(node).parent) {
      if (!IsRepeated(node) || KindOf(node) == NodeKind::kBlock) continue;
      Fail(function_.block(plan_.rings.front().blocks.front().block), "turns in another loop");
    }
  }

  const ir::Function& function_;
  const Schedule& schedule_;
  const LoopTree& tree_;
  const MemoryPlan& memory_;
  RingPlan plan_;
};

}  // namespace

bool Ring::IsFilled(const std::vector<bool>& insts) const {
  return std::ranges::any_of(blocks,
                             [&](const RingBlock& block) { return insts[block.store.index()]; });
}

std::uint32_t Ring::bulk_bytes() const {
  std::uint32_t bytes = 0;
  for (const RingBlock& block : blocks) bytes += block.bulk ? block.bulk->bytes : 0;
  return bytes;
}

std::uint32_t RingPlan::more_threads() const {
  return has_producers ? ir::kGroupWarps * ir::kWarpLanes : 0;
}

const RingBlock& RingPlan::BlockOf(const ir::Instruction& inst) const {
  const Ring& ring = rings[static_cast<std::size_t>(of_inst[inst.id.index()])];
  const auto found = std::ranges::find_if(ring.blocks, [&](const RingBlock& block) {
    return block.read == inst.id || block.store == inst.id;
  });
  EXH_CHECK(found != ring.blocks.end());
  return *found;
}

RingPlan PlanRings(const ir::Function& function, const Schedule& schedule, const LoopTree& tree,
                   const MemoryPlan& memory) {
  return RingPlanner(function, schedule, tree, memory).Run();
}

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
#include "kernels/codegen/plan/thread_plan.h"

#include <algorithm>
#include <set>

namespace exh::kernels::codegen {
namespace {

std::size_t At(int i) {
  return static_cast<std::size_t>(i);
}

/// Temporaries and windows that were accessed since the last barrier.
struct Pending {
  std::set<ir::MemId> read, written;
  std::set<ir::WindowId> windows_read, windows_written;
  friend bool operator==(const Pending&, const Pending&) = default;

  void Add(const Pending& other) {
    read.insert(other.read.begin(), other.read.end());
    written.insert(other.written.begin(), other.written.end());
    windows_read.insert(other.windows_read.begin(), other.windows_read.end());
    windows_written.insert(other.windows_written.begin(), other.windows_written.end());
  }
};

template <typename IdType>
bool Meet(const std::set<IdType>& a, const std::set<IdType>& b) {
  return std::any_of(a.begin(), a.end(), [&](IdType id) { return b.count(id) != 0; });
}
template <typename IdType>
bool Clash(const std::set<IdType>& read, const std::set<IdType>& written,
           const std::set<IdType>& read_before, const std::set<IdType>& written_before) {
  return Meet(read, written_before) || Meet(written, written_before) || Meet(written, read_before);
}

class ThreadPlanner {
 public:
  ThreadPlanner(const ir::Function& function, const LoopTree& tree, const ValuePlan& values,
                const RingPlan& rings, const Part& part)
      : function_(function), tree_(tree), values_(values), rings_(rings), part_(part) {}

  ThreadPlan Run() {
    plan_.barrier_before.assign(tree_.nodes.size(), false);
    plan_.band.resize(tree_.nodes.size());
    plan_.store.resize(function_.insts.size());
    if (tree_.num_threads == 1) return std::move(plan_);
    Pending pending;
    Visit(0, pending);
    FollowValues();
    GuardBands();
    GuardStores();
    return std::move(plan_);
  }

 private:
  bool IsBand(int node) const { return tree_.node(node).layout >= 0; }

  bool IsCopied(ir::WindowId window) const {
    return window.valid() && tree_.node_of_inst[function_.window(window).copy.index()] >= 0;
  }

  Pending AccessesIn(int index) const {
    const LoopNode& node = tree_.node(index);
    Pending accesses;
    if (!part_.nodes[At(index)]) return accesses;
    if (node.kind == NodeKind::kExec) {
      const ir::Instruction& inst = function_.inst(node.inst);
      for (const ir::MemId block : tree_.group_operands[inst.id.index()]) {
        if (rings_.of_block[block.index()] < 0) accesses.read.insert(block);
      }
      if (inst.block.valid() && rings_.of_block[inst.block.index()] >= 0) return accesses;
      if (inst.op == ir::Op::kTempLoad) accesses.read.insert(inst.block);
      if (inst.op == ir::Op::kTempStore) accesses.written.insert(inst.block);
      if (inst.op == ir::Op::kWindow) accesses.windows_written.insert(inst.window);
      if (inst.op == ir::Op::kLoad && IsCopied(inst.window)) {
        accesses.windows_read.insert(inst.window);
      }
    }
    for (const int child : node.children) accesses.Add(AccessesIn(child));
    return accesses;
  }

  /// Bands and the instructions outside of them are passed one after the other.
  void Pass(int index, Pending& pending) {
    const Pending now = AccessesIn(index);
    if (plan_.barrier_before[At(index)] ||
        Clash(now.read, now.written, pending.read, pending.written) ||
        Clash(now.windows_read, now.windows_written, pending.windows_read,
              pending.windows_written)) {
      plan_.barrier_before[At(index)] = true;
      pending = {};
    }
    pending.Add(now);
  }

  void Visit(int index, Pending& pending) {
    const LoopNode& node = tree_.node(index);
    if (!part_.nodes[At(index)]) return;
    if (node.kind == NodeKind::kExec || IsBand(index)) return Pass(index, pending);
    if (const int ring = rings_.of_node[At(index)]; ring >= 0) {
      if (rings_.rings[At(ring)].IsFilled(part_.insts))
        return Turn(rings_.rings[At(ring)], pending);
    }
    const bool repeats = node.kind == NodeKind::kLoop || node.kind == NodeKind::kUnroll ||
                         node.kind == NodeKind::kVector;
    Pending entry = pending;
    while (true) {
      pending = entry;
      for (const int child : node.children) Visit(child, pending);
      Pending next = entry;
      if (repeats) next.Add(pending);
      if (next == entry) return;
      entry = next;
    }
  }

  /// A loop that rings turn in. Each of its iterations begins with a barrier. What the last one
  /// read is still being read when the loop is over, and nothing outside of the loop uses the
  /// rings; but it may begin again.
  void Turn(const Ring& ring, Pending& pending) {
    std::set<ir::MemId> blocks;
    for (const RingBlock& block : ring.blocks) blocks.insert(block.block);
    if (Meet(pending.read, blocks)) plan_.barrier_before[At(ring.loop)] = true;
    pending = {};
    for (const int child : tree_.node(ring.loop).children) Visit(child, pending);
    pending.read.insert(blocks.begin(), blocks.end());
  }

  /// The band around a node, or -1.
  int BandOf(int node) const {
    while (node >= 0 && !IsBand(node)) node = tree_.node(node).parent;
    return node;
  }

  /// Registers that leave a band keep its redundant threads at work; those that leave a layout keep
  /// the threads beyond its axes at work.
  void FollowValues() {
    escapes_band_.assign(tree_.nodes.size(), false);
    escapes_layout_.assign(tree_.layouts.size(), false);
    const auto flow = [&](ir::InstId from, ir::InstId to) {
      const int source = BandOf(tree_.node_of_inst[from.index()]);
      const int target = BandOf(tree_.node_of_inst[to.index()]);
      if (source < 0 || source == target) return;
      escapes_band_[At(source)] = true;
      const int layout = tree_.node(source).layout;
      if (target < 0 || tree_.node(target).layout != layout) escapes_layout_[At(layout)] = true;
    };
    for (const ir::Instruction& inst : function_.insts) {
      if (tree_.node_of_inst[inst.id.index()] < 0) continue;
      const InstValues& values = values_.insts[inst.id.index()];
      for (const ValueRead& read : values.reads) {
        if (read.producer.valid()) flow(read.producer, inst.id);
      }
      for (const InitWrite& init : values.inits) flow(inst.id, init.reduction);
      if (!values_.repeats.empty() && values_.repeats[inst.id.index()].first.valid()) {
        flow(values_.repeats[inst.id.index()].first, inst.id);
      }
      // A maximum that runs is needed wherever a thread has a sum that it corrects.
      for (const CorrectedSum& sum : values_.corrected[inst.id.index()]) flow(inst.id, sum.sum);
    }
  }

  void GuardBands() {
    for (std::size_t node = 0; node < tree_.nodes.size(); ++node) {
      const int layout = tree_.nodes[node].layout;
      if (layout < 0) continue;
      ThreadGuard guard = OnceGuard(tree_, static_cast<int>(node));
      if (escapes_band_[node]) {
        guard.axes.clear();
        if (escapes_layout_[At(layout)]) guard.below = 0;
      }
      plan_.band[node] = guard;
    }
  }

  void GuardStores() {
    for (const ir::Instruction& inst : function_.insts) {
      const int node = tree_.node_of_inst[inst.id.index()];
      if (node < 0 || (inst.op != ir::Op::kStore && inst.op != ir::Op::kTempStore)) continue;
      ThreadGuard guard = OnceGuard(tree_, node);
      if (const int band = BandOf(node); band >= 0) {
        const ThreadGuard& outer = plan_.band[At(band)];
        std::erase_if(guard.axes, [&](int axis) {
          return std::ranges::find(outer.axes, axis) != outer.axes.end();
        });
        if (outer.below != 0) guard.below = 0;
        for (const int axis : RepeatedAxes(inst, band)) {
          if (std::ranges::find(guard.axes, axis) == guard.axes.end()) guard.axes.push_back(axis);
        }
      }
      plan_.store[inst.id.index()] = guard;
    }
  }

  /// The axes of its band along which all threads would store the same values: the store stands
  /// among threads that others need. Where its band reads the temporary with no barrier between,
  /// each thread reads what it stored itself.
  std::vector<int> RepeatedAxes(const ir::Instruction& store, int band) const {
    if (!store.block.valid()) return {};
    const bool is_ring = rings_.of_block[store.block.index()] >= 0;
    if (!is_ring && AccessesIn(band).read.count(store.block) != 0) return {};
    const std::vector<int> own = tree_.OwnAxes(store);
    std::vector<int> repeated;
    for (const int c : tree_.ClassesAround(tree_.node_of_inst[store.id.index()])) {
      const int axis = tree_.classes[At(c)].axis;
      if (axis >= 0 && std::ranges::find(own, axis) == own.end()) repeated.push_back(axis);
    }
    return repeated;
  }

  const ir::Function& function_;
  const LoopTree& tree_;
  const ValuePlan& values_;
  const RingPlan& rings_;
  const Part& part_;
  ThreadPlan plan_;
  std::vector<bool> escapes_band_;    ///< By node.
  std::vector<bool> escapes_layout_;  ///< By layout.
};

}  // namespace

ThreadPlan PlanThreads(const ir::Function& function, const LoopTree& tree, const ValuePlan& values,
                       const RingPlan& rings, const Part& part) {
  return ThreadPlanner(function, tree, values, rings, part).Run();
}

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
#include "kernels/codegen/plan/split_plan.h"

#include <algorithm>

#include "kernels/codegen/memory/memory_plan.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::codegen {
namespace {

constexpr std::uint64_t kTicketBytes = 4, kStatusBytes = 8;

template <typename T>
bool Contains(const std::vector<T>& items, const T& item) {
  return std::ranges::find(items, item) != items.end();
}

class SplitPlanner {
 public:
  SplitPlanner(const ir::Function& function, const Schedule& schedule, const LoopTree& tree,
               const ValuePlan& values)
      : function_(function), schedule_(schedule), tree_(tree), values_(values) {}

  SplitPlan Run() {
    plan_.of_inst.assign(function_.insts.size(), -1);
    plan_.of_store = plan_.last_of = plan_.of_inst;
    plan_.first_of.resize(function_.insts.size());
    for (const ir::Instruction& inst : function_.insts) {
      if (IsActive(inst.id) && inst.is_reduction() && !tree_.SplitClasses(inst).empty()) {
        AddReduction(inst);
      }
    }
    GroupThose();
    PlaceTickets();
    FindFirst();
    AddMain();
    for (std::size_t group = 0; group < plan_.groups.size(); ++group) {
      if (plan_.groups[group].way == AcrossBlocks::SECOND_LAUNCH) AddFinish(group);
    }
    FindEnds();
    return std::move(plan_);
  }

 private:
  bool IsActive(ir::InstId id) const { return tree_.node_of_inst[id.index()] >= 0; }
  const DimClass& Class(int c) const { return tree_.classes[static_cast<std::size_t>(c)]; }

  /// The node where the block hands over what it has, or looks back; of an atomic one -1.
  int HandOverOf(ir::InstId id) const {
    const bool is_scan = function_.inst(id).is_scan();
    for (std::size_t node = 0; node < tree_.nodes.size(); ++node) {
      const LoopNode& n = tree_.nodes[node];
      const NodeKind wanted = is_scan ? NodeKind::kCombine : NodeKind::kHandOver;
      if (n.kind == wanted && n.inst == id) return static_cast<int>(node);
    }
    return -1;
  }

  void AddReduction(const ir::Instruction& inst) {
    SplitReduction split;
    split.id = inst.id;
    split.way = schedule_.across_blocks(inst.id);
    split.split_classes = tree_.SplitClasses(inst);
    for (const int c : split.split_classes) split.splits *= Class(c).size;
    if (split.is_atomic()) {
      for (const ir::Communication& comm : function_.comms) {
        if (comm.producer == inst.id) split.store = comm.consumer;
      }
      plan_.of_store[split.store.index()] = static_cast<int>(plan_.reductions.size());
    } else {
      if (split.is_of_cluster()) plan_.cluster_class = split.split_classes.front();
      if (!split.is_of_cluster()) FindTiles(inst, split);
      FindSlots(inst, split);
      const ValueStorage& storage = values_.storage[inst.id.index()];
      for (std::size_t place = 0; place < storage.key.size(); ++place) {
        const bool is_step = Contains(storage.scanned, place);
        if (!is_step) split.num_registers *= storage.key[place].size;
      }
    }
    plan_.of_inst[inst.id.index()] = static_cast<int>(plan_.reductions.size());
    plan_.reductions.push_back(std::move(split));
  }

  void FindTiles(const ir::Instruction& inst, SplitReduction& split) const {
    for (const int c : tree_.ClassesAround(HandOverOf(inst.id))) {
      const bool has_own = Class(c).kind == DimKind::BLOCK || Class(c).kind == DimKind::LOOP;
      if (!has_own || Contains(split.split_classes, c)) continue;
      split.tile_classes.push_back(c);
      split.tiles *= Class(c).size;
    }
  }

  /// All blocks of a cluster have what a store takes that has no part of their class.
  void FindFirst() {
    if (plan_.cluster_class < 0) return;
    for (const ir::Instruction& inst : function_.insts) {
      if (!IsActive(inst.id) || inst.op != ir::Op::kStore) continue;
      if (!HasPart(inst, plan_.cluster_class)) {
        plan_.first_of[inst.id.index()] = {plan_.cluster_class};
      }
    }
  }
  bool HasPart(const ir::Instruction& inst, int dim_class) const {
    return std::ranges::any_of(
        inst.dims, [&](ir::DimId dim) { return tree_.class_of_dim[dim.index()] == dim_class; });
  }

  void FindSlots(const ir::Instruction& inst, SplitReduction& split) const {
    if (tree_.num_threads == 1) return;
    const std::vector<int> slices = tree_.SliceAxes(inst);
    const std::vector<int> own = tree_.OwnAxes(inst);
    if (own.empty()) {  // All threads have the same value.
      split.below = 1;
      return;
    }
    const int layout = tree_.axes[static_cast<std::size_t>(own.front())].layout;
    const std::uint32_t threads = tree_.layouts[static_cast<std::size_t>(layout)].threads;
    if (threads < tree_.num_threads) split.below = threads;
    for (std::size_t i = tree_.axes.size(); i-- > 0;) {
      const ThreadAxis& axis = tree_.axes[i];
      if (axis.layout != layout || axis.size == 1) continue;
      const ThreadDigit digit = {axis.stride, axis.size};
      const bool is_slice = Contains(slices, static_cast<int>(i));
      if (is_slice) split.sharers.push_back(digit);
      if (is_slice || !Contains(own, static_cast<int>(i))) {
        split.silent.push_back(digit);
        continue;
      }
      split.slots.push_back(digit);
      split.num_slots *= digit.size;
    }
  }

  void GroupThose() {
    for (std::size_t i = 0; i < plan_.reductions.size(); ++i) {
      SplitReduction& split = plan_.reductions[i];
      if (split.is_atomic() || split.is_of_cluster() || split.looks_back()) continue;
      for (std::size_t g = 0; g < plan_.groups.size() && split.group < 0; ++g) {
        const SplitReduction& first = plan_.reductions[plan_.groups[g].reductions.front()];
        if (first.way == split.way && ir::Meet(function_, first.id, split.id)) {
          split.group = static_cast<int>(g);
        }
      }
      if (split.group < 0) {
        split.group = static_cast<int>(plan_.groups.size());
        SplitGroup group;
        group.way = split.way;
        group.split_classes = split.split_classes;
        group.splits = split.splits;
        for (const int c : tree_.block_classes) {
          if (Contains(split.split_classes, c)) continue;
          group.tile_classes.push_back(c);
          group.tiles *= Class(c).size;
        }
        plan_.groups.push_back(std::move(group));
      }
      plan_.groups[static_cast<std::size_t>(split.group)].reductions.push_back(i);
    }
    // Sums are corrected by what a maximum is in the end.
    for (SplitGroup& group : plan_.groups) {
      std::ranges::stable_partition(group.reductions, [&](std::size_t reduction) {
        return tree_.Runs(plan_.reductions[reduction].id);
      });
    }
  }

  /// Tickets come first, so that few bytes need to be 0.
  void PlaceTickets() {
    for (SplitGroup& group : plan_.groups) {
      if (group.way != AcrossBlocks::LAST_BLOCK) continue;
      group.ticket_offset = plan_.ticket_bytes;
      plan_.ticket_bytes += Aligned(kTicketBytes * group.tiles);
    }
    PlaceStatuses();
    plan_.workspace_bytes = plan_.ticket_bytes;
    for (SplitReduction& split : plan_.reductions) {
      if (split.is_atomic() || split.looks_back()) continue;
      const std::uint64_t bytes = ir::BytesOf(ir::ComputeTypeOf(function_.inst(split.id).type));
      if (split.is_of_cluster()) {
        split.offset = plan_.cluster_bytes;
        plan_.cluster_bytes +=
            Aligned(split.splits * split.num_registers * split.num_slots * bytes);
        continue;
      }
      split.offset = plan_.workspace_bytes;
      plan_.workspace_bytes += Aligned(split.elements() * bytes);
    }
  }

  /// They are 0 before the first launch, as tickets are.
  void PlaceStatuses() {
    if (!plan_.draws_numbers()) return;
    plan_.turn_offset = plan_.ticket_bytes;
    plan_.ticket_bytes += kTurnBytes;
    for (SplitReduction& split : plan_.reductions) {
      if (!split.looks_back()) continue;
      split.offset = plan_.ticket_bytes;
      const bool is_wide = ir::BytesOf(ir::ComputeTypeOf(function_.inst(split.id).type)) > 4;
      split.status_words = is_wide ? 2 : 1;
      plan_.ticket_bytes += Aligned(kStatusBytes * split.status_words * split.elements());
    }
  }

  /// Adds an instruction and all that it needs, but nothing beyond those of `stop`.
  void Need(ir::InstId id, const std::vector<bool>& stop, std::vector<bool>& needed) const {
    if (needed[id.index()] || stop[id.index()]) return;
    needed[id.index()] = true;
    for (const ValueRead& read : values_.insts[id.index()].reads) {
      if (read.producer.valid()) Need(read.producer, stop, needed);
    }
    const ir::Instruction& inst = function_.inst(id);
    if (inst.is_reduction()) Need(function_.comm(inst.init).producer, stop, needed);
    const bool has_window = inst.op == ir::Op::kLoad && inst.window.valid();
    if (has_window && tree_.node_of_inst[function_.window(inst.window).copy.index()] >= 0) {
      Need(function_.window(inst.window).copy, stop, needed);
    }
    if (inst.op == ir::Op::kTempLoad) Need(function_.block(inst.block).store, stop, needed);
  }

  /// By instruction, of stores: does a value of a reduction of the group reach it?
  std::vector<bool> StoresBehind(const SplitGroup& group) const {
    std::vector<bool> stores(function_.insts.size(), false);
    for (const std::size_t reduction : group.reductions) {
      const std::vector<bool> reached = ir::ReachedFrom(function_, plan_.reductions[reduction].id);
      for (const ir::Instruction& inst : function_.insts) {
        if (inst.op == ir::Op::kStore && reached[inst.id.index()]) stores[inst.id.index()] = true;
      }
    }
    return stores;
  }

  /// The group of another launch that makes the value; -1: it is made in exh_kernel.
  int FinishOf(std::size_t inst) const {
    if (plan_.of_inst[inst] < 0) return -1;
    const SplitReduction& split = plan_.reductions[static_cast<std::size_t>(plan_.of_inst[inst])];
    return split.way == AcrossBlocks::SECOND_LAUNCH ? split.group : -1;
  }

  bool FindNodes(int index, Part& part) const {
    const LoopNode& node = tree_.node(index);
    const auto number = node.inst.valid() ? node.inst.index() : 0;
    bool any = false;
    if (node.kind == NodeKind::kExec) any = part.insts[number];
    const bool is_of_value = node.kind == NodeKind::kLanes || node.kind == NodeKind::kRound ||
                             node.kind == NodeKind::kCombine || node.kind == NodeKind::kCorrect ||
                             node.kind == NodeKind::kSettle || node.kind == NodeKind::kLastBlock ||
                             node.kind == NodeKind::kExchange;
    if (is_of_value) {
      any = part.finishes < 0 && part.insts[number];
    }
    if (node.kind == NodeKind::kSettle) {
      any = part.finishes == FinishOf(number) && (part.finishes >= 0 || any);
    }
    if (node.kind == NodeKind::kHandOver) {
      const SplitReduction& split =
          plan_.reductions[static_cast<std::size_t>(plan_.of_inst[number])];
      any = part.finishes < 0 ? part.insts[number] : split.group == part.finishes;
    }
    for (const int child : node.children) any |= FindNodes(child, part);
    part.nodes[static_cast<std::size_t>(index)] = any;
    return any;
  }

  void Add(Part part) {
    part.nodes.assign(tree_.nodes.size(), false);
    FindNodes(0, part);
    plan_.parts.push_back(std::move(part));
  }

  void AddMain() {
    std::vector<bool> later(function_.insts.size(), false);  // Stores of another launch.
    for (const SplitGroup& group : plan_.groups) {
      const std::vector<bool> stores = StoresBehind(group);
      for (std::size_t i = 0; i < stores.size(); ++i) {
        if (!stores[i]) continue;
        if (group.way == AcrossBlocks::SECOND_LAUNCH) later[i] = true;
        if (group.way == AcrossBlocks::LAST_BLOCK) {
          plan_.last_of[i] = static_cast<int>(&group - plan_.groups.data());
        }
      }
    }
    Part part;
    part.blocks = tree_.block_classes;
    part.insts.assign(function_.insts.size(), false);
    const std::vector<bool> stop(function_.insts.size(), false);
    for (const ir::Instruction& inst : function_.insts) {
      const bool is_root = (inst.op == ir::Op::kStore && !later[inst.id.index()]) ||
                           plan_.of_inst[inst.id.index()] >= 0;
      if (IsActive(inst.id) && is_root) Need(inst.id, stop, part.insts);
    }
    if (plan_.empty()) {  // All of it.
      for (const ir::Instruction& inst : function_.insts)
        part.insts[inst.id.index()] = IsActive(inst.id);
    }
    part.values = part.insts;
    Add(std::move(part));
  }

  void AddFinish(std::size_t number) {
    const SplitGroup& group = plan_.groups[number];
    Part part;
    part.finishes = static_cast<int>(number);
    part.insts.assign(function_.insts.size(), false);
    std::vector<bool> made(function_.insts.size(), false);
    for (const std::size_t i : group.reductions) made[plan_.reductions[i].id.index()] = true;
    const std::vector<bool> stores = StoresBehind(group);
    std::vector<const ir::Instruction*> active;
    for (const ir::Instruction& inst : function_.insts) {
      if (IsActive(inst.id) && stores[inst.id.index()]) active.push_back(&inst);
    }
    for (const ir::Instruction* store : active) Need(store->id, made, part.insts);
    for (const int c : tree_.block_classes) {
      const bool is_tile = Contains(group.tile_classes, c);
      const auto has_part = [&](const auto* store) { return HasPart(*store, c); };
      if (!is_tile && std::ranges::none_of(active, has_part)) continue;
      part.blocks.push_back(c);
      for (const ir::Instruction* store : active) {
        if (!is_tile && !has_part(store)) plan_.first_of[store->id.index()].push_back(c);
      }
    }
    part.values = part.insts;
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (made[i]) part.values[i] = true;
    }
    Add(std::move(part));
  }

  /// Where nothing but what the last block does comes behind its node, the others are done there.
  void FindEnds() {
    for (std::size_t number = 0; number < plan_.groups.size(); ++number) {
      SplitGroup& group = plan_.groups[number];
      if (group.way != AcrossBlocks::LAST_BLOCK) continue;
      bool is_behind = false;
      group.ends_the_others = true;
      const auto visit = [&](const auto& self, int index) -> void {
        const LoopNode& node = tree_.node(index);
        if (is_behind) {
          const bool is_store =
              node.kind == NodeKind::kExec && function_.inst(node.inst).op == ir::Op::kStore;
          const bool is_of_others =
              is_store && plan_.last_of[node.inst.index()] != static_cast<int>(number);
          const bool meets = node.kind == NodeKind::kHandOver || node.kind == NodeKind::kLastBlock;
          if (is_of_others || meets) group.ends_the_others = false;
        }
        if (node.kind == NodeKind::kLastBlock &&
            plan_.reductions[static_cast<std::size_t>(plan_.of_inst[node.inst.index()])].group ==
                static_cast<int>(number)) {
          is_behind = true;
        }
        for (const int child : node.children) self(self, child);
      };
      visit(visit, 0);
    }
  }

  const ir::Function& function_;
  const Schedule& schedule_;
  const LoopTree& tree_;
  const ValuePlan& values_;
  SplitPlan plan_;
};

}  // namespace

SplitPlan PlanSplits(const ir::Function& function, const Schedule& schedule, const LoopTree& tree,
                     const ValuePlan& values) {
  return SplitPlanner(function, schedule, tree, values).Run();
}

std::string WaysInWords(const SplitPlan& plan) {
  std::vector<AcrossBlocks> ways;
  std::string text;
  for (const SplitReduction& split : plan.reductions) {
    if (Contains(ways, split.way)) continue;
    ways.push_back(split.way);
    text += (text.empty() ? "" : "+") + std::string(ToString(split.way));
  }
  return text;
}

bool BitsMayVary(const ir::Function& function, const SplitPlan& plan) {
  return std::ranges::any_of(plan.reductions, [&](const SplitReduction& split) {
    const ir::Instruction& inst = function.inst(split.id);
    return (split.is_atomic() || split.looks_back()) && !ir::IsExact(inst.op, inst.type);
  });
}

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
#include "kernels/codegen/loops/copy_nests.h"

#include <algorithm>

namespace exh::kernels::codegen {
namespace {

class Splitter {
 public:
  Splitter(const ir::Function& function, LoopTree& tree) : function_(function), tree_(tree) {}

  void Split(const ir::MemBlock& block, const ir::Instruction& read) {
    int nest = tree_.CommonAncestor(NodeOf(read.id), NodeOf(block.store));
    if (!IsCopies(nest) || !IsOnlyCopied(nest)) return;
    for (int around = tree_.node(nest).parent; IsCopies(around) && IsOnlyCopied(around);
         around = tree_.node(around).parent) {
      nest = around;
    }
    const int parent = tree_.node(nest).parent;
    const int stores = Stores(nest);
    tree_.nodes[Index(stores)].parent = parent;
    std::vector<int>& children = tree_.nodes[Index(parent)].children;
    children.insert(std::ranges::find(children, nest) + 1, stores);
  }

 private:
  static std::size_t Index(int node) { return static_cast<std::size_t>(node); }
  int NodeOf(ir::InstId inst) const { return tree_.node_of_inst[inst.index()]; }
  bool IsCopies(int node) const { return node >= 0 && tree_.node(node).kind == NodeKind::kUnroll; }

  /// Reads and stores, and unrolled copies of them.
  bool IsOnlyCopied(int index) const {
    const LoopNode& node = tree_.node(index);
    if (node.kind == NodeKind::kExec) {
      const ir::Op op = function_.inst(node.inst).op;
      return op == ir::Op::kLoad || op == ir::Op::kTempStore;
    }
    return node.kind == NodeKind::kUnroll &&
           std::ranges::all_of(node.children, [&](int child) { return IsOnlyCopied(child); });
  }

  bool HasStore(int index) const {
    const LoopNode& node = tree_.node(index);
    if (node.kind == NodeKind::kExec) return function_.inst(node.inst).op == ir::Op::kTempStore;
    return std::ranges::any_of(node.children, [&](int child) { return HasStore(child); });
  }
  bool HasRead(int index) const {
    const LoopNode& node = tree_.node(index);
    if (node.kind == NodeKind::kExec) return function_.inst(node.inst).op == ir::Op::kLoad;
    return std::ranges::any_of(node.children, [&](int child) { return HasRead(child); });
  }

  /// Takes the stores out of a nest of both, into one like it, which is returned.
  int Stores(int index) {
    LoopNode stores = tree_.node(index);
    stores.children.clear();
    const int twin = static_cast<int>(tree_.nodes.size());
    tree_.nodes.push_back(std::move(stores));
    std::vector<int> left;
    for (const int child : std::vector<int>(tree_.node(index).children)) {
      int moved = -1;
      if (!HasStore(child)) {
        left.push_back(child);
        continue;
      }
      if (HasRead(child)) {
        left.push_back(child);
        moved = Stores(child);
      } else {
        moved = child;
      }
      tree_.nodes[Index(moved)].parent = twin;
      tree_.nodes[Index(twin)].children.push_back(moved);
    }
    tree_.nodes[Index(index)].children = std::move(left);
    return twin;
  }

  const ir::Function& function_;
  LoopTree& tree_;
};

}  // namespace

void SplitCopyNests(const ir::Function& function, const Schedule& schedule, LoopTree& tree) {
  if (!tree.has_threads()) return;
  for (const ir::MemBlock& block : function.blocks) {
    if (!schedule.InBlocks(block.id)) continue;
    const ir::Instruction& read = function.inst(function.comm(block.comm).producer);
    if (schedule.tiles(block.comm) != Tiles::OWN_TILES || read.op != ir::Op::kLoad) continue;
    // A copy that registers take no part in is both.
    if (schedule.transfer.Or(Transfer::REGISTERS, block.id) != Transfer::REGISTERS) continue;
    Splitter(function, tree).Split(block, read);
  }
}

}  // namespace exh::kernels::codegen

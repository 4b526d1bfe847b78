// SPDX-License-Identifier: MIT
#include "kernels/codegen/loops/loop_tree.h"

#include <algorithm>

#include "kernels/codegen/loops/forest.h"
#include "kernels/codegen/loops/thread_axes.h"

namespace exh::kernels::codegen {
namespace {

std::size_t Index(int i) {
  return static_cast<std::size_t>(i);
}

/// Rules about kinds; each line of the checks is one rule. The space guarantees them, tests break
/// them.
class NestingCheck {
 public:
  NestingCheck(const ir::Function& function, const Forest& forest,
               const std::vector<ThreadAxis>& thread_axes)
      : function_(function), forest_(forest), thread_axes_(thread_axes) {}

  std::string Run() {
    for (std::size_t c = 0; c < forest_.classes.size(); ++c) CheckClass(static_cast<int>(c));
    for (std::size_t i = 0; i < forest_.insts.size(); ++i) {
      CheckInst(forest_.insts[i], static_cast<int>(forest_.classes.size() + i));
    }
    return error_;
  }

 private:
  void Fail(const std::string& why) {
    if (error_.empty()) error_ = why;
  }
  std::string NameOf(int item) const {
    return forest_.is_class(item)
               ? function_.dim(forest_.classes[Index(item)].dims.front()).name()
               : function_.inst(forest_.insts[Index(item) - forest_.classes.size()]).name();
  }
  DimKind Kind(int item) const { return forest_.classes[Index(item)].kind; }
  bool HasThread(int item) const {
    if (!forest_.is_class(item)) return false;
    if (Kind(item) == DimKind::THREAD) return true;
    const auto& children = forest_.children[Index(item)];
    return std::any_of(children.begin(), children.end(), [&](int c) { return HasThread(c); });
  }

  void CheckClass(int item) {
    const DimKind kind = Kind(item);
    const int parent = forest_.parent[Index(item)];
    const auto& children = forest_.children[Index(item)];
    if (kind == DimKind::BLOCK) {
      if (parent >= 0 && Kind(parent) != DimKind::BLOCK) {
        Fail("BLOCK dim " + NameOf(item) + " is inside " + NameOf(parent) + ", which is no BLOCK");
      }
      const auto& siblings = parent < 0 ? forest_.roots() : forest_.children[Index(parent)];
      if (siblings.size() != 1) Fail("BLOCK dim " + NameOf(item) + " is not around everything");
    }
    for (const int child : children) {
      if (!forest_.is_class(child)) continue;
      const DimKind inner = Kind(child);
      if (kind == DimKind::UNROLL && inner != DimKind::UNROLL && inner != DimKind::VECTOR) {
        Fail(NameOf(child) + " is inside UNROLL dim " + NameOf(item) + " but will not be unrolled");
      }
      if (kind == DimKind::VECTOR && inner != DimKind::VECTOR) {
        Fail(NameOf(child) + " is inside VECTOR dim " + NameOf(item) + " but is no VECTOR");
      }
      if (kind == DimKind::THREAD && inner == DimKind::THREAD && children.size() != 1) {
        Fail("THREAD dim " + NameOf(child) + " does not fill THREAD dim " + NameOf(item));
      }
      if (kind == DimKind::THREAD && inner != DimKind::THREAD && HasThread(child)) {
        Fail(NameOf(child) + " is between two THREAD dims");
      }
    }
    const std::uint32_t size = forest_.classes[Index(item)].size;
    if (size == 0) Fail("dim " + NameOf(item) + " has size 0");
    if (kind == DimKind::VECTOR && (size < 2 || (size & (size - 1)) != 0)) {
      Fail("VECTOR dim " + NameOf(item) + " has size " + std::to_string(size));
    }
    std::vector<int> axes;  // A band uses each hardware axis once.
    for (int c = item; c >= 0; c = forest_.parent[Index(c)]) {
      if (Kind(c) == DimKind::THREAD) axes.push_back(forest_.classes[Index(c)].axis);
    }
    std::sort(axes.begin(), axes.end());
    if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) {
      Fail("two nested THREAD dims share the axis of " + NameOf(item));
    }
    for (const int axis : axes) {
      if (thread_axes_[Index(axis)].layout != thread_axes_[Index(axes.front())].layout) {
        Fail("two nested THREAD dims belong to different layouts at " + NameOf(item));
      }
    }
  }

  void CheckInst(ir::InstId id, int item) {
    const ir::Instruction& inst = function_.inst(id);
    std::vector<int> around;
    for (int c = forest_.parent[Index(item)]; c >= 0; c = forest_.parent[Index(c)]) {
      around.push_back(c);
    }
    std::vector<int> own;
    int vectors = 0;
    for (const ir::DimId dim : inst.dims) {
      const int c = forest_.class_of_dim[dim.index()];
      if (c < 0 || std::find(around.begin(), around.end(), c) == around.end()) {
        return Fail(function_.dim(dim).name() + " is not around " + inst.name());
      }
      if (std::find(own.begin(), own.end(), c) != own.end()) {
        Fail("two dims of " + inst.name() + " are merged: " + NameOf(c));
      }
      own.push_back(c);
      if (Kind(c) == DimKind::VECTOR) ++vectors;
    }
    if (vectors > 1) Fail(inst.name() + " has two VECTOR dims of its own");
    // What comes after a divided reduction is in the blocks that divide it.
    const auto is_foreign = [&](int c) {
      return std::ranges::find(own, c) == own.end() && !DividesReduction(c);
    };
    if (inst.executes_once() && std::ranges::any_of(around, is_foreign)) {
      Fail(inst.name() + " must run once per point but has a dim of another instruction around it");
    }
  }

  bool DividesReduction(int item) const {
    return Kind(item) == DimKind::BLOCK &&
           std::ranges::any_of(forest_.classes[Index(item)].dims,
                               [&](ir::DimId dim) { return function_.dim(dim).is_reduction; });
  }

  const ir::Function& function_;
  const Forest& forest_;
  const std::vector<ThreadAxis>& thread_axes_;
  std::string error_;
};

/// Turns items of the forest into nodes, folding bands of THREAD classes into Threads nodes.
class TreeBuilder {
 public:
  /// `apart`: instructions that share no Threads node with others around them.
  TreeBuilder(const Forest& forest, const std::vector<ir::InstId>& apart, LoopTree& tree)
      : forest_(forest), apart_(apart), tree_(tree) {}

  void Run() {
    tree_.nodes.push_back({});
    AddChildren(0, forest_.roots(), !tree_.has_threads());
  }

 private:
  int AddNode(int parent, NodeKind kind) {
    const int index = static_cast<int>(tree_.nodes.size());
    LoopNode node;
    node.kind = kind;
    node.parent = parent;
    tree_.nodes.push_back(std::move(node));
    tree_.nodes[Index(parent)].children.push_back(index);
    return index;
  }

  bool HasThread(int item) const {
    if (!forest_.is_class(item)) return false;
    if (forest_.classes[Index(item)].kind == DimKind::THREAD) return true;
    const auto& children = forest_.children[Index(item)];
    return std::any_of(children.begin(), children.end(), [&](int c) { return HasThread(c); });
  }

  /// `in_threads`: each instruction already sits in a Threads node, or there are no threads.
  void AddChildren(int parent, const std::vector<int>& items, bool in_threads) {
    int run = -1;  // Threads node of the current run of children without THREAD dims.
    for (const int item : items) {
      if (in_threads || HasThread(item) || IsBlock(item)) {
        run = -1;
        AddItem(parent, item, in_threads);
      } else {
        const bool is_apart = HasApart(item);
        if (run < 0 || is_apart) run = AddNode(parent, NodeKind::kThreads);
        AddItem(run, item, true);
        if (is_apart) run = -1;
      }
    }
  }

  bool HasApart(int item) const {
    if (!forest_.is_class(item)) {
      const ir::InstId inst = forest_.insts[Index(item) - forest_.classes.size()];
      return std::ranges::find(apart_, inst) != apart_.end();
    }
    const auto& children = forest_.children[Index(item)];
    return std::ranges::any_of(children, [&](int c) { return HasApart(c); });
  }

  bool IsBlock(int item) const {
    return forest_.is_class(item) && forest_.classes[Index(item)].kind == DimKind::BLOCK;
  }

  void AddItem(int parent, int item, bool in_threads) {
    if (!forest_.is_class(item)) {
      const ir::InstId inst = forest_.insts[Index(item) - forest_.classes.size()];
      const int node = AddNode(parent, NodeKind::kExec);
      tree_.nodes[Index(node)].inst = inst;
      tree_.node_of_inst[inst.index()] = node;
      return;
    }
    NodeKind kind = NodeKind::kLoop;
    switch (forest_.classes[Index(item)].kind) {
      case DimKind::LOOP:
        break;
      case DimKind::UNROLL:
        kind = NodeKind::kUnroll;
        break;
      case DimKind::VECTOR:
        kind = NodeKind::kVector;
        break;
      case DimKind::THREAD:
        return AddBand(parent, item);
      case DimKind::BLOCK:
        kind = NodeKind::kBlock;
        tree_.block_classes.push_back(item);
        break;
    }
    const int node = AddNode(parent, kind);
    tree_.nodes[Index(node)].dim_class = item;
    AddChildren(node, forest_.children[Index(item)], in_threads);
  }

  void AddBand(int parent, int item) {
    const int node = AddNode(parent, NodeKind::kThreads);
    while (true) {
      tree_.nodes[Index(node)].thread_classes.push_back(item);
      tree_.nodes[Index(node)].layout = tree_.axes[Index(forest_.classes[Index(item)].axis)].layout;
      const auto& children = forest_.children[Index(item)];
      if (children.size() == 1 && HasThread(children.front())) {
        item = children.front();
        continue;
      }
      return AddChildren(node, children, true);
    }
  }

  const Forest& forest_;
  const std::vector<ir::InstId>& apart_;
  LoopTree& tree_;
};

void AppendText(const ir::Function& function, const LoopTree& tree, int index, int depth,
                std::string& out) {
  const LoopNode& node = tree.node(index);
  const auto dim_class = [&](int c) {
    const DimClass& k = tree.classes[Index(c)];
    std::string text;
    for (const ir::DimId dim : k.dims) {
      text += (text.empty() ? "" : "+") + function.dim(dim).name();
    }
    return text + ":" + std::to_string(k.size);
  };
  static constexpr const char* kNames[] = {"root",    "block",     "loop",      "unroll",
                                           "vector",  "threads",   "exec",      "lanes",
                                           "combine", "hand_over", "last_block"};
  std::string line(Index(depth) * 2, ' ');
  line += kNames[static_cast<std::size_t>(node.kind)];
  if (node.dim_class >= 0) line += " " + dim_class(node.dim_class);
  for (const int c : node.thread_classes) line += " " + dim_class(c);
  if (node.inst.valid()) line += " " + function.inst(node.inst).name();
  out += line + "\n";
  for (const int child : node.children) AppendText(function, tree, child, depth + 1, out);
}

/// `walk` (dims.exh): the two innermost loops of unrolled copies around a reduction are rows and
/// columns, when nothing else is in them and each copy has a sum of its own. Then no copy needs
/// another one, and any order is right. Levels that are absent are no loops.
void TurnRows(const ir::Function& function, const Schedule& schedule, LoopTree& tree) {
  const auto unrolled_around = [&](int node) {
    do {
      node = tree.node(node).parent;
      const bool is_alone =
          tree.node(node).kind == NodeKind::kUnroll && tree.node(node).children.size() == 1;
      if (!is_alone) return -1;
    } while (tree.classes[Index(tree.node(node).dim_class)].size == 1);
    return node;
  };
  for (const ir::Instruction& inst : function.insts) {
    if (schedule.walk.Or(Walk::ROWS, inst.id) != Walk::SERPENTINE) continue;
    const int column = unrolled_around(tree.node_of_inst[inst.id.index()]);
    const int row = column < 0 ? -1 : unrolled_around(column);
    if (row < 0) continue;
    const DimClass& columns = tree.classes[Index(tree.node(column).dim_class)];
    const bool is_sum = std::ranges::any_of(
        columns.dims, [&](ir::DimId dim) { return function.dim(dim).is_reduction; });
    if (!is_sum) tree.nodes[Index(column)].turns_with = tree.node(row).dim_class;
  }
}

void InsertBehind(LoopTree& tree, int child, NodeKind kind, ir::InstId inst) {
  LoopNode node;
  node.kind = kind;
  node.inst = inst;
  node.parent = tree.node(child).parent;
  const int index = static_cast<int>(tree.nodes.size());
  std::vector<int>& children = tree.nodes[Index(node.parent)].children;
  children.insert(std::ranges::find(children, child) + 1, index);
  tree.nodes.push_back(std::move(node));
}

/// The slices of a reduction meet where all of its loops have ended. What begins it is in front of
/// these loops, so the node around both is the one in which they end. No thread dimension is around
/// it: one around both would have to be around the threads of the slices, too (bands_have_one_body,
/// threads.exh).
std::string AddCombines(const ir::Function& function, LoopTree& tree) {
  for (const ir::Instruction& inst : function.insts) {
    const int node = tree.node_of_inst[inst.id.index()];
    if (node < 0 || tree.SliceAxes(inst).empty()) continue;
    const ir::InstId init = function.comm(inst.init).producer;
    const int around = tree.CommonAncestor(node, tree.node_of_inst[init.index()]);
    if (tree.InThreads(around)) {
      return "the slices of " + inst.name() + " end inside of other threads";
    }
    int child = node;
    while (tree.node(child).parent != around) child = tree.node(child).parent;
    InsertBehind(tree, child, NodeKind::kCombine, inst.id);
  }
  return "";
}

/// The outermost of the loops, copies and lanes that a thread reduces over; without any, the
/// instruction.
int OutermostLoopOf(const LoopTree& tree, const ir::Instruction& inst) {
  int outermost = tree.node_of_inst[inst.id.index()];
  for (int node = tree.node(outermost).parent; node >= 0; node = tree.node(node).parent) {
    const LoopNode& n = tree.node(node);
    if (n.dim_class < 0 || n.kind == NodeKind::kBlock) continue;
    const bool is_own = std::ranges::any_of(inst.reduce_dims, [&](ir::DimId dim) {
      return tree.class_of_dim[dim.index()] == n.dim_class;
    });
    if (is_own) outermost = node;
  }
  return outermost;
}

/// What lanes have of a reduction becomes one value as soon as its loops in a thread have ended:
/// whoever reads the value comes behind these. Where threads have slices of it, too, those meet
/// later.
void AddLanes(const ir::Function& function, LoopTree& tree) {
  for (const ir::Instruction& inst : function.insts) {
    if (tree.node_of_inst[inst.id.index()] < 0 || tree.LaneClass(inst) < 0) continue;
    InsertBehind(tree, OutermostLoopOf(tree, inst), NodeKind::kLanes, inst.id);
  }
}

/// The node behind which all of the reduction has ended, in a block: where its slices have become
/// one value, or what its lanes have, or the outermost of its loops.
int EndOf(const LoopTree& tree, const ir::Instruction& inst) {
  for (const NodeKind kind : {NodeKind::kCombine, NodeKind::kLanes}) {
    for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
      const LoopNode& n = tree.nodes[node];
      if (n.kind == kind && n.inst == inst.id) return static_cast<int>(node);
    }
  }
  return OutermostLoopOf(tree, inst);
}

/// The child of the innermost block around a node that it is, or is in.
int ChildOfBlock(const LoopTree& tree, int node) {
  while (tree.node(tree.node(node).parent).kind != NodeKind::kBlock) node = tree.node(node).parent;
  return node;
}

/// What blocks have of a divided reduction, or its slices have become, is handed over where its
/// loops have ended. Those that meet by the last ticket do so behind all of them. (Atomic
/// operations are how the result is stored, and no nodes.)
std::string AddSplits(const ir::Function& function, const Schedule& schedule, LoopTree& tree) {
  std::vector<ir::InstId> last;  // Of LAST_BLOCK.
  for (const ir::Instruction& inst : function.insts) {
    const int node = tree.node_of_inst[inst.id.index()];
    if (node < 0 || !inst.is_reduction() || tree.SplitClasses(inst).empty()) continue;
    const AcrossBlocks way = schedule.across_blocks.Or(AcrossBlocks::NOT_ACROSS, inst.id);
    if (way == AcrossBlocks::NOT_ACROSS) return inst.name() + " is divided but NOT_ACROSS blocks";
    if (way != AcrossBlocks::LAST_BLOCK && way != AcrossBlocks::SECOND_LAUNCH) continue;
    InsertBehind(tree, EndOf(tree, inst), NodeKind::kHandOver, inst.id);
    if (way == AcrossBlocks::LAST_BLOCK) last.push_back(inst.id);
  }
  while (!last.empty()) {
    const ir::InstId first = last.front();
    int end = -1;
    std::vector<ir::InstId> others;
    for (const ir::InstId id : last) {
      if (id != first && !ir::Meet(function, id, first)) {
        others.push_back(id);
        continue;
      }
      const ir::InstId init = function.comm(function.inst(id).init).producer;
      const int around =
          tree.CommonAncestor(tree.node_of_inst[id.index()], tree.node_of_inst[init.index()]);
      if (tree.node(around).kind != NodeKind::kBlock) {
        return "the last block of " + function.inst(id).name() + " is known inside of a loop";
      }
      const int own = ChildOfBlock(tree, EndOf(tree, function.inst(id)));
      const std::vector<int>& body = tree.node(tree.node(own).parent).children;
      if (end < 0 || std::ranges::find(body, own) > std::ranges::find(body, end)) end = own;
    }
    // Behind what is handed over there.
    const std::vector<int>& body = tree.node(tree.node(end).parent).children;
    for (auto next = std::ranges::find(body, end) + 1; next != body.end(); ++next) {
      if (tree.node(*next).kind != NodeKind::kHandOver) break;
      end = *next;
    }
    InsertBehind(tree, end, NodeKind::kLastBlock, first);
    last = std::move(others);
  }
  return "";
}

}  // namespace

LoopTreeResult BuildLoopTree(const ir::Function& function, const Schedule& schedule) {
  Forest forest = BuildForest(function, schedule);
  if (!forest.error.empty()) return {std::nullopt, forest.error};
  LoopTree tree;
  ThreadAxes threads = AssignThreadAxes(function, schedule, forest.classes);
  tree.axes = std::move(threads.axes);
  tree.layouts = std::move(threads.layouts);
  std::string error = threads.error;
  if (error.empty()) error = NestingCheck(function, forest, tree.axes).Run();
  if (!error.empty()) return {std::nullopt, error};

  tree.classes = forest.classes;
  tree.class_of_dim = forest.class_of_dim;
  tree.node_of_inst.assign(function.insts.size(), -1);
  for (const ThreadLayout& layout : tree.layouts) {
    tree.num_threads = std::max(tree.num_threads, layout.threads);
  }
  std::vector<ir::InstId> apart;  // All threads meet behind them.
  for (const ir::Instruction& inst : function.insts) {
    const AcrossBlocks way = schedule.across_blocks.Or(AcrossBlocks::NOT_ACROSS, inst.id);
    if (way == AcrossBlocks::LAST_BLOCK) apart.push_back(inst.id);
  }
  TreeBuilder(forest, apart, tree).Run();
  TurnRows(function, schedule, tree);
  error = AddCombines(function, tree);
  AddLanes(function, tree);
  if (error.empty()) error = AddSplits(function, schedule, tree);
  if (!error.empty()) return {std::nullopt, error};
  for (const int c : tree.block_classes) tree.num_blocks *= tree.classes[Index(c)].size;
  return {std::move(tree), ""};
}

std::vector<int> LoopTree::ClassesAround(int index) const {
  std::vector<int> inner_first;
  for (int n = index; n >= 0; n = node(n).parent) {
    if (node(n).dim_class >= 0) inner_first.push_back(node(n).dim_class);
    const auto& band = node(n).thread_classes;
    inner_first.insert(inner_first.end(), band.rbegin(), band.rend());
  }
  return {inner_first.rbegin(), inner_first.rend()};
}

int LoopTree::CommonAncestor(int a, int b) const {
  std::vector<int> above;
  for (int n = a; n >= 0; n = node(n).parent) above.push_back(n);
  for (int n = b; n >= 0; n = node(n).parent) {
    if (std::find(above.begin(), above.end(), n) != above.end()) return n;
  }
  return 0;
}

bool LoopTree::InThreads(int index) const {
  for (int n = index; n >= 0; n = node(n).parent) {
    if (node(n).kind == NodeKind::kThreads) return true;
  }
  return false;
}

std::vector<int> LoopTree::SliceAxes(const ir::Instruction& reduction) const {
  std::vector<int> slices;
  for (const ir::DimId dim : reduction.reduce_dims) {
    const DimClass& dim_class = class_of(dim);
    if (dim_class.kind == DimKind::THREAD && dim_class.size > 1) slices.push_back(dim_class.axis);
  }
  return slices;
}

int LoopTree::LaneClass(const ir::Instruction& reduction) const {
  for (const ir::DimId dim : reduction.reduce_dims) {
    if (class_of(dim).kind == DimKind::VECTOR) return class_of_dim[dim.index()];
  }
  return -1;
}

std::vector<int> LoopTree::SplitClasses(const ir::Instruction& reduction) const {
  std::vector<int> split;
  for (const int c : block_classes) {
    const bool divides = std::ranges::any_of(
        reduction.reduce_dims, [&](ir::DimId dim) { return class_of_dim[dim.index()] == c; });
    if (divides) split.push_back(c);
  }
  return split;
}

std::string ToText(const ir::Function& function, const LoopTree& tree) {
  std::string out;
  AppendText(function, tree, 0, 0, out);
  return out;
}

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
#include "kernels/codegen/loops/ending_nodes.h"

#include <algorithm>
#include <vector>

namespace exh::kernels::codegen {
namespace {

std::size_t Index(int i) {
  return static_cast<std::size_t>(i);
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

/// The node that is the loop of a class around another one.
int LoopOfClass(const LoopTree& tree, int node, int dim_class) {
  while (tree.node(node).dim_class != dim_class) node = tree.node(node).parent;
  return node;
}

/// Where slices are lanes of a warp alone, they meet behind the outermost of the reduction's own
/// loops, wherever that is: shuffles need no barrier. Copies of a fragment's registers have nothing
/// else in them, so all that these have meet at once.
int EndOfLanes(const LoopTree& tree, const ir::Instruction& inst) {
  int end = tree.OutermostLoop(inst);
  for (int around = tree.node(end).parent; around >= 0; around = tree.node(around).parent) {
    const LoopNode& node = tree.node(around);
    const bool is_of_fragment = node.kind == NodeKind::kUnroll &&
                                tree.classes[Index(node.dim_class)].part != ir::FragmentPart::kNone;
    if (!is_of_fragment) break;
    end = around;
  }
  return end;
}

/// The slices of a reduction meet where all of its loops have ended. What begins it is in front of
/// these loops, so the node around both is the one in which they end. No thread dimension is around
/// it: one around both would have to be around the threads of the slices, too (bands_have_one_body,
/// threads.exh). Where the value is read while it runs, they meet in each iteration of that loop.
/// So do the slices of a scan in each iteration of its loops, behind its threads.
std::string AddCombines(const ir::Function& function, LoopTree& tree) {
  for (const ir::Instruction& inst : function.insts) {
    const int node = tree.node_of_inst[inst.id.index()];
    if (node < 0) continue;
    const std::vector<int> slices = tree.SliceAxes(inst);
    if (slices.empty()) continue;
    if (std::ranges::all_of(slices, [&](int axis) { return tree.IsOfLanes(axis); })) {
      InsertBehind(tree, EndOfLanes(tree, inst), NodeKind::kCombine, inst.id);
      continue;
    }
    const ir::InstId init = function.comm(inst.init).producer;
    int around = tree.CommonAncestor(node, tree.node_of_inst[init.index()]);
    if (inst.is_scan()) around = tree.node(tree.BandAround(node)).parent;
    if (tree.Runs(inst.id)) around = LoopOfClass(tree, node, tree.runs_in[inst.id.index()]);
    if (tree.InThreads(around)) {
      return "the slices of " + inst.name() + " end inside of other threads";
    }
    int child = node;
    while (tree.node(child).parent != around) child = tree.node(child).parent;
    InsertBehind(tree, child, NodeKind::kCombine, inst.id);
  }
  return "";
}

/// What lanes have of a reduction becomes one value as soon as its loops in a thread have ended:
/// whoever reads the value comes behind these. Where threads have slices of it, too, those meet
/// later.
void AddLanes(const ir::Function& function, LoopTree& tree) {
  for (const ir::Instruction& inst : function.insts) {
    if (tree.node_of_inst[inst.id.index()] < 0 || tree.LaneClass(inst) < 0) continue;
    InsertBehind(tree, tree.OutermostLoop(inst), NodeKind::kLanes, inst.id);
  }
}

/// The class of the loop in which each reduction is read while it runs.
void FindRunning(const ir::Function& function, const Schedule& schedule, LoopTree& tree) {
  tree.runs_in.assign(function.insts.size(), -1);
  for (const ir::Communication& comm : function.comms) {
    if (schedule.pace.Or(Pace::AFTER, comm.id) != Pace::RUNNING) continue;
    int loop = tree.class_of_dim[comm.running->loop.index()];
    // Blocks that divide the axis have a loop each.
    if (tree.classes[Index(loop)].kind == DimKind::BLOCK) {
      loop = tree.class_of_dim[comm.running->loop_of_block.index()];
    }
    tree.runs_in[comm.producer.index()] = loop;
  }
}

/// The node behind which all of the reduction has ended, in a block: where its slices have become
/// one value, or what its lanes have, or the outermost of its loops.
int EndOf(const LoopTree& tree, const ir::Instruction& inst) {
  for (const NodeKind kind : {NodeKind::kCombine, NodeKind::kRound, NodeKind::kLanes}) {
    for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
      const LoopNode& n = tree.nodes[node];
      if (n.kind == kind && n.inst == inst.id) return static_cast<int>(node);
    }
  }
  return tree.OutermostLoop(inst);
}

/// The same in each thread, where no Threads node is around.
void InsertForThreads(LoopTree& tree, int child, NodeKind kind, ir::InstId inst) {
  if (!tree.has_threads() || tree.InThreads(tree.node(child).parent)) {
    return InsertBehind(tree, child, kind, inst);
  }
  InsertBehind(tree, child, NodeKind::kThreads, {});
  LoopNode node;
  node.kind = kind;
  node.inst = inst;
  node.parent = static_cast<int>(tree.nodes.size()) - 1;
  tree.nodes[Index(node.parent)].children.push_back(node.parent + 1);
  tree.nodes.push_back(std::move(node));
}

/// What comes of a maximum that runs is corrected as soon as that has grown. Behind its loop it is
/// settled, or where blocks have met.
void AddCorrections(const ir::Function& function, LoopTree& tree) {
  for (const ir::Instruction& inst : function.insts) {
    const int node = tree.node_of_inst[inst.id.index()];
    if (node < 0 || !tree.Runs(inst.id)) continue;
    InsertForThreads(tree, EndOf(tree, inst), NodeKind::kCorrect, inst.id);
    if (!tree.SplitClasses(inst).empty()) continue;
    InsertForThreads(tree, LoopOfClass(tree, node, tree.runs_in[inst.id.index()]),
                     NodeKind::kSettle, inst.id);
  }
}

/// Is the node one that corrects sums, or settles them, or all threads that do so?
bool IsOfCorrections(const LoopTree& tree, int node) {
  const LoopNode& n = tree.node(node);
  if (n.kind == NodeKind::kThreads && n.layout < 0 && n.children.size() == 1) {
    return IsOfCorrections(tree, n.children.front());
  }
  return n.kind == NodeKind::kCorrect || n.kind == NodeKind::kSettle;
}

/// What matrix units have added up is rounded where the loops of the reduction have ended and it is
/// corrected, before anything else happens to it.
void AddRounds(const ir::Function& function, LoopTree& tree) {
  for (const ir::Instruction& inst : function.insts) {
    if (tree.node_of_inst[inst.id.index()] < 0 || !tree.IsUnit(inst)) continue;
    if (tree.SumType(function, inst) == ir::ComputeTypeOf(inst.type)) continue;
    int end = tree.OutermostLoop(inst);
    const std::vector<int>& body = tree.node(tree.node(end).parent).children;
    for (auto next = std::ranges::find(body, end) + 1; next != body.end(); ++next) {
      if (!IsOfCorrections(tree, *next)) break;
      end = *next;
    }
    InsertBehind(tree, end, NodeKind::kRound, inst.id);
  }
}

/// The child of the innermost block around a node that it is, or is in.
int ChildOfBlock(const LoopTree& tree, int node) {
  while (tree.node(tree.node(node).parent).kind != NodeKind::kBlock) node = tree.node(node).parent;
  return node;
}

/// … in the block: of one that is read while it runs, the loop that it runs in.
int BlockEndOf(const LoopTree& tree, const ir::Instruction& inst) {
  if (!tree.Runs(inst.id)) return EndOf(tree, inst);
  return LoopOfClass(tree, tree.node_of_inst[inst.id.index()], tree.runs_in[inst.id.index()]);
}

/// The blocks of a cluster meet behind all loops of the reduction. One that is read while it runs
/// has ended behind the loop that it runs in: what has come of it in a block is corrected then, and
/// after that the blocks meet for it.
void AddExchange(const ir::Instruction& inst, LoopTree& tree) {
  const int end = ChildOfBlock(tree, BlockEndOf(tree, inst));
  if (tree.Runs(inst.id)) {
    InsertForThreads(tree, end, NodeKind::kSettle, inst.id);
    InsertForThreads(tree, end, NodeKind::kCorrect, inst.id);
  }
  InsertBehind(tree, end, NodeKind::kExchange, inst.id);
  // Blocks of a cluster are neighbours.
  const int cluster = tree.SplitClasses(inst).front();
  std::ranges::stable_partition(tree.block_classes, [&](int c) { return c != cluster; });
}

/// What comes of a maximum is settled where all that meets with it has been made.
void SettleInSecondLaunch(const ir::Function& function, ir::InstId maximum, LoopTree& tree) {
  int end = -1, around = -1;
  const auto look = [&](const auto& self, int index) -> void {
    const LoopNode& n = tree.node(index);
    const bool meets =
        n.kind == NodeKind::kHandOver && (n.inst == maximum || ir::Meet(function, n.inst, maximum));
    if (meets) {
      end = index;
      around = around < 0 ? n.parent : tree.CommonAncestor(around, n.parent);
    }
    for (const int child : n.children) self(self, child);
  };
  look(look, 0);
  while (tree.node(end).parent != around) end = tree.node(end).parent;
  InsertForThreads(tree, end, NodeKind::kSettle, maximum);
}

/// What blocks have of a divided reduction, or its slices have become, is handed over where its
/// loops have ended. Those that meet by the last ticket do so behind all of them. (Atomic
/// operations are how the result is stored, and no nodes. Blocks of a scan look back where its
/// slices become one.)
std::string AddSplits(const ir::Function& function, const Schedule& schedule, LoopTree& tree) {
  std::vector<ir::InstId> divided, last, second;
  for (const ir::Instruction& inst : function.insts) {
    const int node = tree.node_of_inst[inst.id.index()];
    if (node < 0 || !inst.is_reduction() || tree.SplitClasses(inst).empty()) continue;
    divided.push_back(inst.id);
  }
  // What comes of a maximum is made one behind that: it is inserted first.
  std::ranges::stable_partition(divided, [&](ir::InstId id) { return !tree.Runs(id); });
  for (const ir::InstId id : divided) {
    const ir::Instruction& inst = function.inst(id);
    switch (schedule.across_blocks.Or(AcrossBlocks::NOT_ACROSS, id)) {
      case AcrossBlocks::NOT_ACROSS:
        return inst.name() + " is divided but NOT_ACROSS blocks";
      case AcrossBlocks::CLUSTER:
        AddExchange(inst, tree);
        break;
      case AcrossBlocks::LAST_BLOCK:
        last.push_back(id);
        InsertBehind(tree, BlockEndOf(tree, inst), NodeKind::kHandOver, id);
        break;
      case AcrossBlocks::SECOND_LAUNCH:
        if (tree.Runs(id)) second.push_back(id);
        InsertBehind(tree, BlockEndOf(tree, inst), NodeKind::kHandOver, id);
        break;
      case AcrossBlocks::LOOK_BACK:
        if (tree.SliceAxes(inst).empty()) {
          return "blocks divide " + inst.name() + ", and no threads";
        }
        break;
      default:  // By atomic operations.
        break;
    }
  }
  for (const ir::InstId id : second) SettleInSecondLaunch(function, id, tree);
  while (!last.empty()) {
    const ir::InstId first = last.front();
    int end = -1;
    std::vector<ir::InstId> others, running;
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
      if (tree.Runs(id)) running.push_back(id);
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
    const std::vector<int> behind = tree.node(tree.node(end).parent).children;
    const int meets = *(std::ranges::find(behind, end) + 1);
    for (const ir::InstId id : running) InsertForThreads(tree, meets, NodeKind::kSettle, id);
    last = std::move(others);
  }
  return "";
}

}  // namespace

std::string AddEndings(const ir::Function& function, const Schedule& schedule, LoopTree& tree) {
  FindRunning(function, schedule, tree);
  if (std::string error = AddCombines(function, tree); !error.empty()) return error;
  AddLanes(function, tree);
  AddCorrections(function, tree);
  AddRounds(function, tree);
  return AddSplits(function, schedule, tree);
}

}  // namespace exh::kernels::codegen

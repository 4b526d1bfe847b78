// SPDX-License-Identifier: MIT
#include "kernels/codegen/loops/loop_tree.h"

#include <algorithm>
#include <functional>
#include <set>

#include "kernels/codegen/loops/copy_nests.h"
#include "kernels/codegen/loops/ending_nodes.h"
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
  NestingCheck(const ir::Function& function, const Schedule& schedule, const Forest& forest,
               const ThreadAxes& threads)
      : function_(function),
        schedule_(schedule),
        forest_(forest),
        thread_axes_(threads.axes),
        lanes_(threads.lanes.empty() ? -1 : threads.lanes.front()) {}

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
      const bool is_copied =
          inner == DimKind::UNROLL || inner == DimKind::VECTOR || inner == DimKind::TENSOR;
      if (kind == DimKind::UNROLL && !is_copied) {
        Fail(NameOf(child) + " is inside UNROLL dim " + NameOf(item) + " but will not be unrolled");
      }
      if (kind == DimKind::VECTOR && inner != DimKind::VECTOR) {
        Fail(NameOf(child) + " is inside VECTOR dim " + NameOf(item) + " but is no VECTOR");
      }
      if (kind == DimKind::TENSOR && inner != DimKind::TENSOR) {
        Fail(NameOf(child) + " is inside TENSOR dim " + NameOf(item) + " but is no TENSOR");
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
    if (kind == DimKind::TENSOR) CheckFragment(item);
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

  void CheckFragment(int item) {
    const DimClass& dim_class = forest_.classes[Index(item)];
    const ir::Dimension& dim = function_.dim(dim_class.dims.front());
    if (dim_class.dims.size() > 1) Fail("TENSOR dim " + NameOf(item) + " is merged with another");
    if (dim.part == ir::FragmentPart::kNone) {
      return Fail("TENSOR dim " + NameOf(item) + " is part of no fragment");
    }
    if (dim_class.size != dim.fragment().size()) {
      Fail("TENSOR dim " + NameOf(item) + " has size " + std::to_string(dim_class.size));
    }
    if (schedule_.unit.Or(Unit::FMA, dim.unit) == Unit::FMA) {
      Fail("TENSOR dim " + NameOf(item) + " is of " + function_.inst(dim.unit).name() +
           ", which no matrix unit does");
    }
    for (const int child : forest_.children[Index(item)]) {
      if (!forest_.is_class(child) &&
          forest_.insts[Index(child) - forest_.classes.size()] != dim.inst) {
        Fail(NameOf(child) + " is inside TENSOR dim " + NameOf(item) + " of another instruction");
      }
    }
  }

  void CheckInst(ir::InstId id, int item) {
    const ir::Instruction& inst = function_.inst(id);
    const bool has_unit = schedule_.unit.Or(Unit::FMA, id) != Unit::FMA;
    for (const ir::DimId dim : inst.dims) {
      const bool is_part = has_unit && function_.dim(dim).part != ir::FragmentPart::kNone;
      const int c = forest_.class_of_dim[dim.index()];
      if (is_part && c >= 0 && Kind(c) != DimKind::TENSOR) {
        Fail(function_.dim(dim).name() + " is no TENSOR, but a matrix unit does " + inst.name());
      }
    }
    std::vector<int> around;
    for (int c = forest_.parent[Index(item)]; c >= 0; c = forest_.parent[Index(c)]) {
      around.push_back(c);
    }
    const auto is_tensor = [&](int c) { return Kind(c) == DimKind::TENSOR; };
    if (lanes_ >= 0 && std::ranges::any_of(around, is_tensor)) {
      for (const int c : around) {
        const int axis = forest_.classes[Index(c)].axis;
        if (axis >= 0 && thread_axes_[Index(axis)].layout != thread_axes_[Index(lanes_)].layout) {
          Fail(inst.name() + " has lanes in a layout of its own");
        }
      }
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
  const Schedule& schedule_;
  const Forest& forest_;
  const std::vector<ThreadAxis>& thread_axes_;
  const int lanes_;  ///< An axis of them; -1: there are none.
  std::string error_;
};

/// Turns items of the forest into nodes, folding bands of THREAD classes into Threads nodes.
class TreeBuilder {
 public:
  /// `apart`: instructions that share no Threads node with others around them. `copies`: those of
  /// them that all threads do together, each a part: there is no Threads node around loops around
  /// them.
  TreeBuilder(const Forest& forest, const std::vector<ir::InstId>& apart,
              const std::vector<ir::InstId>& copies, LoopTree& tree)
      : forest_(forest), apart_(apart), copies_(copies), tree_(tree) {}

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
      const bool has_copy = forest_.is_class(item) && HasAny(item, copies_);
      if (in_threads || HasThread(item) || IsBlock(item) || has_copy) {
        run = -1;
        AddItem(parent, item, in_threads);
      } else if (HasLanes(item)) {
        run = -1;
        AddLanes(parent, item);
      } else {
        const bool is_apart = HasAny(item, apart_);
        if (run < 0 || is_apart) run = AddNode(parent, NodeKind::kThreads);
        AddItem(run, item, true);
        if (is_apart) run = -1;
      }
    }
  }

  /// Do lanes of a warp share anything in it?
  bool HasLanes(int item) const {
    if (!forest_.is_class(item)) return tree_.in_lanes[InstOf(item).index()];
    const auto& children = forest_.children[Index(item)];
    return std::ranges::any_of(children, [&](int c) { return HasLanes(c); });
  }
  /// … everything?
  bool IsOfLanes(int item) const {
    if (!forest_.is_class(item)) return tree_.in_lanes[InstOf(item).index()];
    const auto& children = forest_.children[Index(item)];
    return std::ranges::all_of(children, [&](int c) { return IsOfLanes(c); });
  }
  ir::InstId InstOf(int item) const { return forest_.insts[Index(item) - forest_.classes.size()]; }

  /// Where no thread dimension is around what lanes share, the lanes are a band by themselves. It
  /// has nothing else in it: that may need barriers.
  void AddLanes(int parent, int item) {
    const bool is_copied =
        forest_.is_class(item) && forest_.classes[Index(item)].kind != DimKind::LOOP;
    if (!is_copied || !IsOfLanes(item)) return AddItem(parent, item, false);
    const int node = AddNode(parent, NodeKind::kThreads);
    AddLanesTo(node);
    AddItem(node, item, true);
  }
  void AddLanesTo(int node) {
    for (const int lanes : tree_.lane_classes) {
      tree_.nodes[Index(node)].thread_classes.push_back(lanes);
      tree_.nodes[Index(node)].layout = tree_.axes[Index(tree_.classes[Index(lanes)].axis)].layout;
    }
  }

  bool HasAny(int item, const std::vector<ir::InstId>& insts) const {
    if (!forest_.is_class(item)) return std::ranges::find(insts, InstOf(item)) != insts.end();
    const auto& children = forest_.children[Index(item)];
    return std::ranges::any_of(children, [&](int c) { return HasAny(c, insts); });
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
      case DimKind::TENSOR:  // The registers of it.
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
    const bool has_lanes = HasLanes(item);
    while (true) {
      tree_.nodes[Index(node)].thread_classes.push_back(item);
      tree_.nodes[Index(node)].layout = tree_.axes[Index(forest_.classes[Index(item)].axis)].layout;
      const auto& children = forest_.children[Index(item)];
      if (children.size() == 1 && HasThread(children.front())) {
        item = children.front();
        continue;
      }
      if (has_lanes) AddLanesTo(node);
      return AddChildren(node, children, true);
    }
  }

  const Forest& forest_;
  const std::vector<ir::InstId>&apart_, &copies_;
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
    if (text.empty()) text = "lanes";
    return text + ":" + std::to_string(k.size);
  };
  static constexpr const char* kNames[] = {
      "root",  "block",   "loop",    "unroll", "vector",    "threads",    "exec",    "lanes",
      "round", "combine", "correct", "settle", "hand_over", "last_block", "exchange"};
  std::string line(Index(depth) * 2, ' ');
  line += kNames[static_cast<std::size_t>(node.kind)];
  if (node.dim_class >= 0) line += " " + dim_class(node.dim_class);
  for (const int c : node.thread_classes) line += " " + dim_class(c);
  if (node.inst.valid()) line += " " + function.inst(node.inst).name();
  out += line + "\n";
  for (const int child : node.children) AppendText(function, tree, child, depth + 1, out);
}

/// An absent level, or registers of a tile.
bool IsNoRow(const DimClass& dim_class) {
  return dim_class.size == 1 || dim_class.part != ir::FragmentPart::kNone;
}

/// `walk` (dims.exh): the two innermost loops of unrolled copies around a reduction are rows and
/// columns, when nothing else is in them and each copy has a sum of its own. Then no copy needs
/// another one, and any order is right. Levels that are absent are no loops, and a matrix unit
/// takes the copies of its tile at once.
void TurnRows(const ir::Function& function, const Schedule& schedule, LoopTree& tree) {
  const auto unrolled_around = [&](int node) {
    do {
      node = tree.node(node).parent;
      const bool is_alone =
          tree.node(node).kind == NodeKind::kUnroll && tree.node(node).children.size() == 1;
      if (!is_alone) return -1;
    } while (IsNoRow(tree.classes[Index(tree.node(node).dim_class)]));
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

// The threads of a block are numbered once: its units have as many lanes.
static_assert(ir::ShapeOf(ir::MatrixUnit::kDmma).lanes == ir::kUnitLanes &&
              ir::ShapeOf(ir::MatrixUnit::kMma).lanes == ir::kUnitLanes &&
              ir::ShapeOf(ir::MatrixUnit::kImma).lanes == ir::kUnitLanes &&
              ir::ShapeOf(ir::MatrixUnit::kQmma).lanes == ir::kUnitLanes &&
              ir::ShapeOf(ir::MatrixUnit::kMmaChain).lanes == ir::kUnitLanes);

/// The digits of a lane's number that tell apart what lanes have of TENSOR dims, the outermost
/// first: each digit of a fragment is one of them, or several neighbours. None: there are no lanes.
std::vector<ir::LaneDigit> LaneDigits(const ir::Function& function, const Forest& forest) {
  std::set<std::uint32_t, std::greater<>> ends;
  std::uint32_t lanes = 1;
  for (const DimClass& dim_class : forest.classes) {
    if (dim_class.kind != DimKind::TENSOR) continue;
    const ir::MatrixUnit unit = function.dim(dim_class.dims.front()).matrix_unit;
    const ir::UnitShape& shape = ir::ShapeOf(unit);
    lanes = shape.lanes;
    for (const ir::Fragment& fragment :
         {shape.rows, shape.columns, shape.depth, shape.operand_columns}) {
      for (const ir::LaneDigit& digit : fragment.digits) {
        if (digit.count > 1) ends.insert({digit.stride, digit.stride * digit.count});
      }
    }
  }
  // Matrices are read by single bits (FragmentRead).
  const bool has_matrices = std::ranges::any_of(forest.classes, [&](const DimClass& dim_class) {
    if (dim_class.kind != DimKind::TENSOR) return false;
    const ir::MatrixUnit unit = function.dim(dim_class.dims.front()).matrix_unit;
    return unit == ir::MatrixUnit::kMmaChain || (ir::IsOfHalves(unit) && function.matrix_reads);
  });
  for (std::uint32_t bit = 1; has_matrices && bit < lanes; bit *= 2) ends.insert(bit);
  std::vector<ir::LaneDigit> digits;
  for (const std::uint32_t stride : ends) {
    if (stride < lanes) digits.push_back({lanes / stride, stride, 0});
    if (stride < lanes) lanes = stride;
  }
  return digits;
}

/// Lanes share what has TENSOR dims: classes of their own, and registers of what was a loop.
void ShareAmongLanes(const ir::Function& function, const ThreadAxes& threads, LoopTree& tree) {
  const int first = static_cast<int>(tree.classes.size());
  for (DimClass& dim_class : tree.classes) {
    if (dim_class.kind != DimKind::TENSOR) continue;
    const ir::Dimension& dim = function.dim(dim_class.dims.front());
    const ir::Fragment fragment = dim.fragment();
    tree.in_lanes[dim.inst.index()] = true;
    dim_class.kind = DimKind::UNROLL;
    dim_class.part = dim.part;
    dim_class.size = fragment.registers;
    dim_class.step = fragment.register_step;
    for (const ir::LaneDigit& digit : fragment.digits) {
      for (std::size_t i = 0; i < threads.lanes.size(); ++i) {
        const std::uint32_t stride = tree.axes[Index(threads.lanes[i])].stride;
        if (stride < digit.stride || stride >= digit.stride * digit.count) continue;
        dim_class.lanes.push_back(
            {first + static_cast<int>(i), digit.step * (stride / digit.stride)});
      }
    }
    std::ranges::sort(dim_class.lanes, {}, &LaneTerm::dim_class);
    std::vector<int>& own = tree.own_lanes[dim.inst.index()];
    for (const LaneTerm& term : dim_class.lanes) {
      if (std::ranges::find(own, term.dim_class) == own.end()) own.push_back(term.dim_class);
    }
    if (dim.unit == dim.inst) tree.has_unit[dim.inst.index()] = true;
  }
  for (const int axis : threads.lanes) {
    DimClass lanes;
    lanes.kind = DimKind::THREAD;
    lanes.axis = axis;
    lanes.size = tree.axes[Index(axis)].size;
    tree.lane_classes.push_back(static_cast<int>(tree.classes.size()));
    tree.classes.push_back(lanes);
  }
}

constexpr std::size_t kLaneBits = 5;  // Of the number of a lane.

/// What may be read by matrices: a temporary in shared memory with rows of 8 neighbours of a
/// fragment. Its steps are not filled in.
struct MatrixRows {
  FragmentRead read;  ///< Of the next copy, too, where there are two.
  bool is_there = false;
};

MatrixRows RowsOf(const ir::Function& function, const Schedule& schedule, const LoopTree& tree,
                  const ir::Instruction& inst) {
  if (inst.op != ir::Op::kTempLoad || tree.lane_classes.size() != kLaneBits) return {};
  const ir::MemBlock& block = function.block(inst.block);
  const ir::Communication& served = function.comm(block.comm);
  const bool is_of_halves = ir::IsHalf(block.type) && block.type == inst.type;
  if (!is_of_halves || !tree.IsUnit(function.inst(served.consumer))) return {};
  const Skew skew = schedule.skew.Or(Skew::PLAIN, block.id);
  if (schedule.mem_space(block.id) != MemSpace::SHARED || skew == Skew::PAD_4_BYTES) return {};
  MatrixRows rows;
  ir::LogicalDimId columns;
  ir::FragmentPart along = ir::FragmentPart::kNone;  // What the innermost axis is.
  for (const ir::AxisId id : block.axes) {
    const ir::Dimension& dim = function.dim(function.axis(id).load_dim);
    const int dim_class = tree.class_of_dim[dim.id.index()];
    const ir::FragmentPart part = tree.classes[Index(dim_class)].part;
    if (part == ir::FragmentPart::kDepth) rows.read.depth_class = dim_class;
    if (part == ir::FragmentPart::kRow) rows.read.rows_class = dim_class;
    if (part == ir::FragmentPart::kOperandColumn) columns = dim.logical;
    if (part == ir::FragmentPart::kOperandColumn && dim.fragment().size() != kMatrixRow) return {};
    if (schedule.rank(block.id, id) == 1) along = part;
  }
  const bool is_first = rows.read.rows_class >= 0;
  rows.read.is_turned = along != ir::FragmentPart::kDepth;
  // What is not turned, or is a first operand, was not measured: a device says so.
  if (!function.matrix_reads && (is_first || !rows.read.is_turned)) return {};
  rows.is_there =
      along != ir::FragmentPart::kNone && rows.read.depth_class >= 0 && is_first != columns.valid();
  for (const ir::AxisId id : block.axes) {
    const ir::Dimension& dim = function.dim(function.axis(id).load_dim);
    const int dim_class = tree.class_of_dim[dim.id.index()];
    const DimClass& of = tree.classes[Index(dim_class)];
    const bool are_columns = dim.inst == inst.id && of.kind == DimKind::UNROLL &&
                             of.part == ir::FragmentPart::kNone && of.size % 2 == 0;
    const std::uint32_t rank = schedule.rank(block.id, id);
    // Of rows that go along the depth any copies will do.
    const bool are_next = rows.read.is_turned ? rank == 2 : rank > 0 && dim.logical == columns;
    if (!is_first && are_columns && are_next) rows.read.copies_class = dim_class;
  }
  return rows;
}

/// Which row each lane says; `is_alone`: the other operand of the product is read lane by lane.
FragmentRead StepsOf(FragmentRead read, bool is_alone) {
  using Steps = std::array<std::int64_t, kLaneBits>;
  if (read.rows_class < 0) {
    read.depth_steps = !read.is_turned ? Steps{0, 8, 0, 0, 0}
                       : is_alone      ? Steps{0, 2, 8, 4, 1}
                                       : Steps{0, 8, 4, 2, 1};
    if (!read.is_turned) read.across_steps = {0, 0, 4, 2, 1};
    return read;
  }
  read.depth_steps = !read.is_turned ? Steps{8, 0, 0, 0, 0}
                     : is_alone      ? Steps{2, 0, 8, 4, 1}
                                     : Steps{8, 0, 4, 2, 1};
  read.across_steps = read.is_turned ? Steps{0, 8, 0, 0, 0} : Steps{0, 8, 4, 2, 1};
  return read;
}

/// What is read by matrices: both operands of a product, or one that is turned.
void FindMatrixReads(const ir::Function& function, const Schedule& schedule, LoopTree& tree) {
  tree.reads.resize(function.insts.size());
  for (const ir::Instruction& product : function.insts) {
    if (!schedule.InStatements(product.id) || !tree.IsUnit(product) || tree.IsGroup(product)) {
      continue;
    }
    std::vector<std::pair<ir::InstId, FragmentRead>> found;
    std::size_t operands = 0;
    for (const ir::Communication& comm : function.comms) {
      if (comm.consumer != product.id || comm.is_init || comm.planned) continue;
      ++operands;
      if (!comm.lowered || !schedule.InBlocks(comm.lowered->block)) continue;
      const ir::Instruction& load = function.inst(function.block(comm.lowered->block).load);
      const MatrixRows rows = RowsOf(function, schedule, tree, load);
      if (rows.is_there) found.emplace_back(load.id, rows.read);
    }
    const bool is_alone = found.size() < operands;
    for (const auto& [load, read] : found) {
      if (is_alone && !read.is_turned) continue;
      tree.reads[load.index()] = StepsOf(read, is_alone);
    }
  }
}

/// The operands that groups of warps take where they are.
void FindGroups(const ir::Function& function, const Schedule& schedule, LoopTree& tree) {
  tree.group_operands.resize(function.insts.size());
  tree.stays_in_place.assign(function.insts.size(), false);
  tree.is_in_bulk.assign(function.insts.size(), false);
  for (const ir::MemBlock& block : function.blocks) {
    if (!schedule.InBlocks(block.id)) continue;
    const ir::Communication& served = function.comm(block.comm);
    const ir::Instruction& product = function.inst(served.consumer);
    const bool is_group = schedule.unit.Or(Unit::FMA, product.id) == Unit::WGMMA;
    if (!is_group || served.is_init || !tree.IsUnit(product)) continue;
    tree.group_operands[product.id.index()].push_back(block.id);
    tree.stays_in_place[block.load.index()] = true;
    const bool is_in_bulk = schedule.transfer.Or(Transfer::REGISTERS, block.id) == Transfer::TMA;
    tree.is_in_bulk[served.producer.index()] = tree.is_in_bulk[block.store.index()] = is_in_bulk;
  }
}

}  // namespace

LoopTreeResult BuildLoopTree(const ir::Function& function, const Schedule& schedule,
                             TensorForm form) {
  Forest forest = BuildForest(function, schedule);
  if (!forest.error.empty()) return {std::nullopt, forest.error};
  LoopTree tree;
  std::vector<ir::LaneDigit> lanes;
  if (form == TensorForm::kLanes) lanes = LaneDigits(function, forest);
  const ThreadAxes threads = AssignThreadAxes(function, schedule, lanes, forest.classes);
  tree.axes = threads.axes;
  tree.layouts = threads.layouts;
  std::string error = threads.error;
  if (error.empty()) error = NestingCheck(function, schedule, forest, threads).Run();
  if (!error.empty()) return {std::nullopt, error};

  tree.classes = forest.classes;
  tree.in_lanes.assign(function.insts.size(), false);
  tree.has_unit.assign(function.insts.size(), false);
  tree.own_lanes.resize(function.insts.size());
  if (!lanes.empty()) ShareAmongLanes(function, threads, tree);
  for (DimClass& dim_class : tree.classes) {
    if (dim_class.kind == DimKind::TENSOR) dim_class.kind = DimKind::UNROLL;
  }
  tree.class_of_dim = forest.class_of_dim;
  tree.node_of_inst.assign(function.insts.size(), -1);
  FindGroups(function, schedule, tree);
  FindMatrixReads(function, schedule, tree);
  for (const ThreadLayout& layout : tree.layouts) {
    tree.num_threads = std::max(tree.num_threads, layout.threads);
  }
  std::vector<ir::InstId> apart, copies;  // All threads meet behind them.
  for (const ir::Instruction& inst : function.insts) {
    const AcrossBlocks way = schedule.across_blocks.Or(AcrossBlocks::NOT_ACROSS, inst.id);
    const bool is_copy = inst.op == ir::Op::kWindow;
    if (is_copy) copies.push_back(inst.id);
    const bool meets = way == AcrossBlocks::LAST_BLOCK || way == AcrossBlocks::CLUSTER;
    if (is_copy || meets) apart.push_back(inst.id);
  }
  TreeBuilder(forest, apart, copies, tree).Run();
  SplitCopyNests(function, schedule, tree);
  TurnRows(function, schedule, tree);
  error = AddEndings(function, schedule, tree);
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

int LoopTree::BandAround(int index) const {
  while (index >= 0 && node(index).layout < 0) index = node(index).parent;
  return index;
}

int LoopTree::LoopAround(int index) const {
  for (int n = node(index).parent; n >= 0; n = node(n).parent) {
    if (node(n).kind == NodeKind::kLoop && classes[Index(node(n).dim_class)].size > 1) return n;
  }
  return -1;
}

int LoopTree::OutermostLoop(const ir::Instruction& reduction) const {
  const int own = node_of_inst[reduction.id.index()];
  int outermost = own;
  for (int index = node(own).parent; index >= 0; index = node(index).parent) {
    const LoopNode& n = node(index);
    if (n.dim_class >= 0 && n.dim_class == runs_in[reduction.id.index()]) break;
    const bool reduces = std::ranges::any_of(reduction.reduce_dims, [&](ir::DimId dim) {
      return class_of_dim[dim.index()] == n.dim_class;
    });
    if (reduces && n.kind != NodeKind::kBlock) outermost = index;
  }
  return outermost;
}

std::vector<int> LoopTree::OwnAxes(const ir::Instruction& inst) const {
  std::vector<int> own;
  for (const ir::DimId dim : inst.dims) {
    if (class_of(dim).axis >= 0) own.push_back(class_of(dim).axis);
  }
  for (const int lanes : own_lanes[inst.id.index()]) own.push_back(classes[Index(lanes)].axis);
  return own;
}

bool LoopTree::IsOfLanes(int axis) const {
  return std::ranges::any_of(lane_classes,
                             [&](int lanes) { return classes[Index(lanes)].axis == axis; });
}

std::vector<int> LoopTree::SliceAxes(const ir::Instruction& reduction) const {
  std::vector<int> slices;
  for (const ir::DimId dim : reduction.reduce_dims) {
    const DimClass& dim_class = class_of(dim);
    if (dim_class.kind == DimKind::THREAD && dim_class.size > 1) slices.push_back(dim_class.axis);
    if (IsUnit(reduction)) continue;
    for (const LaneTerm& lanes : dim_class.lanes) {
      slices.push_back(classes[Index(lanes.dim_class)].axis);
    }
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

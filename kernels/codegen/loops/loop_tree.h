// SPDX-License-Identifier: MIT
//
// The loop tree of an implementation: statements folded into nested loops by the `order` matrix.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/codegen/loops/schedule.h"
#include "kernels/ir/device.h"

namespace exh::kernels::codegen {

/// Lanes that have different iterations of a TENSOR dim.
struct LaneTerm {
  int dim_class = -1;     ///< Of a digit of their number: THREAD, of no dim.
  std::int64_t step = 0;  ///< From one lane to the next.

  friend bool operator==(const LaneTerm&, const LaneTerm&) = default;
};

/// A class of MERGED dims: one loop, of one kind and size.
struct DimClass {
  std::vector<ir::DimId> dims;  ///< By number; the first one names the class.
  DimKind kind = DimKind::LOOP;
  std::uint32_t size = 1;
  int axis = -1;  ///< THREAD: its hardware axis.
  /// Of a TENSOR dim that lanes share: the class has the registers of a lane, as an UNROLL, and the
  /// dim's iteration is step * index, and the step of each of `lanes` times its index (AddDim,
  /// memory/affine.h).
  ir::FragmentPart part = ir::FragmentPart::kNone;
  std::int64_t step = 1;
  std::vector<LaneTerm> lanes;

  /// Have lanes and registers the same iterations of both?
  bool HasLanesOf(const DimClass& other) const {
    return lanes == other.lanes && step == other.step && size == other.size;
  }
};

/// A hardware thread axis: THREAD classes that are MAPPED on each other.
struct ThreadAxis {
  std::uint32_t size = 1;
  std::uint32_t stride = 1;  ///< Its index is thread / stride % size.
  int layout = 0;            ///< Which of LoopTree::layouts it is an axis of.

  std::uint32_t IndexOf(std::uint32_t thread) const { return thread / stride % size; }
};

/// One way of dividing the linear thread index into axes. Threads beyond the product of its axes
/// repeat the work of the first ones, or idle.
struct ThreadLayout {
  std::uint32_t threads = 1;  ///< Product of its axes.
  /// Lanes of a warp along the second innermost axis, if more than 1 (places.exh): a warp is then
  /// ir::kWarpLanes / patch by patch threads, and `row` is the innermost axis.
  std::uint32_t patch = 1, row = 1;

  std::uint32_t columns() const { return ir::kWarpLanes / patch; }
  /// Which thread of the layout the block's `thread` is. Whole rows of patches change places
  /// within.
  std::uint32_t PlaceOf(std::uint32_t thread) const {
    if (patch == 1) return thread;
    const std::uint32_t rows = patch * row, warp = thread % rows / ir::kWarpLanes;
    return thread / rows * rows + thread % ir::kWarpLanes / columns() * row + warp * columns() +
           thread % columns();
  }
};

/// How lanes get halves of an operand of a matrix unit from shared memory. Rows of 8 neighbours
/// each are matrices of 8 x 8, several at once: lane l says where row l % 8 of matrix l / 8 is. As
/// they are, each lane gets two neighbours of row g = l / 4, those in columns 2 q and 2 q + 1, q =
/// l % 4; *turned*, it gets those of rows 2 q and 2 q + 1 in column g. So rows that go along the
/// depth are read as they are, and those that go across are turned.
///
/// Where both operands come so, a lane has of the depth what the hardware says: 2 q and 2 q + 1 of
/// either half. A tile's sum does not ask in which order its terms come. Where one operand alone
/// does, it is turned, and has the order that the other one has (kernels/ir/fragments.h): rows 4 q,
/// 4 q + 1 of the tile in the one matrix and 4 q + 2, 4 q + 3 in the other one.
///
/// Two matrices are a fragment of the second operand; the other two are that of the next copy of
/// its columns. Four are one of the first operand, whose rows have two registers.
struct FragmentRead {
  int depth_class = -1;   ///< Registers along the depth; -1: it is read as everything else.
  int copies_class = -1;  ///< Copies of which two are read at once; -1: one is.
  int rows_class = -1;    ///< Of a first operand: registers of its rows; -1: it is the second.
  bool is_turned = true;
  /// How far from the first row of a tile the one is that a lane says, by bit of its number, the
  /// highest first: along the depth, and along rows or columns.
  std::array<std::int64_t, 5> depth_steps = {}, across_steps = {};
};
/// Elements of a row.
inline constexpr std::uint32_t kMatrixRow = 8;

enum class NodeKind : std::uint8_t {
  kRoot,
  kBlock,  ///< Work items: the outermost loops, perfectly nested.
  kLoop,
  kUnroll,   ///< The body is written `size` times.
  kVector,   ///< One vector operation per instruction inside.
  kThreads,  ///< The body runs once per thread of the block; a barrier follows.
  kExec,     ///< One instruction.
  kLanes,    ///< What lanes have of a reduction becomes one value, in each thread.
  kRound,    ///< Sums of a matrix unit are rounded to the type of the reduction's value.
  /// The slices of a reduction, each a thread's, become its value in all of them; each slice of a
  /// scan begins where the one before it ends, and the first one where the block before ends.
  kCombine,
  kCorrect,    ///< What has come of a maximum that runs is corrected where that has grown.
  kSettle,     ///< … and is NaN where that is still infinitely low at its end.
  kHandOver,   ///< What the block has of a divided reduction goes to the others (across.exh).
  kLastBlock,  ///< The block with the last ticket makes one value of all, of several reductions.
  kExchange,   ///< The blocks of a cluster make one value of what they have, each for itself.
};

struct LoopNode {
  NodeKind kind = NodeKind::kRoot;
  int dim_class = -1;               ///< kBlock, kLoop, kUnroll, kVector.
  std::vector<int> thread_classes;  ///< kThreads: the band of THREAD classes, outermost first.
  int layout = -1;                  ///< kThreads: that of the band; -1: no band.
  /// kExec; kLanes, kRound, kCombine, kCorrect, kSettle, kHandOver, kExchange: the reduction;
  /// kLastBlock: one of those that meet.
  ir::InstId inst;
  int parent = -1;
  std::vector<int> children;  ///< In order of execution.
  /// kThreads: every thread has finished the Threads node before, in the same body. Always so in
  /// correct code; the seeded fault kMissingBarrier takes it away.
  bool barrier_before = true;
  /// kUnroll: in every other copy of this class around it the copies stand in reverse; -1: never.
  int turns_with = -1;
};

/// What TENSOR dims become.
enum class TensorForm : std::uint8_t {
  kLanes,  ///< Lanes of a warp, and registers of each.
  kLoops,  ///< Unrolled loops: a thread does what a warp does elsewhere. So numbers are the same.
};

struct LoopTree {
  std::vector<DimClass> classes;
  std::vector<int> class_of_dim;  ///< By dim; -1: not active.
  std::vector<LoopNode> nodes;    ///< nodes[0] is the root.
  std::vector<int> node_of_inst;  ///< By instruction; -1: not active.
  /// By instruction: the class of the loop that the reduction is read in while it runs; -1: it is
  /// not.
  std::vector<int> runs_in;
  std::vector<ThreadAxis> axes;  ///< By layout, in each outermost (slowest) first.
  std::vector<ThreadLayout> layouts;
  std::uint32_t num_threads = 1;   ///< Of a block: what the largest layout needs.
  std::uint64_t num_blocks = 1;    ///< Product of the BLOCK classes.
  std::vector<int> block_classes;  ///< Outermost first.
  /// Where lanes share something: the classes of the digits of their number, the outermost first,
  /// whose axes are the innermost ones of their layout, and by instruction whether it is shared
  /// among lanes.
  std::vector<int> lane_classes;
  std::vector<bool> in_lanes;
  std::vector<bool> has_unit;  ///< By instruction: a matrix unit does the reduction.
  /// By instruction: those of `lane_classes` along which lanes have different parts of it.
  std::vector<std::vector<int>> own_lanes;
  /// By instruction: it reads its fragment by matrices (FragmentRead).
  std::vector<FragmentRead> reads;
  /// By instruction: the temporaries whose operands a group of warps takes where they are, where it
  /// does the reduction (memory/group_plan.h); …
  std::vector<std::vector<ir::MemId>> group_operands;
  /// … and what would read them: it does nothing.
  std::vector<bool> stays_in_place;
  /// By instruction: bulk copies do what it and the loops around it say (memory/bulk_copy.h).
  std::vector<bool> is_in_bulk;

  bool has_threads() const { return !axes.empty(); }
  const DimClass& class_of(ir::DimId dim) const {
    return classes[static_cast<std::size_t>(class_of_dim[dim.index()])];
  }
  const LoopNode& node(int index) const { return nodes[static_cast<std::size_t>(index)]; }
  /// Classes around a node (its own included), outermost first.
  std::vector<int> ClassesAround(int node) const;
  /// Innermost node that contains both.
  int CommonAncestor(int a, int b) const;
  /// Does the node lie inside a Threads node (or is it one)?
  bool InThreads(int node) const;
  /// The band that the node is, or is in; -1: none.
  int BandAround(int node) const;
  /// The innermost loop of several iterations around a node, or -1.
  int LoopAround(int node) const;
  bool has_lanes() const { return !lane_classes.empty(); }
  /// The hardware axes along which threads have iterations of the instruction of their own. (Of the
  /// lanes that share a product each has its own part of it.)
  std::vector<int> OwnAxes(const ir::Instruction& inst) const;
  /// Is it an axis of the lanes that share something?
  bool IsOfLanes(int axis) const;
  /// Does a matrix unit do the reduction, with the lanes of warps?
  bool IsUnit(const ir::Instruction& inst) const {
    return has_lanes() && has_unit[inst.id.index()];
  }
  /// Is that a group of warps, with operands in shared memory?
  bool IsGroup(const ir::Instruction& inst) const {
    return has_lanes() && !group_operands[inst.id.index()].empty();
  }
  /// What the steps of a reduction add up in: what its registers are, or what the sums of its
  /// matrix unit are.
  ir::Type SumType(const ir::Function& function, const ir::Instruction& reduction) const {
    if (!IsUnit(reduction)) return ir::ComputeTypeOf(reduction.type);
    return ir::SumsOf(ir::UnitOf(function, reduction));
  }
  bool Runs(ir::InstId reduction) const { return runs_in[reduction.index()] >= 0; }
  /// The outermost of the loops that the reduction has for itself, copies and lanes among them, but
  /// that in which it is read while it runs; its own node if there is none.
  int OutermostLoop(const ir::Instruction& reduction) const;
  /// The hardware axes along which threads have slices of the reduction: those of its THREAD
  /// dimensions that it reduces over, and of the lanes that share one of these, where it is not
  /// what a matrix unit does.
  std::vector<int> SliceAxes(const ir::Instruction& reduction) const;
  /// The VECTOR class whose lanes each have a part of the reduction; -1: none.
  int LaneClass(const ir::Instruction& reduction) const;
  /// The BLOCK classes that divide the reduction, outermost first.
  std::vector<int> SplitClasses(const ir::Instruction& reduction) const;
};

/// Calls `action(copy)` for each copy of the body of an unrolled node, in the order in which they
/// run. `copy_of(dim_class)` is the copy of an unrolled node around it that is being written.
template <typename CopyOf, typename Action>
void ForEachCopy(const LoopTree& tree, const LoopNode& node, const CopyOf& copy_of,
                 const Action& action) {
  const std::uint32_t size = tree.classes[static_cast<std::size_t>(node.dim_class)].size;
  const bool backwards = node.turns_with >= 0 && copy_of(node.turns_with) % 2 == 1;
  for (std::uint32_t step = 0; step < size; ++step) action(backwards ? size - 1 - step : step);
}

/// Either a tree or the sentence that says why the schedule is none.
struct LoopTreeResult {
  std::optional<LoopTree> tree;
  std::string error;
};

/// Folds a schedule into its tree. The schedule is refused when its order relation is not an
/// ordered forest, or when kinds are nested in a way that has no meaning: see CheckNesting in the
/// source for the list.
LoopTreeResult BuildLoopTree(const ir::Function& function, const Schedule& schedule,
                             TensorForm form = TensorForm::kLanes);

/// The tree as indented text, one node a line; for tests and for people.
std::string ToText(const ir::Function& function, const LoopTree& tree);

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
//
// Nodes are placed from the outputs to the inputs, so that all places which read a node are known
// when it is its turn. A place is a block, and stands for the loops around it.
//
// A reduction is computed outside of all loops that its value does not depend on. The loops around
// what reads it, from the outside: as long as they are over axes of the value, it is computed
// inside. Behind the first one that is not, other axes of the value may follow; these the value
// needs an array for, and loops of its own. So each value is computed once, and its array is as
// small as the order of the loops allows. Reductions at one place over the same axes, none of which
// needs another's value, share their loops.
//
// A scan has its value at each point of the axis that it goes along. It is computed as if it were
// reduced over that axis, and has an array for what comes on the way. Where the innermost loop
// over an output's axes is the one that it goes along, it needs none: it runs in that loop, and
// what has taken its step is read there, or what is about to.
//
// An elementwise value is computed where it is read. It has an array of its own only if otherwise
// a value that it reads would have one of the same axes: that one then needs none.
//
// Items of a block: those with reductions of a lower level first. A reduction has a level above
// those of all that it reads, so whatever is read was computed, and reductions of one level never
// need each other.
#include "kernels/derived/sources/loop_nest.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "kernels/derived/sources/op_text.h"

namespace exh::kernels::derived {
namespace {

using Item = LoopNest::Item;
using Place = LoopNest::Place;
constexpr int kLast = std::numeric_limits<int>::max();

bool Contains(const std::vector<int>& list, int x) {
  return std::ranges::find(list, x) != list.end();
}

class Planner {
 public:
  Planner(const Expression& expression, bool scans_run)
      : e_(expression), scans_run_(scans_run), reads_(e_.nodes.size()), level_(e_.nodes.size(), 0) {
    nest_.places.resize(e_.nodes.size());
    AddBlock(-1, -1);
    for (int i = 0; i < static_cast<int>(e_.nodes.size()); ++i) {
      level_[static_cast<std::size_t>(i)] = LevelOf(i);
      is_made_of_reduction_.push_back(IsMadeOfReduction(i));
    }
  }

  LoopNest Plan() {
    for (const int output : e_.outputs) PlaceOutput(output);
    for (int i = static_cast<int>(e_.nodes.size()) - 1; i >= 0; --i) {
      const Expression::Node& node = e_.node(i);
      if (node.op == ir::Op::kStore || Reads(i).empty()) continue;
      node.is_scan() ? PlaceScan(i) : node.is_reduction() ? PlaceReduction(i) : PlaceElementwise(i);
    }
    for (std::size_t block = 0; block < drafts_.size(); ++block) {
      std::ranges::sort(drafts_[block], {}, &Draft::key);
      for (const Draft& draft : drafts_[block]) nest_.blocks[block].items.push_back(draft.item);
    }
    return std::move(nest_);
  }

 private:
  /// A block in which a node is read, and how often the text there has it.
  struct Read {
    int block, times;
  };
  /// Ordered by level; then reductions before what is elementwise; then by node; then by step.
  using Key = std::array<int, 4>;
  struct Draft {
    Key key;
    Item item;
  };
  struct Group {  ///< Reductions that share their loops.
    int home, level, number, innermost;
    std::vector<int> reduced;
  };

  std::vector<Read>& Reads(int node) { return reads_[static_cast<std::size_t>(node)]; }
  int Level(int node) const { return level_[static_cast<std::size_t>(node)]; }

  int AddBlock(int parent, int axis) {
    nest_.blocks.push_back({parent, axis, false, false, {}});
    drafts_.emplace_back();
    return static_cast<int>(nest_.blocks.size()) - 1;
  }
  void Add(int block, const Key& key, Item::Kind kind, int what) {
    drafts_[static_cast<std::size_t>(block)].push_back({key, {kind, what}});
  }
  /// Loops over all axes, the outermost with this key in `home`; the innermost.
  int AddLoops(int home, const Key& key, const std::vector<int>& axes) {
    int block = home;
    for (const int axis : axes) {
      const int inner = AddBlock(block, axis);
      Add(block, block == home ? key : Key{kLast, 0, 0, 0}, Item::Kind::kLoop, inner);
      block = inner;
    }
    return block;
  }

  template <typename Visit>
  void ForEachInput(const Expression::Node& node, const Visit& visit) const {
    for (const Expression::Input& input : node.inputs) {
      if (!input.is_number()) visit(input.node);
    }
    if (node.index >= 0) visit(node.index);
  }

  int LevelOf(int index) const {
    const Expression::Node& node = e_.node(index);
    int level = node.init >= 0 ? Level(node.init) : 0;
    ForEachInput(node, [&](int input) { level = std::max(level, Level(input)); });
    return level + (node.accumulates() ? 1 : 0);
  }

  /// From block 0 to this one.
  std::vector<int> Path(int block) const {
    std::vector<int> path;
    for (; block >= 0; block = nest_.block(block).parent) path.push_back(block);
    std::ranges::reverse(path);
    return path;
  }

  /// The innermost block that a value of these axes can be computed in for all that read it.
  int Home(const std::vector<int>& axes, const std::vector<Read>& reads) const {
    std::vector<int> common = Path(reads.front().block);
    for (const Read& read : reads) {
      const std::vector<int> path = Path(read.block);
      const auto end = std::ranges::mismatch(common, path).in1;
      common.erase(end, common.end());
    }
    int home = 0;
    for (const int block : common) {
      if (block != 0 && !Contains(axes, nest_.block(block).axis)) break;
      home = block;
    }
    return home;
  }

  /// Those of the axes that have no loop around the block.
  std::vector<int> Without(std::vector<int> axes, int block) const {
    for (; block > 0; block = nest_.block(block).parent) std::erase(axes, nest_.block(block).axis);
    return axes;
  }

  void ReadInputs(int index, int block) {
    const int times = RepeatsOperands(e_.node(index).op) ? 2 : 1;
    ForEachInput(e_.node(index), [&](int input) { Reads(input).push_back({block, times}); });
  }

  void PlaceOutput(int index) {
    const std::vector<int> own = ScannedLast(e_.node(index).axes);
    int leaf = 0;
    for (const auto& [axes, block] : outputs_) {
      if (axes == own) leaf = block;
    }
    if (leaf == 0 && !own.empty()) {
      const int first = static_cast<int>(nest_.blocks.size());
      leaf = AddLoops(0, {kLast, 0, index, 0}, own);
      for (int block = first; block <= leaf; ++block) {
        nest_.blocks[static_cast<std::size_t>(block)].is_of_output = true;
      }
      outputs_.emplace_back(own, leaf);
    }
    Add(leaf, {kLast, 1, index, 0}, Item::Kind::kStore, index);
    ReadInputs(index, leaf);
  }

  std::vector<int> ScannedLast(std::vector<int> axes) const {
    std::ranges::stable_partition(axes, [&](int axis) {
      return std::ranges::none_of(e_.nodes, [&](const auto& node) { return node.along == axis; });
    });
    return axes;
  }

  void PlaceScan(int index) {
    const Expression::Node& node = e_.node(index);
    std::vector<int> others = node.axes;
    std::erase(others, node.along);
    const int home = Home(others, Reads(index));
    const std::vector<int> own = Without(others, home);
    const bool is_before = node.keeps == ir::Keeps::kBefore;
    const Key begin = {Level(index), 0, index, 0};
    if (const int loop = LoopOfScan(index, home); own.empty() && loop >= 0) {
      nest_.places[static_cast<std::size_t>(index)].kind = Place::Kind::kSum;
      nest_.blocks[static_cast<std::size_t>(loop)].has_scans = true;
      Add(home, begin, Item::Kind::kBegin, index);
      // The last ones that are read go on first: they may read others.
      Add(loop, is_before ? Key{kLast, 2, -index, 0} : begin, Item::Kind::kAccumulate, index);
      Reads(node.init).push_back({home, 1});
      ReadInputs(index, loop);
      return;
    }
    std::vector<int> axes = own;
    axes.push_back(node.along);
    nest_.places[static_cast<std::size_t>(index)] = {Place::Kind::kArray, axes};
    const int block = AddLoops(home, begin, own);
    const int loop = AddLoops(block, {Level(index), 0, index, 1}, {node.along});
    Add(block, begin, Item::Kind::kBegin, index);
    Add(loop, {kLast, 0, index, is_before ? 1 : 0}, Item::Kind::kAccumulate, index);
    Add(loop, {kLast, 0, index, is_before ? 0 : 1}, Item::Kind::kKeep, index);
    Reads(node.init).push_back({block, 1});
    ReadInputs(index, loop);
  }

  /// The innermost loop over the axes of an output in which all that read the scan are, if it is
  /// one right in `home` that the scan may run in; else -1.
  int LoopOfScan(int index, int home) const {
    if (!scans_run_) return -1;
    for (const auto& [axes, leaf] : outputs_) {
      const LoopNest::Block& block = nest_.block(leaf);
      if (block.parent != home || block.axis != e_.node(index).along) continue;
      const auto is_inside = [&, leaf = leaf](const Read& read) {
        return Contains(Path(read.block), leaf);
      };
      if (std::ranges::all_of(reads_[static_cast<std::size_t>(index)], is_inside)) return leaf;
    }
    return -1;
  }

  void PlaceReduction(int index) {
    const Expression::Node& node = e_.node(index);
    const int home = Home(node.axes, Reads(index));
    const std::vector<int> own = Without(node.axes, home);
    Place& place = nest_.places[static_cast<std::size_t>(index)];
    place.kind = own.empty() ? Place::Kind::kSum : Place::Kind::kArray;
    place.axes = own;
    const int block = AddLoops(home, {Level(index), 0, index, 0}, own);
    if (!own.empty()) Add(block, {kLast, 0, index, 0}, Item::Kind::kKeep, index);
    auto group = std::ranges::find_if(groups_, [&](const Group& other) {
      return other.home == block && other.level == Level(index) && other.reduced == node.reduced;
    });
    if (group == groups_.end()) {
      const Key key = {Level(index), 0, index, kLast};
      groups_.push_back(
          {block, Level(index), index, AddLoops(block, key, node.reduced), node.reduced});
      group = groups_.end() - 1;
    }
    Add(block, {Level(index), 0, group->number, index}, Item::Kind::kBegin, index);
    Add(group->innermost, {kLast, 0, index, 0}, Item::Kind::kAccumulate, index);
    Reads(node.init).push_back({block, 1});
    ReadInputs(index, group->innermost);
  }

  /// Is it made of a reduction's value, point for point, by elementwise operations?
  bool IsMadeOfReduction(int index) const {
    const Expression::Node& node = e_.node(index);
    if (node.is_scan()) return false;
    bool is_made = false;
    ForEachInput(node, [&](int input) {
      const Expression::Node& read = e_.node(input);
      if (!std::ranges::is_permutation(read.axes, node.axes)) return;
      is_made =
          is_made || read.is_reduction() || is_made_of_reduction_[static_cast<std::size_t>(input)];
    });
    return is_made;
  }

  void PlaceElementwise(int index) {
    const Expression::Node& node = e_.node(index);
    const std::vector<Read>& reads = Reads(index);
    if (is_made_of_reduction_[static_cast<std::size_t>(index)]) {
      const int home = Home(node.axes, reads);
      const std::vector<int> own = Without(node.axes, home);
      if (!own.empty()) {
        nest_.places[static_cast<std::size_t>(index)] = {Place::Kind::kArray, own};
        const int block = AddLoops(home, {Level(index), 1, index, 0}, own);
        Add(block, {kLast, 0, index, 0}, Item::Kind::kKeep, index);
        ReadInputs(index, block);
        return;
      }
    }
    std::vector<int> blocks, named;
    for (const Read& read : reads) {
      if (!Contains(blocks, read.block)) blocks.push_back(read.block);
    }
    std::ranges::sort(blocks, {}, [&](int block) { return Path(block).size(); });
    for (const int block : blocks) {
      const std::vector<int> path = Path(block);
      if (std::ranges::any_of(named, [&](int outer) { return Contains(path, outer); })) continue;
      if (IsWorthAName(node, block, reads)) {
        Add(block, {Level(index), 1, index, 0}, Item::Kind::kName, index);
        named.push_back(block);
      }
      ReadInputs(index, block);
    }
  }

  /// Is the text of the node there several times, in the block or in one inside?
  bool IsWorthAName(const Expression::Node& node, int block, const std::vector<Read>& reads) const {
    // A number, also one that axes make.
    if (node.op == ir::Op::kIndex) return false;
    if (node.op == ir::Op::kConst && node.inputs[0].is_number()) return false;
    int times = 0;
    bool repeats = false;
    for (const Read& read : reads) {
      if (!Contains(Path(read.block), block)) continue;
      times += read.times;
      repeats = repeats || read.times > 1;
    }
    // An element has a short name already.
    return node.op == ir::Op::kLoad ? repeats : times > 1;
  }

  const Expression& e_;
  const bool scans_run_;
  LoopNest nest_;
  std::vector<std::vector<Draft>> drafts_;  ///< By block.
  std::vector<std::vector<Read>> reads_;    ///< By node.
  std::vector<int> level_;                  ///< By node.
  std::vector<bool> is_made_of_reduction_;  ///< By node.
  std::vector<Group> groups_;
  std::vector<std::pair<std::vector<int>, int>> outputs_;  ///< Innermost loops, by their axes.
};

}  // namespace

bool LoopNest::IsNamed(int node, int in_block) const {
  for (int index = in_block; index >= 0; index = block(index).parent) {
    for (const Item& item : block(index).items) {
      if (item.kind == Item::Kind::kName && item.what == node) return true;
    }
  }
  return false;
}

bool LoopNest::HasArrays() const {
  return std::ranges::any_of(places,
                             [](const Place& place) { return place.kind == Place::Kind::kArray; });
}

LoopNest LoopNestOf(const Expression& expression, bool scans_run) {
  return Planner(expression, scans_run).Plan();
}

}  // namespace exh::kernels::derived

// SPDX-License-Identifier: MIT
#include "kernels/codegen/memory/memory_plan.h"

#include <algorithm>
#include <functional>

#include "base/check.h"
#include "kernels/codegen/memory/covered_axes.h"

namespace exh::kernels::codegen {
namespace {

class MemoryPlanner {
 public:
  MemoryPlanner(const ir::Function& function, const Schedule& schedule, const LoopTree& tree,
                BankSearch search)
      : function_(function), schedule_(schedule), tree_(tree) {
    plan_.search = search;
  }

  MemoryPlan Run() {
    plan_.address.resize(function_.insts.size());
    plan_.guards.resize(function_.insts.size());
    for (const ir::MemBlock& block : function_.blocks) {
      if (schedule_.InBlocks(block.id)) AddTemp(block);
    }
    for (const ir::Instruction& inst : function_.insts) {
      if (!schedule_.InStatements(inst.id)) continue;
      Affine& address = plan_.address[inst.id.index()];
      if (IsWindowed(inst)) {
        AddWindow(function_.window(inst.window));
        continue;
      }
      const bool is_argument = inst.op == ir::Op::kLoad || inst.op == ir::Op::kStore;
      const bool has_place = inst.op == ir::Op::kIndex || inst.op == ir::Op::kGather;
      if (is_argument || has_place) address = IndexOf(inst.offset, inst.access);
      if (inst.is_memory()) CheckVector(inst);
      SortStrides(address);
      for (const ir::AccessGuard& guard : inst.guards) AddGuard(inst, guard);
      for (const ir::LogicalDimId axis : GuardedAxes(function_, inst)) AddCover(inst, axis);
    }
    std::ranges::stable_sort(plan_.temps, std::greater(), &TempArray::alignment);
    return std::move(plan_);
  }

 private:
  void Fail(const std::string& why) {
    if (plan_.error.empty()) plan_.error = why;
  }

  void AddTemp(const ir::MemBlock& block) {
    std::vector<ir::AxisId> stored;
    for (const ir::AxisId axis : block.axes) {
      if (schedule_.rank(block.id, axis) > 0) stored.push_back(axis);
      CheckAxis(block, function_.axis(axis));
    }
    std::sort(stored.begin(), stored.end(), [&](ir::AxisId a, ir::AxisId b) {
      return schedule_.rank(block.id, a) < schedule_.rank(block.id, b);
    });
    // The two sides may divide an axis into different tiles, and agree where a row ends: a row is
    // the tile of a logical axis, or a level of it where both sides have the same levels.
    std::int64_t store_stride = 1, load_stride = 1;
    std::int64_t row = 0;  // Elements of the first one, where there are others.
    for (std::size_t i = 0; i < stored.size(); ++i) {
      const ir::Axis& axis = function_.axis(stored[i]);
      if (schedule_.rank(axis.block, axis.id) != i + 1) {
        Fail("the ranks of the axes of " + block.name() + " are not 1, 2, …");
      }
      if (i > 0 && !SameRow(block, function_.axis(stored[i - 1]), axis)) {
        if (store_stride != load_stride) Fail("the rows of " + block.name() + " differ");
        if (IsFirstRow(block, stored, i)) {
          row = store_stride;
          store_stride += PaddingOf(schedule_.skew(block.id)) / block.element_bytes;
          load_stride = store_stride;
        }
      }
      Add(block.store, axis.store_dim, store_stride);
      Add(block.load, axis.load_dim, load_stride);
      store_stride *= schedule_.size(axis.store_dim);
      load_stride *= schedule_.size(axis.load_dim);
    }
    if (store_stride != load_stride) Fail("the rows of " + block.name() + " differ");
    const std::int64_t stride = store_stride;
    TempArray temp;
    temp.block = block.id;
    temp.space = schedule_.mem_space(block.id);
    temp.elements = static_cast<std::uint64_t>(stride);
    temp.slots = schedule_.stages.Or(1, block.id);
    const Skew skew = schedule_.skew(block.id);
    const bool is_mapped = skew == Skew::XOR && temp.space == MemSpace::SHARED;
    if (skew == Skew::SWIZZLE_64 || skew == Skew::SWIZZLE_128) {
      temp.layout =
          row == 0 ? XorLayout()
                   : SwizzleOf(skew, block.element_bytes, static_cast<std::uint32_t>(stride / row),
                               static_cast<std::uint32_t>(row));
      if (temp.layout.empty()) Fail("the rows of " + block.name() + " are no whole swizzles");
      temp.alignment = AlignmentOf(skew);
    }
    if (row > 0 && is_mapped && plan_.search == BankSearch::kFull) {
      temp.layout =
          PlanXorLayout(function_, schedule_, tree_, block, plan_.address[block.store.index()],
                        plan_.address[block.load.index()], static_cast<std::uint32_t>(row));
    }
    const std::uint64_t elements =
        temp.slots == 1 ? temp.elements : temp.slots * SlotStride(function_, temp);
    const std::uint64_t bytes = elements * block.element_bytes;
    (temp.space == MemSpace::SHARED ? plan_.shared_bytes : plan_.global_bytes) += bytes;
    plan_.temps.push_back(temp);
  }

  /// Does the read take its elements from a window?
  bool IsWindowed(const ir::Instruction& inst) const {
    return inst.op == ir::Op::kLoad && inst.window.valid() &&
           schedule_.window.Or(Window::NO_WINDOW, inst.window) == Window::WINDOW;
  }

  void AddWindow(const ir::Window& window) {
    PlannedWindow planned = PlanWindow(function_, schedule_, tree_, window);
    if (!planned.error.empty()) Fail(planned.error);
    const ir::Instruction& read = function_.inst(window.read);
    plan_.address[read.id.index()] = std::move(planned.address);
    CheckVector(read);
    SortStrides(plan_.address[read.id.index()]);
    for (const ir::LogicalDimId axis : GuardedAxes(function_, read)) {
      if (!IsZeroInWindow(function_, window, axis)) AddCover(read, axis);
    }
    plan_.shared_bytes += planned.window.elements() * window.element_bytes;
    plan_.windows.push_back(std::move(planned.window));
  }

  bool OwnTiles(const ir::MemBlock& block) const {
    return schedule_.tiles(block.comm) == Tiles::OWN_TILES;
  }
  bool SameRow(const ir::MemBlock& block, const ir::Axis& a, const ir::Axis& b) const {
    return OwnTiles(block) && a.row_end == b.row_end;
  }
  /// Does the first row end before stored axis i?
  bool IsFirstRow(const ir::MemBlock& block, const std::vector<ir::AxisId>& stored,
                  std::size_t i) const {
    for (std::size_t before = 1; before < i; ++before) {
      if (!SameRow(block, function_.axis(stored[before - 1]), function_.axis(stored[before]))) {
        return false;
      }
    }
    return true;
  }

  void CheckAxis(const ir::MemBlock& block, const ir::Axis& axis) {
    const bool merged =
        tree_.class_of_dim[axis.store_dim.index()] == tree_.class_of_dim[axis.load_dim.index()];
    const bool stored = schedule_.rank(axis.block, axis.id) > 0;
    const std::uint32_t store_size = schedule_.size(axis.store_dim);
    const std::uint32_t load_size = schedule_.size(axis.load_dim);
    const bool absent = store_size == 1 && load_size == 1 && !stored;
    if (merged == stored && !absent) {
      Fail("axis " + axis.name() +
           (stored ? " is stored though its dims are merged"
                   : " is not stored though its dims are not merged"));
    }
    if (store_size != load_size && (merged || !OwnTiles(block))) {
      Fail("axis " + axis.name() + " is stored and loaded with different sizes");
    }
  }

  void Add(ir::InstId inst, ir::DimId dim, std::int64_t stride) {
    Affine& address = plan_.address[inst.index()];
    const FragmentRead& read = tree_.reads[inst.index()];
    if (read.depth_class < 0) return AddDim(tree_, dim, stride, address);
    // Where the row is that a lane says (FragmentRead): by bits of its number, the highest first.
    const int dim_class = tree_.class_of_dim[dim.index()];
    const std::vector<int>& bits = tree_.lane_classes;
    if (tree_.class_of(dim).part != ir::FragmentPart::kNone) {
      const auto& steps = dim_class == read.depth_class ? read.depth_steps : read.across_steps;
      for (std::size_t i = 0; i < bits.size(); ++i) address.Add(bits[i], steps[i] * stride);
      return;
    }
    AddDim(tree_, dim, stride, address);
    if (dim_class == read.copies_class) address.Add(bits[0], stride);
  }

  /// Largest step first, as people write addresses.
  static void SortStrides(Affine& affine) {
    std::ranges::stable_sort(affine.strides, std::greater(), &Affine::Strides::value_type::second);
  }

  Affine IndexOf(std::int64_t offset, const std::vector<ir::AccessAxis>& axes) const {
    Affine index;
    index.offset = offset;
    for (const ir::AccessAxis& access : axes) {
      const ir::LogicalDim& logical = function_.logical(access.logical);
      std::int64_t stride = access.stride;
      for (auto dim = logical.dims.rbegin(); dim != logical.dims.rend(); ++dim) {
        AddDim(tree_, *dim, stride, index);
        stride *= schedule_.size(*dim);
      }
    }
    return index;
  }

  void AddGuard(const ir::Instruction& inst, const ir::AccessGuard& guard) {
    GuardIndex added{IndexOf(guard.offset, guard.axes), guard.extent};
    const auto [least, most] = RangeOf(tree_, added.index);
    if (least >= 0 && most < guard.extent) return;  // It never leaves the array.
    SortStrides(added.index);
    plan_.guards[inst.id.index()].push_back(std::move(added));
  }

  void AddCover(const ir::Instruction& inst, ir::LogicalDimId axis) {
    GuardIndex added{IndexOf(0, {{axis, 1}}), function_.logical(axis).total, true};
    SortStrides(added.index);
    plan_.guards[inst.id.index()].push_back(std::move(added));
  }

  /// Lanes are consecutive elements, or one element for all of them.
  void CheckVector(const ir::Instruction& inst) {
    for (const ir::DimId dim : inst.dims) {
      const DimClass& dim_class = tree_.class_of(dim);
      if (dim_class.kind != DimKind::VECTOR) continue;
      const std::int64_t stride =
          plan_.address[inst.id.index()].StrideOf(tree_.class_of_dim[dim.index()]);
      const bool is_load = inst.op == ir::Op::kLoad || inst.op == ir::Op::kTempLoad;
      if (stride != 1 && !(is_load && stride == 0)) {
        Fail("the lanes of " + function_.dim(dim).name() + " are " + std::to_string(stride) +
             " elements apart");
      }
    }
  }

  const ir::Function& function_;
  const Schedule& schedule_;
  const LoopTree& tree_;
  MemoryPlan plan_;
};

}  // namespace

const TempArray& MemoryPlan::temp(ir::MemId block) const {
  const auto found = std::ranges::find(temps, block, &TempArray::block);
  EXH_CHECK(found != temps.end());
  return *found;
}

const CopiedWindow* MemoryPlan::window(const ir::Instruction& inst) const {
  if (!inst.window.valid()) return nullptr;
  const auto found = std::ranges::find(windows, inst.window, &CopiedWindow::window);
  return found == windows.end() ? nullptr : &*found;
}

std::uint64_t SlotStride(const ir::Function& function, const TempArray& temp) {
  const std::uint64_t bytes = function.block(temp.block).element_bytes;
  return Aligned(temp.elements * bytes) / bytes;
}

bool IsSplit(const MemoryPlan& plan, ir::InstId inst, int dim_class, std::uint32_t lanes) {
  return std::ranges::any_of(plan.guards[inst.index()], [&](const GuardIndex& guard) {
    // An access begins at a multiple of its width.
    const bool is_whole = guard.is_cover && guard.extent % lanes == 0;
    return guard.index.StrideOf(dim_class) != 0 && !is_whole;
  });
}

MemoryPlan PlanMemory(const ir::Function& function, const Schedule& schedule, const LoopTree& tree,
                      BankSearch search) {
  return MemoryPlanner(function, schedule, tree, search).Run();
}

}  // namespace exh::kernels::codegen

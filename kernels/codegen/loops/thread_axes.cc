// SPDX-License-Identifier: MIT
#include "kernels/codegen/loops/thread_axes.h"

#include <algorithm>

namespace exh::kernels::codegen {
namespace {

/// THREAD classes that share one hardware axis.
struct Group {
  std::vector<DimClass*> classes;
  int layout = -1;
  ir::DimId dim() const { return classes.front()->dims.front(); }
  std::uint32_t size() const { return classes.front()->size; }
};

class Assigner {
 public:
  Assigner(const ir::Function& function, const Schedule& schedule,
           std::span<const ir::LaneDigit> lanes, std::vector<DimClass>& classes)
      : function_(function), schedule_(schedule), lanes_(lanes), classes_(classes) {}

  ThreadAxes Run() {
    GroupByAxis();
    if (result_.error.empty()) GroupByLayout();
    const std::uint32_t patch = schedule_.patch.Or(1);
    const bool is_special = !lanes_.empty() || patch != 1;
    const int shared = is_special && result_.error.empty() ? SharedLayout() : -1;
    for (std::size_t layout = 0; layout < result_.layouts.size(); ++layout) {
      if (!result_.error.empty()) break;
      OrderAxes(static_cast<int>(layout), static_cast<int>(layout) == shared);
    }
    if (patch != 1 && result_.error.empty()) MakePatches(patch, shared);
    if (result_.error.empty()) Verify();
    return std::move(result_);
  }

 private:
  ThreadMapping Mapping(ir::DimId a, ir::DimId b) const { return schedule_.thread_mapping(a, b); }
  const std::string& NameOf(const DimClass& dim_class) const {
    return function_.dim(dim_class.dims.front()).name();
  }

  void GroupByAxis() {
    for (DimClass& dim_class : classes_) {
      if (dim_class.kind != DimKind::THREAD) continue;
      const auto same_axis = [&](const Group& group) {
        return Mapping(group.dim(), dim_class.dims.front()) == ThreadMapping::MAPPED;
      };
      const auto it = std::find_if(groups_.begin(), groups_.end(), same_axis);
      if (it == groups_.end()) {
        groups_.push_back({{&dim_class}});
      } else if (it->size() != dim_class.size) {
        result_.error = "thread dims " + NameOf(*it->classes.front()) + " and " +
                        NameOf(dim_class) + " share an axis but differ in size";
        return;
      } else {
        it->classes.push_back(&dim_class);
      }
    }
  }

  void GroupByLayout() {
    for (Group& group : groups_) {
      for (const Group& known : groups_) {
        if (known.layout < 0 || Mapping(known.dim(), group.dim()) == ThreadMapping::OTHER_LAYOUT) {
          continue;
        }
        group.layout = known.layout;
        break;
      }
      if (group.layout >= 0) continue;
      group.layout = static_cast<int>(result_.layouts.size());
      result_.layouts.push_back({});
    }
  }

  /// The layout of the phases that have none of their own.
  int SharedLayout() {
    for (const Group& group : groups_) {
      const ir::Instruction& inst = function_.inst(function_.dim(group.dim()).inst);
      using Choice = spaces::linalg::ThreadLayout;
      const Choice of = schedule_.thread_layout.Or(Choice::SHARED_LAYOUT, inst.phase);
      if (of == Choice::SHARED_LAYOUT) return group.layout;
    }
    result_.layouts.push_back({});
    return static_cast<int>(result_.layouts.size()) - 1;
  }

  /// An axis for each digit of a lane's number.
  void AddLanes(std::uint32_t& threads, int layout) {
    for (const ir::LaneDigit& digit : lanes_) {
      result_.lanes.push_back(static_cast<int>(result_.axes.size()));
      result_.axes.push_back({digit.count, digit.stride, layout});
      threads *= digit.count;
    }
  }

  /// An axis comes after all those of its layout that are outside it.
  void OrderAxes(int layout, bool is_shared) {
    std::vector<Group*> members;
    for (Group& group : groups_) {
      if (group.layout == layout) members.push_back(&group);
    }
    std::vector<Group*> ordered(members.size(), nullptr);
    for (Group* group : members) {
      std::size_t position = 0;
      for (const Group* other : members) {
        if (group == other) continue;
        position += Mapping(other->dim(), group->dim()) == ThreadMapping::MAPPED_OUT;
      }
      if (ordered[position] != nullptr) {
        result_.error = "thread_mapping does not order the thread axes";
        return;
      }
      ordered[position] = group;
    }
    const std::size_t first = result_.axes.size();
    result_.axes.resize(first + ordered.size());
    std::uint32_t& threads = result_.layouts[static_cast<std::size_t>(layout)].threads;
    if (is_shared) AddLanes(threads, layout);
    for (std::size_t i = ordered.size(); i-- > 0;) {
      result_.axes[first + i] = {ordered[i]->size(), threads, layout};
      threads *= ordered[i]->size();
      for (DimClass* dim_class : ordered[i]->classes) {
        dim_class->axis = static_cast<int>(first + i);
      }
    }
  }

  /// A warp takes lanes of the two innermost axes of the layout.
  void MakePatches(std::uint32_t patch, int layout) {
    std::vector<std::uint32_t> sizes;  // Innermost first.
    for (const ThreadAxis& axis : result_.axes) {
      if (axis.layout == layout) sizes.insert(sizes.begin(), axis.size);
    }
    ThreadLayout& of = result_.layouts[static_cast<std::size_t>(layout)];
    const bool fits = sizes.size() >= 2 && ir::kWarpLanes % patch == 0 &&
                      sizes[0] * patch % ir::kWarpLanes == 0 && sizes[1] % patch == 0;
    const bool meets = std::ranges::any_of(classes_, [&](const DimClass& c) {
      return (c.kind == DimKind::THREAD || c.kind == DimKind::BLOCK) &&
             function_.dim(c.dims.front()).is_reduction;
    });
    if (!fits || !lanes_.empty()) {
      result_.error = "warps of " + std::to_string(patch) + " rows do not tile the threads";
    } else if (meets) {
      result_.error = "slices of a reduction are in threads that patches number anew";
    }
    of.patch = patch;
    of.row = fits ? sizes[0] : 1;
  }

  /// What was read from one dim of each group must hold for all of them.
  void Verify() {
    for (const DimClass& a : classes_) {
      for (const DimClass& b : classes_) {
        if (&a == &b || a.axis < 0 || b.axis < 0) continue;
        const auto layout = [&](const DimClass& c) {
          return result_.axes[static_cast<std::size_t>(c.axis)].layout;
        };
        const ThreadMapping expected = a.axis == b.axis         ? ThreadMapping::MAPPED
                                       : layout(a) != layout(b) ? ThreadMapping::OTHER_LAYOUT
                                       : a.axis < b.axis        ? ThreadMapping::MAPPED_OUT
                                                                : ThreadMapping::MAPPED_IN;
        if (Mapping(a.dims.front(), b.dims.front()) != expected) {
          result_.error = "thread_mapping(" + NameOf(a) + ", " + NameOf(b) +
                          ") contradicts the other thread mappings";
          return;
        }
      }
    }
  }

  const ir::Function& function_;
  const Schedule& schedule_;
  const std::span<const ir::LaneDigit> lanes_;
  std::vector<DimClass>& classes_;
  std::vector<Group> groups_;
  ThreadAxes result_;
};

}  // namespace

ThreadAxes AssignThreadAxes(const ir::Function& function, const Schedule& schedule,
                            std::span<const ir::LaneDigit> lanes, std::vector<DimClass>& classes) {
  return Assigner(function, schedule, lanes, classes).Run();
}

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
#include "kernels/codegen/thread_axes.h"

#include <algorithm>

namespace exh::kernels::codegen {

std::string AssignThreadAxes(const ir::Function& function, const Schedule& schedule,
                             std::vector<DimClass>& classes, std::vector<ThreadAxis>& axes) {
  std::vector<std::vector<DimClass*>> groups;  // By axis, not ordered yet.
  for (DimClass& dim_class : classes) {
    if (dim_class.kind != DimKind::THREAD) continue;
    const auto same_axis = [&](const std::vector<DimClass*>& group) {
      return schedule.thread_mapping_of(group.front()->dims.front(), dim_class.dims.front()) ==
             ThreadMapping::MAPPED;
    };
    const auto it = std::find_if(groups.begin(), groups.end(), same_axis);
    if (it == groups.end()) {
      groups.push_back({&dim_class});
    } else if (it->front()->size != dim_class.size) {
      return "thread dims " + function.dim(it->front()->dims.front()).name() + " and " +
             function.dim(dim_class.dims.front()).name() + " share an axis but differ in size";
    } else {
      it->push_back(&dim_class);
    }
  }

  // An axis comes after all those that are outside it.
  const auto outside = [&](const std::vector<DimClass*>& a, const std::vector<DimClass*>& b) {
    return schedule.thread_mapping_of(a.front()->dims.front(), b.front()->dims.front()) ==
           ThreadMapping::MAPPED_OUT;
  };
  std::vector<std::size_t> position(groups.size(), 0);
  for (std::size_t a = 0; a < groups.size(); ++a) {
    for (std::size_t b = 0; b < groups.size(); ++b) {
      if (a != b && outside(groups[b], groups[a])) ++position[a];
    }
  }
  axes.assign(groups.size(), {});
  std::vector<bool> taken(groups.size(), false);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (taken[position[g]]) return "thread_mapping does not order the thread axes";
    taken[position[g]] = true;
    axes[position[g]].size = groups[g].front()->size;
    for (DimClass* dim_class : groups[g]) dim_class->axis = static_cast<int>(position[g]);
  }
  std::uint32_t stride = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    axis->stride = stride;
    stride *= axis->size;
  }

  // What was read from one dim of each group must hold for all of them.
  for (const DimClass& a : classes) {
    for (const DimClass& b : classes) {
      if (&a == &b || a.axis < 0 || b.axis < 0) continue;
      const ThreadMapping expected = a.axis == b.axis  ? ThreadMapping::MAPPED
                                     : a.axis < b.axis ? ThreadMapping::MAPPED_OUT
                                                       : ThreadMapping::MAPPED_IN;
      if (schedule.thread_mapping_of(a.dims.front(), b.dims.front()) != expected) {
        return "thread_mapping(" + function.dim(a.dims.front()).name() + ", " +
               function.dim(b.dims.front()).name() + ") contradicts the other thread mappings";
      }
    }
  }
  return "";
}

}  // namespace exh::kernels::codegen

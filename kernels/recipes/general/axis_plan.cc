// SPDX-License-Identifier: MIT
#include "kernels/recipes/general/axis_plan.h"

#include <algorithm>
#include <numeric>

#include "kernels/recipes/general/sizes.h"

namespace exh::kernels {

using ir::Communication;
using ir::Instruction;
using ir::LogicalDim;

AxisPlan::AxisPlan(const ir::Target& function, const TileShape& shape)
    : f_(function),
      shape_(shape),
      parent_(function.logical_dims.size()),
      uses_(function.logical_dims.size()) {
  std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  for (const ir::DimPair& pair : f_.pairs) {
    if (pair.planned) continue;
    const std::size_t a = ClassOf(f_.dim(pair.src).logical), b = ClassOf(f_.dim(pair.dst).logical);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  FindMains();
  FindRoles();
  FindKept();
}

std::size_t AxisPlan::ClassOf(ir::LogicalDimId axis) const {
  std::size_t at = axis.index();
  while (parent_[at] != at) at = parent_[at];
  return at;
}

void AxisPlan::FindMains() {
  for (const bool reduces : {true, false}) {
    for (const Instruction& inst : f_.insts) {
      const bool is_it = reduces ? inst.is_reduction() : inst.has_side_effect();
      if (!inst.planned && is_it) mains_.push_back(&inst);
    }
  }
}

void AxisPlan::FindRoles() {
  for (const Instruction* main : mains_) {
    const auto axes = ir::ResultAxes(f_, *main);
    if (axes.empty()) continue;
    AxisUse& first = (*this)[*axes.front()];
    first.is_first = true;
    if (axes.size() == 1) first.is_alone = true;
    for (std::size_t index = 0; index < axes.size(); ++index) {
      const std::size_t from_end = axes.size() - 1 - index;
      Role& role = (*this)[*axes[index]].role;
      if (role == Role::kColumn) continue;
      role = from_end == 0 ? Role::kColumn : from_end == 1 ? Role::kRow : Role::kOutside;
    }
  }
}

/// What is summed up, and then read once more: registers hold it from end to end, if memory may
/// not.
void AxisPlan::FindKept() {
  for (const Communication& comm : f_.comms) {
    const bool is_held = !comm.planned && !comm.is_init && !comm.may_lower;
    if (!is_held || !f_.inst(comm.consumer).is_reduction()) continue;
    const bool is_read_again = std::ranges::any_of(f_.comms, [&](const Communication& other) {
      return !other.planned && !other.may_lower && other.producer == comm.producer &&
             other.consumer != comm.consumer;
    });
    for (const ir::DimPair& pair : f_.pairs_of(comm)) {
      const ir::Dimension& dim = f_.dim(pair.dst);
      if (is_read_again && dim.is_reduction) (*this)[f_.logical(dim.logical)].is_kept = true;
    }
  }
  if (!has_threads() || !shape_.tiled) return;
  // Threads have all of it: no others are left.
  for (const Instruction* main : mains_) {
    const auto axes = ir::AxesOf(f_, *main);
    const auto is_kept = [&](const LogicalDim* axis) { return (*this)[*axis].is_kept; };
    if (std::ranges::none_of(axes, is_kept)) continue;
    for (const LogicalDim* axis : axes) {
      if (!is_kept(axis)) (*this)[*axis].is_serial = true;
    }
  }
}

bool AxisPlan::IsContiguous(const LogicalDim& axis) const {
  return std::ranges::all_of(f_.insts, [&](const Instruction& inst) {
    return std::ranges::all_of(inst.access, [&](const ir::AccessAxis& access) {
      return access.stride == 1 || !AreOne(access.logical, axis.id);
    });
  });
}

int AxisPlan::ThreadLevel(const LogicalDim& axis) const {
  const AxisUse& use = (*this)[axis];
  const int last = ir::LastLevel(axis);
  if (use.spread.slices > 1) return last - 1;
  const bool is_of_tile = use.role == Role::kRow || use.role == Role::kColumn;
  if (use.is_serial || !has_threads() || !shape_.tiled || !is_of_tile) return -1;
  return last >= 2 ? last - 1 : last >= 1 ? last : -1;
}

int AxisPlan::RegisterLevel(const LogicalDim& axis) const {
  const Role role = (*this)[axis].role;
  if (!shape_.tiled || (role != Role::kRow && role != Role::kColumn)) return -1;
  const int last = ir::LastLevel(axis);
  return last >= (has_threads() ? 2 : 1) ? last : -1;
}

int AxisPlan::LoopLevel(const LogicalDim& axis) const {
  const Spread& spread = (*this)[axis].spread;
  if (spread.steps.empty()) return spread.parts > 1 ? -1 : 0;
  return spread.lanes > 1 ? spread.loop : ir::LastLevel(axis);
}

std::uint32_t AxisPlan::SizeBesideLanes(const LogicalDim& axis) const {
  constexpr double kColumns = 4, kRows = 2;
  return LargestPower(f_.dim(axis.dims.back()).sizes, axis.extent,
                      (*this)[axis].role == Role::kColumn ? kColumns : kRows);
}

}  // namespace exh::kernels

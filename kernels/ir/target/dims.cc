// SPDX-License-Identifier: MIT
//
// What kernels/spaces/dims.exh asks: which dimensions may be lanes, and which may be slices.
#include <algorithm>

#include "kernels/ir/target.h"

namespace exh::kernels::ir {

bool Target::may_have_parts(const Dimension& d) const {
  if (!d.is_reduction || paper) return false;
  return std::ranges::none_of(
      comms, [&](const Communication& c) { return c.producer == d.inst && c.is_init; });
}

bool Target::vectorizable(const Instruction& inst, const Dimension& dim) const {
  if (inst.op != Op::kLoad && inst.op != Op::kStore) return true;
  if (!device.vector_arithmetic && is_guarded(inst, dim.logical)) return false;
  if (!device.vector_arithmetic && logical(dim.logical).covers()) return false;
  for (const AccessAxis& a : inst.access) {
    if (a.logical != dim.logical || a.stride == 0) continue;
    return a.stride == 1 && dim.innermost_level && is_aligned(inst, logical(dim.logical));
  }
  return inst.op == Op::kLoad;  // The address does not move: every lane loads the same element.
}

/// Lanes along the axis begin at multiples of their number, whatever the other axes do: the number
/// divides the axis, or is 4 at most. Where lanes compute, accesses need no alignment.
bool Target::is_aligned(const Instruction& inst, const LogicalDim& lanes) const {
  if (device.vector_arithmetic) return true;
  constexpr std::int64_t kMostLanes = 4;
  const std::uint32_t widest =
      std::min(std::uint32_t{kMostLanes} * BytesOf(element_type(inst)), kDefaultAlignment);
  if (array(inst.array).alignment < widest) return false;
  const auto is_multiple = [&](std::int64_t step) {
    return step % kMostLanes == 0 || step % static_cast<std::int64_t>(lanes.extent) == 0;
  };
  return is_multiple(inst.offset) &&
         std::all_of(inst.access.begin(), inst.access.end(), [&](const AccessAxis& a) {
           return a.logical == lanes.id || logical(a.logical).total == 1 || is_multiple(a.stride);
         });
}

/// Does a dimension of the array that the load may leave move along the axis?
bool Target::is_guarded(const Instruction& inst, LogicalDimId axis) const {
  return std::ranges::any_of(inst.guards, [&](const AccessGuard& guard) {
    return std::ranges::any_of(guard.axes, [&](const AccessAxis& a) { return a.logical == axis; });
  });
}

}  // namespace exh::kernels::ir

// SPDX-License-Identifier: MIT
//
// What kernels/spaces/copies.exh asks: how threads copy an argument into a temporary.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>

#include "kernels/ir/target.h"

namespace exh::kernels::ir {

std::uint32_t Target::least_copying(const Communication& c) const {
  constexpr std::uint64_t kEach = 4;
  std::uint64_t points = 1;
  std::set<LogicalDimId> counted;
  for (const DimId id : inst(c.producer).dims) {
    const LogicalDim& axis = logical(dim(id).logical);
    if (counted.insert(axis.id).second) points *= axis.extent;
  }
  if (counted.size() < 2) return 1;  // Of a vector there may be little.
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>({kWarpLanes, points / kEach, device.max_threads}));
}

bool Target::copied_outside(const Dimension& outer, const Dimension& inner) const {
  if (outer.logical == inner.logical) return outer.level < inner.level;
  const Instruction& access = inst(outer.inst);
  // How far neighbours along an axis are apart; where the access does not move, nothing is nearer.
  const auto distance = [&](LogicalDimId axis) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const AccessAxis& a : access.access) {
      if (a.logical == axis && a.stride != 0) least = std::min(least, std::abs(a.stride));
    }
    return least;
  };
  const std::int64_t a = distance(outer.logical), b = distance(inner.logical);
  return a != b ? a > b : outer.logical.index() < inner.logical.index();
}

bool Target::may_come_in_bulk(const Communication& c) const {
  return c.lowered && may_copy_bulk(block(c.lowered->block));
}

}  // namespace exh::kernels::ir

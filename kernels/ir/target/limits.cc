// SPDX-License-Identifier: MIT
//
// What kernels/spaces/limits.exh asks: what the device can hold.
#include <algorithm>
#include <limits>

#include "kernels/ir/target.h"

namespace exh::kernels::ir {

std::uint32_t Target::threads_of_resident(const Count& wanted) const {
  constexpr std::uint32_t kFewestRegisters = 32;
  return device.block_registers / (kFewestRegisters * wanted.value);
}

std::uint32_t Target::least_around_tile(const Communication& c) const {
  std::uint64_t points = 1;
  std::vector<LogicalDimId> counted;
  for (const PairId id : c.pairs) {
    const LogicalDimId axis = dim(pair(id).src).logical;
    if (std::ranges::find(counted, axis) != counted.end()) continue;
    counted.push_back(axis);
    points *= logical(axis).extent;  // Arrays hold what lies beyond an axis, too.
  }
  // Before PlanLowering() there is no array yet, and nothing to fit.
  if (!c.lowered) return 1;
  const std::uint64_t most = std::max<std::uint64_t>(device.shared_bytes, device.global_bytes) /
                             block(c.lowered->block).element_bytes;
  const std::uint64_t least = most == 0 ? points : (points + most - 1) / most;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(least, std::numeric_limits<std::uint32_t>::max()));
}

std::vector<std::uint32_t> Target::min_blocks_universe() const {
  return up_to(paper || device.block_registers == 0 ? 1 : device.resident_blocks);
}

}  // namespace exh::kernels::ir

// SPDX-License-Identifier: MIT
//
// What kernels/spaces/places.exh asks.
#include "kernels/ir/target.h"

namespace exh::kernels::ir {

std::vector<std::uint32_t> Target::patch_universe() const {
  if (paper || device.max_threads < kWarpLanes || reductions().empty()) return {1};
  return {1, 2, 4, 8, 16};
}

std::vector<std::uint32_t> Target::raster_universe() const {
  return patch_universe();
}

}  // namespace exh::kernels::ir

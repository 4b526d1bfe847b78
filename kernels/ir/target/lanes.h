// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/ir/device.h"

namespace exh::kernels::ir {

/// Lanes of 4 bytes of the widest of the device's vectors that `fits`, a predicate of lanes; 1:
/// none does.
template <typename Fits>
std::uint32_t WidestVector(const Device& device, const Fits& fits) {
  std::uint32_t widest = 1;
  for (const std::uint32_t lanes : device.vector_sizes) {
    if (fits(lanes)) widest = std::max(widest, lanes);
  }
  return widest;
}
/// … of all of them; 1: it has none.
inline std::uint32_t WidestVector(const Device& device) {
  return WidestVector(device, [](std::uint32_t) { return true; });
}

}  // namespace exh::kernels::ir

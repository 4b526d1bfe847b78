// SPDX-License-Identifier: MIT
#include "models/inventory/residency.h"

#include <algorithm>
#include <cmath>

namespace exh::models {

double ResidentBlocks(const BlockNeeds& needs, const DeviceRates& rates) {
  if (rates.unit_blocks == 0) return HUGE_VAL;
  const double warps = std::ceil(needs.threads / rates.warp_lanes);
  double most = std::min(rates.unit_blocks, std::floor(rates.unit_warps / warps));
  if (needs.registers > 0) {
    // Warps take registers in pieces.
    constexpr double kPiece = 8;
    const double registers = std::ceil(needs.registers / kPiece) * kPiece;
    most =
        std::min(most, std::floor(rates.unit_registers / (warps * rates.warp_lanes * registers)));
  }
  if (needs.shared_bytes > 0) {
    most = std::min(most, std::floor(rates.unit_shared_bytes / needs.shared_bytes));
  }
  return std::max(1.0, most);
}

}  // namespace exh::models

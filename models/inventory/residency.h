// SPDX-License-Identifier: MIT
//
// Residency: how many blocks of a candidate a unit can hold at once, at most.
#pragma once

#include "models/device_rates.h"

namespace exh::models {

/// What a block takes at least.
struct BlockNeeds {
  double threads = 1;
  double registers = 0;     ///< Of a thread.
  double shared_bytes = 0;  ///< Of the memory that the threads share.
};

/// 1 or more; infinite where the device has no limits.
double ResidentBlocks(const BlockNeeds& needs, const DeviceRates& rates);

}  // namespace exh::models

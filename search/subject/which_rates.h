// SPDX-License-Identifier: MIT
#pragma once

namespace exh::search {

/// What is known of how fast a device can be.
enum class WhichRates {
  kOfThisMachine,  ///< Of the one that is in it.
  kRecorded,       ///< Of all that have the device's name.
};

}  // namespace exh::search

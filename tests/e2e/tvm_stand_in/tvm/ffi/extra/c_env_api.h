// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// The stream that is current: the default one.
inline void* TVMFFIEnvGetStream(std::int32_t /*device_type*/, std::int32_t /*device_id*/) {
  return nullptr;
}

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace exh::kernels {

/// Widest vector of floats that this processor and system run: 4 (SSE), 8 (AVX) or 16 (AVX-512).
std::uint32_t DetectVectorFloats();
/// Size of the L2 cache of one core; 512 KiB when the system does not say.
std::uint32_t DetectL2Bytes();
/// Cores that this process may use.
std::uint32_t DetectCores();

}  // namespace exh::kernels

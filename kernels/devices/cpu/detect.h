// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace exh::kernels {

/// Widest vector of floats that this processor and system run: 4 (SSE), 8 (AVX) or 16 (AVX-512).
std::uint32_t DetectVectorFloats();
/// Vectors that this processor's registers hold: 16, or 32 with AVX-512 and on 64-bit Arm.
std::uint32_t DetectVectorRegisters();
/// Size of the L2 cache of one core; 512 KiB when the system does not say.
std::uint32_t DetectL2Bytes();
/// Cores that this process may use.
std::uint32_t DetectCores();

}  // namespace exh::kernels

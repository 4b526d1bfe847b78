// SPDX-License-Identifier: MIT
//
// How fast a GPU goes through many bytes, and through the same ones in the next launch, in every
// way in which its second cache may help.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/devices/cuda/probes/characterize.h"

namespace exh::kernels {

/// What a launch does with the bytes; two arrays are read and one is written in a third.
enum class SweepKind : std::uint8_t { kRead, kWrite, kThird };

/// In millions of bytes, of all arrays together: from beyond what caches of today hold.
inline constexpr int kSweepMegabytes[] = {96, 128, 192, 256, 384, 512, 768, 1024, 2048};

/// "sweep_256_read".
std::string SweepName(int megabytes, SweepKind kind);

/// GB/s of each size and kind, of bytes that count once a launch. A launch may leave some of them
/// in the cache for the next one and pass the others by: a sample is a batch with none, all, or so
/// many of them. Takes some seconds, or a moment, and at most a quarter of the memory: what needs
/// more is left out. Throws cuda::GpuError.
std::vector<Characteristic> MeasureSweeps(const cuda::Gpu& gpu, const cuda::Timer& timer,
                                          const cuda::Module& programs, Care care);

}  // namespace exh::kernels

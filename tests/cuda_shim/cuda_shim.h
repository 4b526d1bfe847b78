// SPDX-License-Identifier: MIT
//
// CUDA C++ for the system's compiler: the words of the language that a printed kernel uses, so that
// the very text runs on the CPU. Pointers to float are replaced in the text (shim_source.h).
#pragma once

#include "tests/cuda_shim/launch.h"
#include "tests/cuda_shim/tracked.h"

#define __global__
#define __device__
#define __shared__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __restrict__  // Nothing that stands for a pointer may have it.
#define __syncthreads() ::exh_shim::Barrier(__LINE__)

inline float2 make_float2(float x, float y) {
  return {x, y};
}
inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}

extern "C" float fmaf(float a, float b, float c) noexcept;
extern "C" float fabsf(float x) noexcept;
extern "C" float sqrtf(float x) noexcept;
extern "C" float expf(float x) noexcept;
extern "C" float logf(float x) noexcept;
extern "C" float tanhf(float x) noexcept;
inline float rsqrtf(float x) {
  return 1.0f / sqrtf(x);
}
extern "C" float fmaxf(float a, float b) noexcept;
inline float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}
inline float __int_as_float(int bits) {
  return __builtin_bit_cast(float, bits);
}

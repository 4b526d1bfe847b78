// SPDX-License-Identifier: MIT
//
// As much of the driver's header as an exported program needs: what has to do with tensor maps. The
// driver itself is not linked: the runtime finds its function, as below.
#pragma once

#include <cstdint>
#include <cstring>

#include "bulk_copies.h"

using cuuint32_t = std::uint32_t;
using cuuint64_t = std::uint64_t;
enum CUresult { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_INVALID_CONTEXT = 201 };
struct alignas(128) CUtensorMap {
  cuuint64_t opaque[16];
};
enum CUtensorMapDataType {
  CU_TENSOR_MAP_DATA_TYPE_UINT8,
  CU_TENSOR_MAP_DATA_TYPE_UINT16,
  CU_TENSOR_MAP_DATA_TYPE_UINT32,
  CU_TENSOR_MAP_DATA_TYPE_UINT64 = 4,
};
enum CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE };
enum CUtensorMapSwizzle {
  CU_TENSOR_MAP_SWIZZLE_NONE,
  CU_TENSOR_MAP_SWIZZLE_32B,
  CU_TENSOR_MAP_SWIZZLE_64B,
  CU_TENSOR_MAP_SWIZZLE_128B,
};
enum CUtensorMapL2promotion { CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3 };
enum CUtensorMapFloatOOBfill { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE };

/// Only its type is asked for.
CUresult cuTensorMapEncodeTiled(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*,
                                const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                                const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/// Does the driver have that function?
inline bool fake_has_maps = true;
/// Has this thread used the device?
inline thread_local bool fake_has_context = false;
/// Maps that were made so far.
inline int fake_maps_made = 0;

inline CUresult FakeEncode(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t axes, void* array,
                           const cuuint64_t* extents, const cuuint64_t* strides,
                           const cuuint32_t* box, const cuuint32_t* steps,
                           CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                           CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  if (!fake_has_context) return CUDA_ERROR_INVALID_CONTEXT;
  ++fake_maps_made;
  const bool is_made = MakeFakeMap(
      map, {type, axes, array, extents, strides, box, steps, interleave, swizzle, promotion, fill});
  return is_made ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// ---- What the runtime has for it
// -----------------------------------------------------------------

#ifndef CUDART_VERSION
#define CUDART_VERSION 13000
#endif

enum { cudaEnableDefault };
enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess,
  cudaDriverEntryPointSymbolNotFound
};

inline cudaError_t cudaSetDevice(int device) {
  fake_has_context = device == 0;
  return device == 0 ? cudaSuccess : cudaErrorInvalidValue;
}
inline cudaError_t cudaGetDriverEntryPoint(const char* name, void** found, unsigned long long flags,
                                           cudaDriverEntryPointQueryResult* result) {
  const bool is_known = std::strcmp(name, "cuTensorMapEncodeTiled") == 0 && fake_has_maps;
  if (flags != cudaEnableDefault) return cudaErrorInvalidValue;
  *found = is_known ? reinterpret_cast<void*>(&FakeEncode) : nullptr;
  *result = is_known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
#if CUDART_VERSION >= 12050
inline cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** found,
                                                    unsigned version, unsigned long long flags,
                                                    cudaDriverEntryPointQueryResult* result) {
  if (version < 12000) return cudaErrorInvalidValue;  // It came with this one.
  return cudaGetDriverEntryPoint(name, found, flags, result);
}
#endif

// SPDX-License-Identifier: MIT
//
// What driver.h, nvrtc.h and cublas.h declare, against those of the toolkit: numbers, the symbol
// behind each name, and prototypes.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <gtest/gtest.h>
#include <nvrtc.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "kernels/devices/cuda/driver/driver.h"
#include "kernels/devices/cuda/driver/nvrtc.h"
#include "kernels/devices/cuda/vendor/cublas.h"

namespace {

namespace ours = exh::kernels::cuda;

static_assert(ours::kSuccess == CUDA_SUCCESS);
static_assert(ours::kNotReady == CUDA_ERROR_NOT_READY);
static_assert(ours::kMaxDynamicSharedBytes == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(ours::kLargeClusters == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
static_assert(ours::kCaptureThreadLocal == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
static_assert(ours::kNonBlockingStream == CU_STREAM_NON_BLOCKING);
static_assert(ours::kEarlyLaunch == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
static_assert(ours::kClusterLaunch == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
static_assert(offsetof(ours::CUlaunchAttribute, value) ==
              offsetof(CUlaunchAttribute, value.clusterDim));
static_assert(sizeof(ours::CUlaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(ours::CUlaunchAttribute, id) == offsetof(CUlaunchAttribute, id));
static_assert(offsetof(ours::CUlaunchAttribute, value) ==
              offsetof(CUlaunchAttribute, value.programmaticStreamSerializationAllowed));
static_assert(sizeof(ours::CUtensorMap) == sizeof(CUtensorMap));
static_assert(alignof(ours::CUtensorMap) >= alignof(CUtensorMap));
static_assert(ours::kMapOf1Byte == CU_TENSOR_MAP_DATA_TYPE_UINT8);
static_assert(ours::kMapOf2Bytes == CU_TENSOR_MAP_DATA_TYPE_UINT16);
static_assert(ours::kMapOf4Bytes == CU_TENSOR_MAP_DATA_TYPE_UINT32);
static_assert(ours::kMapOf8Bytes == CU_TENSOR_MAP_DATA_TYPE_UINT64);
static_assert(ours::kMapInterleaveNone == CU_TENSOR_MAP_INTERLEAVE_NONE);
static_assert(ours::kMapSwizzleNone == CU_TENSOR_MAP_SWIZZLE_NONE);
static_assert(ours::kMapSwizzle32 == CU_TENSOR_MAP_SWIZZLE_32B);
static_assert(ours::kMapSwizzle64 == CU_TENSOR_MAP_SWIZZLE_64B);
static_assert(ours::kMapSwizzle128 == CU_TENSOR_MAP_SWIZZLE_128B);
static_assert(ours::kMapL2Promotion256 == CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
static_assert(ours::kMapZerosOutside == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
static_assert(sizeof(ours::CUlaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(ours::CUlaunchConfig, grid_x) == offsetof(CUlaunchConfig, gridDimX));
static_assert(offsetof(ours::CUlaunchConfig, grid_y) == offsetof(CUlaunchConfig, gridDimY));
static_assert(offsetof(ours::CUlaunchConfig, grid_z) == offsetof(CUlaunchConfig, gridDimZ));
static_assert(offsetof(ours::CUlaunchConfig, block_x) == offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(ours::CUlaunchConfig, block_y) == offsetof(CUlaunchConfig, blockDimY));
static_assert(offsetof(ours::CUlaunchConfig, block_z) == offsetof(CUlaunchConfig, blockDimZ));
static_assert(offsetof(ours::CUlaunchConfig, shared_bytes) ==
              offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(ours::CUlaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(ours::CUlaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(ours::CUlaunchConfig, num_attributes) == offsetof(CUlaunchConfig, numAttrs));
static_assert(ours::kSharedBytesPerBlock == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
static_assert(ours::kL2Bytes == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
static_assert(ours::kMultiprocessors == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(ours::kThreadsPerBlock == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
static_assert(ours::kRegistersPerBlock == CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
static_assert(ours::kPeakClockKhz == CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
static_assert(ours::kThreadsPerMultiprocessor ==
              CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
static_assert(ours::kBlocksPerMultiprocessor == CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
static_assert(ours::kRegistersPerMultiprocessor ==
              CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
static_assert(ours::kSharedBytesPerMultiprocessor ==
              CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
static_assert(ours::kWarpSize == CU_DEVICE_ATTRIBUTE_WARP_SIZE);
static_assert(ours::kCapabilityMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(ours::kCapabilityMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);

/// One is passed as the other is: the same size, and both pointers, or both numbers.
template <typename Ours, typename Theirs>
constexpr bool kPassedAlike =
    sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;

template <typename Ours, typename Theirs>
constexpr bool kAlike = false;
template <typename OurResult, typename... Our, typename TheirResult, typename... Their>
constexpr bool kAlike<OurResult (*)(Our...), TheirResult (*)(Their...)> = [] {
  if constexpr (sizeof...(Our) == sizeof...(Their)) {
    return kPassedAlike<OurResult, TheirResult> && (kPassedAlike<Our, Their> && ...);
  }
  return false;
}();

static_assert(!kAlike<int (*)(int), int (*)(int, int)>);
static_assert(!kAlike<int (*)(int), int (*)(long)>);
static_assert(!kAlike<int (*)(long), int (*)(char*)>);

#define EXH_CUDA_FUNCTION(name, symbol, ...) \
  static_assert(kAlike<decltype(ours::DriverFunctions::name), decltype(&::name)>, #name);
#define EXH_CUDA_OPTIONAL EXH_CUDA_FUNCTION
#include "kernels/devices/cuda/driver/driver_functions.inc"
#undef EXH_CUDA_OPTIONAL
#undef EXH_CUDA_FUNCTION

#define EXH_NVRTC_FUNCTION(name, ...) \
  static_assert(kAlike<decltype(ours::NvrtcFunctions::name), decltype(&::name)>, #name);
#include "kernels/devices/cuda/driver/nvrtc_functions.inc"
#undef EXH_NVRTC_FUNCTION

// Of two functions with this name, the one with the newer type of what is computed in: the older is
// no symbol of the library.
using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                  int, const void*, const void*, cudaDataType, int, const void*,
                                  cudaDataType, int, const void*, void*, cudaDataType, int,
                                  cublasComputeType_t, cublasGemmAlgo_t);
using GemmStridedBatchedEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t,
                                                cublasOperation_t, int, int, int, const void*,
                                                const void*, cudaDataType, int, long long,
                                                const void*, cudaDataType, int, long long,
                                                const void*, void*, cudaDataType, int, long long,
                                                int, cublasComputeType_t, cublasGemmAlgo_t);
constexpr GemmEx kTheir_cublasGemmEx = &::cublasGemmEx;
constexpr GemmStridedBatchedEx kTheir_cublasGemmStridedBatchedEx = &::cublasGemmStridedBatchedEx;

#define EXH_CUBLAS_FUNCTION(library, name, symbol, ...) \
  static_assert(kAlike<decltype(ours::CublasFunctions::name), decltype(&::name)>, #name);
#define EXH_CUBLAS_OVERLOADED(library, name, symbol, ...)                                          \
  static_assert(                                                                                   \
      kAlike<decltype(ours::CublasFunctions::name), std::remove_const_t<decltype(kTheir_##name)>>, \
      #name);
#include "kernels/devices/cuda/vendor/cublas_functions.inc"
#undef EXH_CUBLAS_FUNCTION
static_assert(sizeof(ours::cublasLtAlgo) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(ours::cublasLtHeuristicResult) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(ours::cublasLtHeuristicResult, state) ==
              offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(ours::kDefaultMath == CUBLAS_DEFAULT_MATH);
static_assert(ours::kOpN == CUBLAS_OP_N && ours::kOpT == CUBLAS_OP_T);
static_assert(ours::kWideReductions == CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
static_assert(ours::kCompute32F == CUBLAS_COMPUTE_32F && ours::kReal32F == CUDA_R_32F);
static_assert(ours::kCompute64F == CUBLAS_COMPUTE_64F && ours::kReal64F == CUDA_R_64F);
static_assert(ours::kReal16F == CUDA_R_16F && ours::kReal16Bf == CUDA_R_16BF);
static_assert(ours::kDefaultAlgorithm == CUBLAS_GEMM_DEFAULT);
static_assert(ours::kLtReductions == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
static_assert(ours::kLtWideReductions == CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
static_assert(ours::kLtTransposeA == CUBLASLT_MATMUL_DESC_TRANSA);
static_assert(ours::kLtTransposeB == CUBLASLT_MATMUL_DESC_TRANSB);
static_assert(ours::kLtEpilogue == CUBLASLT_MATMUL_DESC_EPILOGUE);
static_assert(ours::kLtEpilogueRelu == CUBLASLT_EPILOGUE_RELU);
static_assert(ours::kLtBatchCount == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
static_assert(ours::kLtBatchStep == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
static_assert(ours::kLtMostWorkspaceBytes == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);

// cuda.h renames a function when its prototype changes: the macro's value is the symbol.
#define EXH_TEXT_OF(name) #name
#define EXH_TEXT(name) EXH_TEXT_OF(name)

TEST(CudaHeaders, TheSymbolsAreThoseOfTheNames) {
#define EXH_CUDA_FUNCTION(name, symbol, ...) EXPECT_EQ(std::string_view(EXH_TEXT(name)), symbol);
#define EXH_CUDA_OPTIONAL EXH_CUDA_FUNCTION
#include "kernels/devices/cuda/driver/driver_functions.inc"
#undef EXH_CUDA_OPTIONAL
#undef EXH_CUDA_FUNCTION
#define EXH_CUBLAS_FUNCTION(library, name, symbol, ...) \
  EXPECT_EQ(std::string_view(EXH_TEXT(name)), symbol);
#include "kernels/devices/cuda/vendor/cublas_functions.inc"
#undef EXH_CUBLAS_FUNCTION
}

}  // namespace

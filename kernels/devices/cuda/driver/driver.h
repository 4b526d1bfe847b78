// SPDX-License-Identifier: MIT
//
// The CUDA driver, as a table of functions that is filled when the program runs. No header of the
// toolkit is needed: the few types and numbers are declared here, and a test compares them with
// cuda.h where that is installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace exh::kernels::cuda {

// As in cuda.h.
using CUresult = int;
using CUdevice = int;
using CUdevice_attribute = int;
using CUfunction_attribute = int;
using CUstreamCaptureMode = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CudaContext*;
using CUmodule = struct CudaModule*;
using CUfunction = struct CudaFunction*;
using CUstream = struct CudaStream*;
using CUevent = struct CudaEvent*;
using CUgraph = struct CudaGraph*;
using CUgraphExec = struct CudaGraphExec*;
struct CUlaunchAttribute {
  int id = 0;
  char padding[4] = {};
  alignas(8) int value = 0;
  char rest[60] = {};
};
struct CUlaunchConfig {
  unsigned int grid_x = 1, grid_y = 1, grid_z = 1, block_x = 1, block_y = 1, block_z = 1;
  unsigned int shared_bytes = 0;
  CUstream stream = nullptr;
  CUlaunchAttribute* attributes = nullptr;
  unsigned int num_attributes = 0;
};
/// What bulk copies see an array as; only the driver knows its bytes.
struct alignas(128) CUtensorMap {
  unsigned char bytes[128] = {};
};
using CUtensorMapDataType = int;
using CUtensorMapInterleave = int;
using CUtensorMapSwizzle = int;
using CUtensorMapL2promotion = int;
using CUtensorMapFloatOOBfill = int;
inline constexpr CUresult kSuccess = 0;       ///< CUDA_SUCCESS.
inline constexpr CUresult kNoSuchName = 500;  ///< CUDA_ERROR_NOT_FOUND.
inline constexpr CUresult kNotReady = 600;    ///< CUDA_ERROR_NOT_READY.
inline constexpr CUfunction_attribute kMaxDynamicSharedBytes =
    8;  ///< CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES.
inline constexpr CUfunction_attribute kLargeClusters =
    14;  ///< CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED.
inline constexpr CUstreamCaptureMode kCaptureThreadLocal =
    1;                                             ///< CU_STREAM_CAPTURE_MODE_THREAD_LOCAL.
inline constexpr unsigned kNonBlockingStream = 1;  ///< CU_STREAM_NON_BLOCKING.
inline constexpr CUdevice_attribute kSharedBytesPerBlock =
    97;  ///< CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN.
inline constexpr CUdevice_attribute kL2Bytes = 38;  ///< CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE.
inline constexpr CUdevice_attribute kMultiprocessors =
    16;  ///< CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT.
inline constexpr CUdevice_attribute kCapabilityMajor = 75;  ///< …_COMPUTE_CAPABILITY_MAJOR.
inline constexpr CUdevice_attribute kCapabilityMinor = 76;  ///< …_COMPUTE_CAPABILITY_MINOR.

inline constexpr CUdevice_attribute kThreadsPerBlock = 1;     ///< …_MAX_THREADS_PER_BLOCK.
inline constexpr CUdevice_attribute kRegistersPerBlock = 12;  ///< …_MAX_REGISTERS_PER_BLOCK.
inline constexpr CUdevice_attribute kPeakClockKhz = 13;       ///< …_CLOCK_RATE.
inline constexpr CUdevice_attribute kThreadsPerMultiprocessor =
    39;  ///< CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR.
inline constexpr CUdevice_attribute kBlocksPerMultiprocessor =
    106;  ///< CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR.
inline constexpr CUdevice_attribute kRegistersPerMultiprocessor =
    82;  ///< CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR.
inline constexpr CUdevice_attribute kSharedBytesPerMultiprocessor =
    81;  ///< CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR.
inline constexpr CUdevice_attribute kWarpSize = 10;  ///< CU_DEVICE_ATTRIBUTE_WARP_SIZE.
/// CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION: a kernel may begin before the one before
/// it on its stream has ended, when that says so, and waits for it itself.
inline constexpr int kEarlyLaunch = 6;
/// CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: the blocks of a cluster, as three numbers that begin
/// where the value of another attribute does.
inline constexpr int kClusterLaunch = 4;
/// Blocks that clusters of every GPU may have which has them.
inline constexpr std::uint32_t kPortableCluster = 8;
/// The least compute capability that has clusters: 9.0.
inline constexpr int kClustersFrom = 90;

// Of tensor maps: types of elements that are copied as they are, …
inline constexpr CUtensorMapDataType kMapOf1Byte = 0;   ///< CU_TENSOR_MAP_DATA_TYPE_UINT8.
inline constexpr CUtensorMapDataType kMapOf2Bytes = 1;  ///< …_UINT16.
inline constexpr CUtensorMapDataType kMapOf4Bytes = 2;  ///< …_UINT32.
inline constexpr CUtensorMapDataType kMapOf8Bytes = 4;  ///< …_UINT64.
// … and how they are copied.
inline constexpr CUtensorMapInterleave kMapInterleaveNone = 0;  ///< CU_TENSOR_MAP_INTERLEAVE_NONE.
inline constexpr CUtensorMapSwizzle kMapSwizzleNone = 0;        ///< CU_TENSOR_MAP_SWIZZLE_NONE.
inline constexpr CUtensorMapSwizzle kMapSwizzle32 = 1;          ///< …_32B.
inline constexpr CUtensorMapSwizzle kMapSwizzle64 = 2;          ///< …_64B.
inline constexpr CUtensorMapSwizzle kMapSwizzle128 = 3;         ///< …_128B.
inline constexpr CUtensorMapL2promotion kMapL2Promotion256 =
    3;  ///< CU_TENSOR_MAP_L2_PROMOTION_L2_256B.
inline constexpr CUtensorMapFloatOOBfill kMapZerosOutside =
    0;  ///< CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE.
/// Axes that a tensor map may have.
inline constexpr std::size_t kMostMapAxes = 5;
/// The least compute capability that has tensor maps: 9.0.
inline constexpr int kTensorMapsFrom = 90;

/// The least compute capability with which launches overlap: 9.0.
inline constexpr int kLaunchesOverlapFrom = 90;

/// The functions of driver_functions.inc.
struct DriverFunctions {
#define EXH_CUDA_FUNCTION(name, symbol, ...) CUresult (*name)(__VA_ARGS__) = nullptr;
#define EXH_CUDA_OPTIONAL EXH_CUDA_FUNCTION
#include "kernels/devices/cuda/driver/driver_functions.inc"
#undef EXH_CUDA_OPTIONAL
#undef EXH_CUDA_FUNCTION
};

/// What a GPU says of itself.
struct DeviceFacts {
  int ordinal = 0;  ///< Its number: those before it may not answer.
  std::string name;
  int capability_major = 0, capability_minor = 0;
  int multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t shared_bytes = 0;  ///< Dynamic shared memory that a block may ask for.
  std::uint64_t l2_bytes = 0;
  /// What a multiprocessor holds at once; 0: it does not say.
  int threads_per_unit = 0, blocks_per_unit = 0, registers_per_unit = 0, shared_per_unit = 0;
  int warp_size = 0;
  int threads_per_block = 0, registers_per_block = 0;  ///< At most.
  int peak_clock_khz = 0;                              ///< Of the multiprocessors.

  /// 90 of 9.0.
  int capability() const { return 10 * capability_major + capability_minor; }
  /// What its compiler is told: "sm_90".
  std::string architecture() const {
    return "sm_" + std::to_string(capability_major) + std::to_string(capability_minor);
  }
};

struct DriverOrProblem;

/// A driver that is loaded and initialised. Copies share it.
class Driver {
 public:
  /// The names that the driver's library has.
  static std::vector<std::string> LibraryNames();
  /// Loads and initialises the first library of `names` that is there.
  static DriverOrProblem Load(std::span<const std::string> names);

  const DriverFunctions& functions() const { return functions_; }
  /// The CUDA version that it supports, "13.0".
  std::string version() const;
  /// All GPUs that it shows; one that does not answer is left out.
  std::vector<DeviceFacts> Devices() const;
  /// "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)".
  std::string ErrorText(CUresult result) const;

 private:
  DriverFunctions functions_;
};

/// A driver, or in one sentence why there is none and what would help.
struct DriverOrProblem {
  std::optional<Driver> driver;
  std::string problem;
};

}  // namespace exh::kernels::cuda

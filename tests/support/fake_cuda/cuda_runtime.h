// SPDX-License-Identifier: MIT
//
// As much of the CUDA runtime as an exported program needs, on the processor: g++ takes it for the
// toolkit's. Memory is the host's; the blocks of a launch run one after the other, the threads of a
// block at the same time. What is captured into a graph is not run, and everything takes half a
// millisecond.
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __shared__
#define __align__(bytes)  // Of shared memory; there is more of it below.
#define __forceinline__ inline
#define __launch_bounds__(...)
#define EXH_SHIM  // Printed texts know it: no instructions of a GPU.

// ---- What a device is
// ----------------------------------------------------------------------------

/// What the device claims to be, for tests to change.
inline int fake_capability = 90, fake_shared_bytes = 232448;
inline const char* fake_name = "NVIDIA H200";
/// Of the last launch.
inline std::size_t fake_shared_of_launch = 0;

enum cudaError_t {
  cudaSuccess,
  cudaErrorInvalidValue,
  cudaErrorMisalignedAddress,
  cudaErrorNoKernelImageForDevice,
  cudaErrorLaunchOutOfResources,
  cudaErrorInvalidDeviceFunction,
  cudaErrorNotSupported,
};
inline const char* cudaGetErrorString(cudaError_t error) {
  constexpr const char* kNames[] = {
      "success",          "invalid value",           "misaligned address", "no kernel image",
      "out of resources", "invalid device function", "not supported"};
  return kNames[error];
}

enum cudaDeviceAttr {
  cudaDevAttrComputeCapabilityMajor,
  cudaDevAttrComputeCapabilityMinor,
  cudaDevAttrMaxSharedMemoryPerBlockOptin,
};
inline int fake_devices = 1;  ///< The first one is the current one.

inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = fake_devices;
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrComputeCapabilityMajor   ? fake_capability / 10
           : attribute == cudaDevAttrComputeCapabilityMinor ? fake_capability % 10
                                                            : fake_shared_bytes;
  return cudaSuccess;
}

struct cudaDeviceProp {
  char name[256];
  int major, minor;
};
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::strncpy(properties->name, fake_name, sizeof properties->name);
  properties->major = fake_capability / 10;
  properties->minor = fake_capability % 10;
  return cudaSuccess;
}

// ---- Memory
// --------------------------------------------------------------------------------------

enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

template <typename T>
cudaError_t cudaMalloc(T** memory, std::size_t bytes) {
  *memory = static_cast<T*>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return cudaSuccess;
}
inline cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  std::memset(memory, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

// ---- Asynchronous copies, which arrive at once
// ---------------------------------------------------

template <int bytes>
void exh_copy_ca(void* to, const void* from, bool inside = true) {
  if (inside) {
    std::memcpy(to, from, bytes);
  } else {
    std::memset(to, 0, bytes);
  }
}
template <int bytes>
void exh_copy_cg(void* to, const void* from, bool inside = true) {
  exh_copy_ca<bytes>(to, from, inside);
}
inline void exh_commit() {}
template <int groups>
void exh_wait() {}

// ---- Streams, events, graphs
// ---------------------------------------------------------------------

using cudaStream_t = struct FakeStream*;
using cudaEvent_t = int;
using cudaGraph_t = int;
using cudaGraphExec_t = int;
enum cudaStreamCaptureMode { cudaStreamCaptureModeRelaxed };
inline bool fake_is_captured = false;

inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = nullptr;
  return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t) {
  return cudaMemset(memory, value, bytes);
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t*) {
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) {
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return cudaSuccess;
}
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 0.5f;
  return cudaSuccess;
}
inline cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  fake_is_captured = true;
  return cudaSuccess;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) {
  fake_is_captured = false;
  return cudaSuccess;
}
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t*, cudaGraph_t, unsigned) {
  return cudaSuccess;
}
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) {
  return cudaSuccess;
}

// ---- Words of kernels
// ----------------------------------------------------------------------------

struct float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
inline float2 make_float2(float x, float y) {
  return {x, y};
}
inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}

struct dim3 {
  dim3() = default;
  explicit dim3(unsigned size) : x(size) {}
  unsigned x = 1;
};
/// Launches do not overlap here.
inline void exh_let_next_begin() {}
inline void exh_await_previous() {}

struct FakeIndex {
  unsigned x;
};
inline thread_local FakeIndex threadIdx, blockIdx;

/// The shared memory of the block that runs; printed kernels declare it without a size.
inline constexpr std::size_t kFakeShared = 232448;
alignas(1024) inline float4 exh_shared[kFakeShared / sizeof(float4)];

inline std::barrier<>* fake_barrier = nullptr;
inline void __syncthreads() {
  fake_barrier->arrive_and_wait();
}
inline std::atomic<bool> fake_is_any = false;
inline int __syncthreads_or(int is_any) {
  if (is_any) fake_is_any = true;
  __syncthreads();
  const bool result = fake_is_any;
  __syncthreads();
  fake_is_any = false;
  __syncthreads();
  return result;
}
inline void __threadfence() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// Atomic operations return what was there before.
template <typename T, typename Change>
T FakeAtomic(T* memory, const Change& change) {
  T before, after;
  __atomic_load(memory, &before, __ATOMIC_SEQ_CST);
  do {
    after = change(before);
  } while (!__atomic_compare_exchange(memory, &before, &after, false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST));
  return before;
}
#define FAKE_ATOMIC(name, expression)                                  \
  template <typename T>                                                \
  T name(T* memory, std::type_identity_t<T> x) {                       \
    return FakeAtomic(memory, [&](T old) -> T { return expression; }); \
  }
FAKE_ATOMIC(atomicAdd, old + x)
FAKE_ATOMIC(atomicMin, std::min(old, x))
FAKE_ATOMIC(atomicMax, std::max(old, x))
FAKE_ATOMIC(atomicAnd, old& x)
FAKE_ATOMIC(atomicOr, old | x)
FAKE_ATOMIC(atomicXor, old ^ x)
FAKE_ATOMIC(atomicExch, (static_cast<void>(old), x))
template <typename T>
T atomicCAS(T* memory, std::type_identity_t<T> expected, std::type_identity_t<T> x) {
  return FakeAtomic(memory, [&](T old) { return old == expected ? x : old; });
}
/// Each element by itself.
inline float2 atomicAdd(float2* memory, float2 x) {
  return {atomicAdd(&memory->x, x.x), atomicAdd(&memory->y, x.y)};
}
inline float4 atomicAdd(float4* memory, float4 x) {
  return {atomicAdd(&memory->x, x.x), atomicAdd(&memory->y, x.y), atomicAdd(&memory->z, x.z),
          atomicAdd(&memory->w, x.w)};
}

inline unsigned __float_as_uint(float x) {
  return std::bit_cast<unsigned>(x);
}
inline float __uint_as_float(unsigned x) {
  return std::bit_cast<float>(x);
}
inline long long __double_as_longlong(double x) {
  return std::bit_cast<long long>(x);
}
inline double __longlong_as_double(long long x) {
  return std::bit_cast<double>(x);
}

#define FAKE_LOAD(name)   \
  template <typename T>   \
  T name(const T* from) { \
    return *from;         \
  }
FAKE_LOAD(__ldg)
FAKE_LOAD(__ldca)
FAKE_LOAD(__ldcg)
FAKE_LOAD(__ldcv)
FAKE_LOAD(__ldcs)
#define FAKE_STORE(name)      \
  template <typename T>       \
  void name(T* to, T value) { \
    *to = value;              \
  }
FAKE_STORE(__stcg)
FAKE_STORE(__stcs)
FAKE_STORE(__stwb)

// ---- Launches
// ------------------------------------------------------------------------------------

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize,
  cudaFuncAttributeNonPortableClusterSizeAllowed
};
inline std::size_t fake_shared_allowed = 48 << 10;
/// May clusters have more than 8 blocks?
inline bool fake_large_clusters = false;
/// Launches of clusters so far.
inline int fake_cluster_launches = 0;

template <typename... Arguments>
cudaError_t cudaFuncSetAttribute(void (*)(Arguments...), cudaFuncAttribute attribute, int value) {
  if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
    fake_large_clusters = value != 0;
    return cudaSuccess;
  }
  fake_shared_allowed = static_cast<std::size_t>(value);
  return cudaSuccess;
}

/// Of the launches so far, those that may begin before the one before them has ended.
inline int fake_early_launches = 0;

template <typename... Arguments>
cudaError_t FakeLaunch(void (*kernel)(Arguments...), dim3 grid, dim3 block,
                       const std::tuple<Arguments...>& values, std::size_t shared_bytes) {
  if (shared_bytes > fake_shared_allowed) return cudaErrorInvalidValue;
  fake_shared_of_launch = shared_bytes;
  if (fake_is_captured) return cudaSuccess;
  std::barrier<> barrier(block.x);
  fake_barrier = &barrier;
  const auto run = [&](unsigned thread) {
    threadIdx.x = thread;
    for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
      if (thread == 0) std::memset(exh_shared, 0xff, sizeof(exh_shared));  // NaN
      barrier.arrive_and_wait();
      std::apply(kernel, values);
      barrier.arrive_and_wait();
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned thread = 0; thread < block.x; ++thread) threads.emplace_back(run, thread);
  return cudaSuccess;
}

template <typename... Arguments>
cudaError_t cudaLaunchKernel(void (*kernel)(Arguments...), dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t) {
  const auto values = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<Arguments...>(*static_cast<Arguments*>(arguments[I])...);
  }
  (std::index_sequence_for<Arguments...>());
  return FakeLaunch(kernel, grid, block, values, shared_bytes);
}

enum cudaLaunchAttributeID {
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  union {
    int programmaticStreamSerializationAllowed;
    struct {
      unsigned x, y, z;
    } clusterDim;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

template <typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Arguments...),
                               std::type_identity_t<Arguments>... values) {
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeClusterDimension) {
      const auto& cluster = attribute.val.clusterDim;
      const unsigned most = fake_large_clusters ? 16 : 8;
      const bool is_possible = cluster.x > 0 && cluster.x <= most && cluster.y == 1 &&
                               cluster.z == 1 && config->gridDim.x % cluster.x == 0;
      if (!is_possible || fake_capability < 90) return cudaErrorInvalidValue;
      ++fake_cluster_launches;
      continue;
    }
    if (attribute.id != cudaLaunchAttributeProgrammaticStreamSerialization) {
      return cudaErrorInvalidValue;
    }
    if (attribute.val.programmaticStreamSerializationAllowed == 0) continue;
    if (fake_capability < 90) return cudaErrorInvalidValue;
    ++fake_early_launches;
  }
  return FakeLaunch(kernel, config->gridDim, config->blockDim, std::tuple<Arguments...>(values...),
                    config->dynamicSmemBytes);
}

// SPDX-License-Identifier: MIT
//
// CUB's reductions behind functions of C, for reduction_peers.py. It is compiled once with nothing
// defined, once with EXH_FIXED_SEGMENTS (segments of one size, without their offsets) and once with
// EXH_ATOMIC (the reduction with atomics, whose order is not guaranteed): older versions of CCCL have
// the first only, and what does not compile is a peer that is not there.
#include <cuda_fp16.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda/std/limits>

#if __has_include(<cuda/__execution/determinism.h>) && defined(EXH_ATOMIC)
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>
#include <cuda/std/__execution/env.h>
#include <cuda/stream_ref>
#endif
#if !defined(EXH_ATOMIC) && !defined(EXH_FIXED_SEGMENTS)
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#endif

namespace {

enum Operator { kSum, kProd, kMin, kMax };
enum Type { kF64, kF32, kF16, kI64, kI32 };

/// What a call needs. `segments` is 0 for one reduction of all `items`.
struct Call {
  void* temporary;
  size_t* bytes;
  long long items, segments;
  cudaStream_t stream;
};

#ifdef EXH_ATOMIC

template <typename T>
cudaError_t Atomic(const Call& call, const void* in, void* out) {
  if (call.temporary == nullptr) {
    *call.bytes = 1;  // It allocates what it needs in the call.
    return cudaSuccess;
  }
  auto env = cuda::std::execution::env{
      cuda::stream_ref{call.stream},
      cuda::execution::require(cuda::execution::determinism::not_guaranteed)};
  return cub::DeviceReduce::Sum(static_cast<const T*>(in), static_cast<T*>(out),
                                static_cast<int>(call.items), env);
}

cudaError_t Run(int op, int type, const Call& call, const void* in, void* out) {
  if (op != kSum || call.segments != 0) return cudaErrorNotSupported;
  if (type == kF64) return Atomic<double>(call, in, out);
  if (type == kF32) return Atomic<float>(call, in, out);
  return type == kI32 ? Atomic<int>(call, in, out) : cudaErrorNotSupported;
}

#else

#ifndef EXH_FIXED_SEGMENTS
struct Times {
  long long size;
  __host__ __device__ long long operator()(long long i) const { return i * size; }
};
#endif

template <typename T, typename Reduction, typename Accumulator>
cudaError_t Reduce(const Call& call, const T* in, T* out, Reduction reduction, Accumulator init) {
#ifdef EXH_FIXED_SEGMENTS
  if (call.segments == 0) return cudaErrorNotSupported;
  const int size = static_cast<int>(call.items / call.segments);
  return cub::DeviceSegmentedReduce::Reduce(call.temporary, *call.bytes, in, out, call.segments,
                                            size, reduction, init, call.stream);
#else
  if (call.segments == 0) {
    return cub::DeviceReduce::Reduce(call.temporary, *call.bytes, in, out,
                                     static_cast<int>(call.items), reduction, init, call.stream);
  }
  const auto begin =
      thrust::make_transform_iterator(thrust::counting_iterator<long long>(0),
                                      Times{call.items / call.segments});
  return cub::DeviceSegmentedReduce::Reduce(call.temporary, *call.bytes, in, out, call.segments,
                                            begin, begin + 1, reduction, init, call.stream);
#endif
}

/// Halves are added up in floats, as ours are: T and its Accumulator.
template <typename T, typename Accumulator>
cudaError_t OfType(int op, const Call& call, const void* data, void* result) {
  const T* const in = static_cast<const T*>(data);
  T* const out = static_cast<T*>(result);
  using Limits = cuda::std::numeric_limits<Accumulator>;
  constexpr bool has_infinity = Limits::has_infinity;
  switch (op) {
    case kSum:
      return Reduce(call, in, out, cuda::std::plus<Accumulator>{}, Accumulator{0});
    case kProd:
      return Reduce(call, in, out, cuda::std::multiplies<Accumulator>{}, Accumulator{1});
    case kMin:
      return Reduce(call, in, out, cuda::minimum<Accumulator>{},
                    has_infinity ? Limits::infinity() : Limits::max());
    case kMax:
      return Reduce(call, in, out, cuda::maximum<Accumulator>{},
                    has_infinity ? -Limits::infinity() : Limits::lowest());
    default:
      return cudaErrorNotSupported;
  }
}

cudaError_t Run(int op, int type, const Call& call, const void* in, void* out) {
  switch (type) {
    case kF64:
      return OfType<double, double>(op, call, in, out);
    case kF32:
      return OfType<float, float>(op, call, in, out);
    case kF16:
      return OfType<__half, float>(op, call, in, out);
    case kI64:
      return OfType<long long, long long>(op, call, in, out);
    case kI32:
      return OfType<int, int>(op, call, in, out);
    default:
      return cudaErrorNotSupported;
  }
}

#endif

}  // namespace

/// Without `temporary` it says how many bytes of it are needed. 0, or an error of the CUDA runtime.
extern "C" int exh_reduce(int op, int type, void* temporary, size_t* bytes, const void* in,
                          void* out, long long items, long long segments, void* stream) {
  if (items >= (1LL << 31)) return cudaErrorNotSupported;
  const Call call{temporary, bytes, items, segments, static_cast<cudaStream_t>(stream)};
  return Run(op, type, call, in, out);
}

extern "C" int exh_cccl_version() { return CCCL_VERSION; }

// SPDX-License-Identifier: MIT
#include "kernels/cuda/device_programs.h"

namespace exh::kernels::cuda {

const std::string& DeviceProgramsSource() {
  static const std::string source = R"(
struct CheckResult {
  unsigned long long wrong, first_wrong;
  double max_error, max_ratio;
  unsigned long long guard;
};

// The bits of doubles that are not negative are ordered as the numbers are.
static __device__ void RaiseTo(double* target, double value) {
  for (int step = 16; step > 0; step /= 2) {
    value = fmax(value, __shfl_down_sync(0xffffffffu, value, step));
  }
  if (threadIdx.x % 32 == 0 && value > 0) {
    atomicMax(reinterpret_cast<unsigned long long*>(target),
              static_cast<unsigned long long>(__double_as_longlong(value)));
  }
}

// Every element against its reference and tolerance.
extern "C" __global__ void exh_check(const float* out, const double* reference,
                                     const double* tolerance, unsigned long long n,
                                     CheckResult* result) {
  const double infinity = __longlong_as_double(0x7ff0000000000000ll);
  double max_error = 0, max_ratio = 0;
  for (unsigned long long i = blockIdx.x * 1ull * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * 1ull * blockDim.x) {
    const double difference = fabs(static_cast<double>(out[i]) - reference[i]);
    const double error = difference <= infinity ? difference : infinity;
    if (!(error <= tolerance[i])) {
      atomicAdd(&result->wrong, 1ull);
      atomicMin(&result->first_wrong, i);
    }
    max_error = fmax(max_error, error);
    if (error > 0) max_ratio = fmax(max_ratio, error / tolerance[i]);
  }
  RaiseTo(&result->max_error, max_error);
  RaiseTo(&result->max_ratio, max_ratio);
}

// A guard zone: n words that all hold `word`.
extern "C" __global__ void exh_guard(const unsigned* zone, unsigned word, unsigned long long first,
                                     unsigned n, CheckResult* result) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
    if (zone[i] != word) atomicMin(&result->guard, first + i);
  }
}

// Spins for `ns` and leaves the cycles and the nanoseconds that passed.
extern "C" __global__ void exh_clock(unsigned long long ns, unsigned long long* result) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  // Starts when the timer ticks: its resolution may be a microsecond.
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now == begin);
  begin = now;
  const long long cycles = clock64();
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - begin < ns);
  result[0] = clock64() - cycles;
  result[1] = now - begin;
}

// A time `ns` from now.
extern "C" __global__ void exh_deadline(unsigned long long ns, unsigned long long* result) {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  *result = now + ns;
}

// The yardstick of bandwidth: a copy that streams, four vectors in flight a thread.
extern "C" __global__ void __launch_bounds__(512, 1)
exh_copy(const float4* __restrict__ from, float4* __restrict__ to, unsigned long long n) {
  const unsigned long long step = 512;
  unsigned long long i = blockIdx.x * 4ull * step + threadIdx.x;
  if (i + 3 * step < n) {
    const float4 a = __ldcs(from + i), b = __ldcs(from + i + step);
    const float4 c = __ldcs(from + i + 2 * step), d = __ldcs(from + i + 3 * step);
    __stcs(to + i, a);
    __stcs(to + i + step, b);
    __stcs(to + i + 2 * step, c);
    __stcs(to + i + 3 * step, d);
    return;
  }
  for (; i < n; i += step) __stcs(to + i, __ldcs(from + i));
}

// What the yardsticks need around the vendor's routines: elements that lie apart brought together,
// and max(x, 0).
extern "C" __global__ void exh_pack(const float* from, float* to, long long n, long long stride) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) to[i] = from[i * stride];
}
extern "C" __global__ void exh_relu(const float* from, float* to, long long n, long long) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) to[i] = fmaxf(from[i], 0.0f);
}

// The yardstick of arithmetic: n * 64 fused multiply-adds a thread, in 16 independent chains.
extern "C" __global__ void __launch_bounds__(256, 1) exh_fma(float* out, float a, float b, int n) {
  float x[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) x[i] = a + i + threadIdx.x;
  for (int round = 0; round < n; ++round) {
#pragma unroll
    for (int i = 0; i < 64; ++i) x[i % 16] = fmaf(x[i % 16], a, b);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 16; ++i) sum += x[i];
  if (sum == 12345.678f) out[threadIdx.x] = sum;
}
)";
  return source;
}

}  // namespace exh::kernels::cuda

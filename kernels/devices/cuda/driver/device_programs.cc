// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/driver/device_programs.h"

namespace exh::kernels::cuda {
namespace {

/// All but what there is of every type.
constexpr const char* kText = R"(
struct CheckResult {
  unsigned long long wrong, first_wrong;
  double max_error, max_ratio;
  double squares;
  unsigned long long counted;
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

// Elements in memory, named as in kernels as text.
using exh_f64 = double;
using exh_f32 = float;
struct exh_f16 { unsigned short bits; };
struct exh_bf16 { unsigned short bits; };
struct exh_f8e4m3 { unsigned char bits; };
struct exh_f8e5m2 { unsigned char bits; };
using exh_i64 = long long;
using exh_i32 = int;
using exh_u32 = unsigned;
using exh_i8 = signed char;
struct exh_bool { unsigned char byte; };

template <typename T>
static __device__ double Number(T element) { return static_cast<double>(element); }
static __device__ double Number(exh_f16 element) {
  float number;
  asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(element.bits));
  return number;
}
static __device__ double Number(exh_bf16 element) {
  return __int_as_float(static_cast<int>(element.bits) << 16);
}
// In nothing but integers and floats: GPUs before sm_89 convert none of it.
static __device__ double Number(exh_f8e4m3 element) {
  const int size = element.bits & 0x7f;
  const float number = size < 8 ? size * 0.001953125f : __int_as_float((size << 20) + 0x3c000000);
  if (size == 0x7f) return __longlong_as_double(0x7ff8000000000000ll);
  return element.bits < 0x80 ? number : -number;
}
static __device__ double Number(exh_f8e5m2 element) {
  return Number(exh_f16{static_cast<unsigned short>(element.bits << 8)});
}
// Neither 0 nor 1: no number, as which it is wrong.
static __device__ double Number(exh_bool element) {
  return element.byte < 2 ? element.byte : __longlong_as_double(0x7ff8000000000000ll);
}

// A reference as the type has it. Those of narrow types and of integers are rounded already.
template <typename T>
static __device__ double Rounded(double reference, T) { return reference; }
static __device__ double Rounded(double reference, float) { return static_cast<float>(reference); }

// As ErrorOf() of kernels/cpu/compare.h.
template <typename T>
static __device__ double ErrorOf(T element, double reference, double tolerance) {
  const double infinity = __longlong_as_double(0x7ff0000000000000ll);
  const double got = Number(element);
  if (tolerance == -2) return 0;
  if (reference != reference) return got != got ? 0 : infinity;
  if (tolerance == -1) {
    const double wanted = Rounded(reference, element);
    return __double_as_longlong(got) == __double_as_longlong(wanted) ? 0 : infinity;
  }
  if (fabs(reference) == infinity) return got == reference ? 0 : infinity;
  const double error = fabs(got - reference);
  return error <= infinity ? error : infinity;
}

// A reference of integers of 64 bits is no double: its bits are the integer.
static __device__ double ErrorOf(exh_i64 got, double reference, double) {
  const exh_i64 wanted = __double_as_longlong(reference);
  const unsigned long long a = got, b = wanted;
  return static_cast<double>(got < wanted ? b - a : a - b);
}

// Every element against its reference and tolerance: as Compare() of kernels/cpu/compare.h. An
// error of up to `forgiven` is none.
template <typename T>
static __device__ void Check(const T* out, const double* reference, const double* tolerance,
                             unsigned long long n, CheckResult* result, double forgiven) {
  const double infinity = __longlong_as_double(0x7ff0000000000000ll);
  double max_error = 0, max_ratio = 0, squares = 0;
  unsigned long long counted = 0;
  for (unsigned long long i = blockIdx.x * 1ull * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * 1ull * blockDim.x) {
    const double any = ErrorOf(out[i], reference[i], tolerance[i]);
    const double error = any <= forgiven ? 0 : any;
    const double allowed = fmax(tolerance[i], 0.0);
    if (!(error <= allowed && error < infinity)) {
      atomicAdd(&result->wrong, 1ull);
      atomicMin(&result->first_wrong, i);
    }
    max_error = fmax(max_error, error);
    if (error > 0) max_ratio = fmax(max_ratio, error / allowed);
    if (allowed > 0 && allowed < infinity) {
      squares += error / allowed * (error / allowed);
      ++counted;
    }
  }
  RaiseTo(&result->max_error, max_error);
  RaiseTo(&result->max_ratio, max_ratio);
  for (int step = 16; step > 0; step /= 2) {
    squares += __shfl_down_sync(0xffffffffu, squares, step);
    counted += __shfl_down_sync(0xffffffffu, counted, step);
  }
  if (threadIdx.x % 32 == 0 && counted > 0) {
    atomicAdd(&result->squares, squares);
    atomicAdd(&result->counted, counted);
  }
}

// Adds up a number for each word that depends on its place and its bits: whatever the order, the
// same words come to the same.
extern "C" __global__ void exh_hash(const unsigned* out, unsigned long long n,
                                    unsigned long long salt, unsigned long long* result) {
  unsigned long long sum = 0;
  for (unsigned long long i = blockIdx.x * 1ull * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * 1ull * blockDim.x) {
    unsigned long long x = (i + salt) * 0x9e3779b97f4a7c15ull + out[i];
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    sum += x ^ (x >> 31);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0) atomicAdd(result, sum);
}

// A guard zone: n words that all hold `word`, but for the first `skipped` bytes. Bytes of the zone
// are counted from `first`.
extern "C" __global__ void exh_guard(const unsigned* zone, unsigned word, unsigned skipped,
                                     unsigned long long first, unsigned n, CheckResult* result) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned changed = zone[i] ^ word;
    if (i == 0) changed &= 0xffffffffu << 8 * skipped;
    if (changed != 0) atomicMin(&result->guard, first + 4ull * i + (__ffs(changed) - 1) / 8);
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
// and max(x, 0), which is a NaN of one.
template <typename T>
static __device__ void Pack(const T* from, T* to, long long n, long long stride) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) to[i] = from[i * stride];
}
static __device__ exh_f64 Positive(exh_f64 x) { return x < 0 ? 0 : x; }
static __device__ exh_f32 Positive(exh_f32 x) { return x < 0 ? 0 : x; }
// From the sign to the bits of -infinity.
static __device__ bool IsBelow(unsigned bits, unsigned last) { return bits >= 0x8000 && bits <= last; }
static __device__ exh_f16 Positive(exh_f16 x) { return IsBelow(x.bits, 0xfc00) ? exh_f16{0} : x; }
static __device__ exh_bf16 Positive(exh_bf16 x) { return IsBelow(x.bits, 0xff80) ? exh_bf16{0} : x; }
static __device__ exh_f8e4m3 Positive(exh_f8e4m3 x) {
  return IsBelow(x.bits << 8, 0xfe00) ? exh_f8e4m3{0} : x;
}
static __device__ exh_f8e5m2 Positive(exh_f8e5m2 x) {
  return IsBelow(x.bits << 8, 0xfc00) ? exh_f8e5m2{0} : x;
}
template <typename T>
static __device__ void Relu(const T* from, T* to, long long n) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) to[i] = Positive(from[i]);
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

/// In `text`, $ is the word of a type.
std::string Of(const ir::TypeInfo& info, std::string text) {
  for (std::size_t at = 0; (at = text.find('$', at)) != std::string::npos;) {
    text.replace(at, 1, info.word);
  }
  return text;
}

std::string WithEveryType() {
  std::string text = kText;
  for (const ir::TypeInfo& info : ir::AllTypes()) {
    text += Of(info, R"(
extern "C" __global__ void exh_check_$(const exh_$* out, const double* reference,
                                       const double* tolerance, unsigned long long n,
                                       CheckResult* result, double forgiven) {
  Check(out, reference, tolerance, n, result, forgiven);
}
)");
    if (!info.is_float) continue;
    text += Of(info, R"(
extern "C" __global__ void exh_pack_$(const exh_$* from, exh_$* to, long long n,
                                      long long stride) {
  Pack(from, to, n, stride);
}
extern "C" __global__ void exh_relu_$(const exh_$* from, exh_$* to, long long n, long long) {
  Relu(from, to, n);
}
)");
  }
  return text;
}

}  // namespace

const std::string& DeviceProgramsSource() {
  static const std::string source = WithEveryType();
  return source;
}

std::string NameFor(std::string_view program, ir::Type type) {
  return std::string(program) + "_" + std::string(ir::WordOf(type));
}

}  // namespace exh::kernels::cuda

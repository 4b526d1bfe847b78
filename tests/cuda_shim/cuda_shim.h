// SPDX-License-Identifier: MIT
//
// CUDA C++ for the system's compiler: the words of the language that a printed kernel uses, so that
// the very text runs on the CPU. Pointers are replaced in the text (shim_source.h).
#pragma once

#include "tests/cuda_shim/bulk/words.h"
#include "tests/cuda_shim/launch.h"
#include "tests/cuda_shim/tracked.h"

#define EXH_SHIM  // Printed texts know it: no instructions of a GPU.
#define __global__
#define __device__
#define __shared__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __restrict__  // Nothing that stands for a pointer may have it.
#define __syncthreads() ::exh_shim::Barrier(__LINE__)
#define __syncthreads_or(value) ::exh_shim::BarrierOr(__LINE__, value)
#define __threadfence() ::exh_shim::Fence()
#define __shfl_xor_sync(mask, value, lanes) ::exh_shim::ShuffleXor(__LINE__, mask, value, lanes)
#define __syncwarp() ::exh_shim::SyncWarp(__LINE__)
#define exh_ballot(is_set) ::exh_shim::Ballot(__LINE__, is_set)
#define exh_swap(value, lanes) ::exh_shim::SwapValue(__LINE__, value, lanes)
#define exh_cluster_arrive() ::exh_shim::ClusterArrive()
#define exh_cluster_wait() ::exh_shim::ClusterWait(__LINE__)
#define exh_dmma(...) ::exh_shim::MultiplyTile(__LINE__, __VA_ARGS__)
#define exh_begin(value) static_cast<double>(value)
#define exh_mma_f16(...) ::exh_shim::MultiplyHalves<false>(__LINE__, __VA_ARGS__)
#define exh_mma_bf16(...) ::exh_shim::MultiplyHalves<true>(__LINE__, __VA_ARGS__)
#define exh_matrices_2(...) ::exh_shim::LoadMatrices(__LINE__, __VA_ARGS__)
#define exh_matrices_4(...) ::exh_shim::LoadMatrices(__LINE__, __VA_ARGS__)
#define exh_mma_f8e4m3(...) ::exh_shim::MultiplyF8(__LINE__, ::exh_shim::E4M3Value, __VA_ARGS__)
#define exh_mma_f8e5m2(...) ::exh_shim::MultiplyF8(__LINE__, ::exh_shim::E5M2Value, __VA_ARGS__)
#define exh_plain_matrices_2(...) ::exh_shim::LoadPlainMatrices(__LINE__, __VA_ARGS__)
#define exh_plain_matrices_4(...) ::exh_shim::LoadPlainMatrices(__LINE__, __VA_ARGS__)
#define exh_mma_i8(...) ::exh_shim::MultiplyBytes(__LINE__, __VA_ARGS__)

/// Of kernels whose launches overlap. When the next one may begin is no matter of right and wrong.
inline void exh_let_next_begin() {}
inline void exh_await_previous() {
  exh_shim::AwaitPrevious();
}

namespace exh_shim {
/// A scalar as the host has it (ir::Number::Cell()): what a kernel's parameter takes of it.
struct Cell {
  double value;
  operator double() const { return value; }
  operator float() const { return static_cast<float>(value); }
  operator int() const { return static_cast<int>(value); }
  operator unsigned() const { return static_cast<unsigned>(value); }
  operator long long() const { return __builtin_bit_cast(long long, value); }
};

/// What a register holds that nothing was written to: no number, of halves either, or one that
/// nobody wants.
template <typename T>
T Unwritten() {
  T value;
  __builtin_memset(&value, T(0.5) != T(0) || sizeof value == 2 ? 0xff : 0xa5, sizeof value);
  return value;
}

inline void MultiplyTile(int line, double& c0, double& c1, double& c2, double& c3, double a0,
                         double a1, double a2, double a3, double a4, double a5, double a6,
                         double a7, double b0, double b1, double b2, double b3) {
  double sums[] = {c0, c1, c2, c3};
  const double a[] = {a0, a1, a2, a3, a4, a5, a6, a7}, b[] = {b0, b1, b2, b3};
  Multiply(line, Tiles::kDoubles, sums, a, b);
  c0 = sums[0], c1 = sums[1], c2 = sums[2], c3 = sums[3];
}

/// The value of a bf16, which is the upper half of a float, or of an f16.
template <bool is_bf16>
double HalfValue(unsigned bits) {
  float value;
  if (is_bf16) {
    bits <<= 16;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
  }
  const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
  double size = exponent == 31  ? (fraction == 0 ? __builtin_inf() : __builtin_nan(""))
                : exponent == 0 ? __builtin_ldexp(fraction, -24)
                                : __builtin_ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 & 1 ? -size : size;
}

template <bool is_bf16>
void MultiplyHalves(int line, float& c0, float& c1, float& c2, float& c3, unsigned a0, unsigned a1,
                    unsigned a2, unsigned a3, unsigned b0, unsigned b1) {
  const unsigned words_a[] = {a0, a1, a2, a3}, words_b[] = {b0, b1};
  double sums[] = {c0, c1, c2, c3}, a[8], b[4];
  for (int i = 0; i < 8; ++i) a[i] = HalfValue<is_bf16>(words_a[i / 2] >> i % 2 * 16 & 0xffffu);
  for (int i = 0; i < 4; ++i) b[i] = HalfValue<is_bf16>(words_b[i / 2] >> i % 2 * 16 & 0xffffu);
  Multiply(line, Tiles::kHalves, sums, a, b);
  c0 = static_cast<float>(sums[0]), c1 = static_cast<float>(sums[1]);
  c2 = static_cast<float>(sums[2]), c3 = static_cast<float>(sums[3]);
}

/// The lanes say where rows are, eight for each matrix.
template <bool is_turned, typename Pointer, typename... Words>
void LoadRows(int line, const Pointer& row, Words&... words) {
  constexpr unsigned kCount = sizeof...(words);
  unsigned short own[8] = {};
  for (int i = 0; i < 8 && threadIdx.x % 32 < 8 * kCount; ++i) own[i] = row[i];
  unsigned all[kCount];
  is_turned ? Transpose(line, own, kCount, all) : TakeRows(line, own, kCount, all);
  const unsigned* next = all;
  ((words = *next++), ...);
}
template <typename Pointer>
void LoadMatrices(int line, unsigned& m0, unsigned& m1, const Pointer& row) {
  LoadRows<true>(line, row, m0, m1);
}
template <typename Pointer>
void LoadMatrices(int line, unsigned& m0, unsigned& m1, unsigned& m2, unsigned& m3,
                  const Pointer& row) {
  LoadRows<true>(line, row, m0, m1, m2, m3);
}
template <typename Pointer>
void LoadPlainMatrices(int line, unsigned& m0, unsigned& m1, const Pointer& row) {
  LoadRows<false>(line, row, m0, m1);
}
template <typename Pointer>
void LoadPlainMatrices(int line, unsigned& m0, unsigned& m1, unsigned& m2, unsigned& m3,
                       const Pointer& row) {
  LoadRows<false>(line, row, m0, m1, m2, m3);
}

/// A step of a group of warps, whose operands stay in shared memory.
template <Factor factor, bool begins = false, typename... Sums>
void MultiplyInPlace(int line, bool first_across, bool second_across, unsigned long long first,
                     unsigned long long second, Sums&... sums) {
  void* const all[] = {&sums...};
  MultiplyInPlace(StepInPlace{line, factor, begins, first_across, second_across, first, second, all,
                              sizeof...(sums)});
}

/// The lowest byte of a register is the first of four neighbours.
inline void MultiplyBytes(int line, int& c0, int& c1, int& c2, int& c3, unsigned a0, unsigned a1,
                          unsigned a2, unsigned a3, unsigned b0, unsigned b1) {
  const unsigned words_a[] = {a0, a1, a2, a3}, words_b[] = {b0, b1};
  double sums[] = {double(c0), double(c1), double(c2), double(c3)}, a[16], b[8];
  const auto value = [](unsigned word, int i) {
    return double(static_cast<signed char>(word >> i * 8 & 0xffu));
  };
  for (int i = 0; i < 16; ++i) a[i] = value(words_a[i / 4], i % 4);
  for (int i = 0; i < 8; ++i) b[i] = value(words_b[i / 4], i % 4);
  Multiply(line, Tiles::kBytes, sums, a, b);
  c0 = int(sums[0]), c1 = int(sums[1]), c2 = int(sums[2]), c3 = int(sums[3]);
}

/// Of floats of 8 bits; one of 5 bits of exponent is the upper half of an f16.
inline double E4M3Value(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 3 & 15), fraction = static_cast<int>(bits & 7);
  double size = (bits & 127) == 127 ? __builtin_nan("")
                : exponent == 0     ? __builtin_ldexp(fraction, -9)
                                    : __builtin_ldexp(8 + fraction, exponent - 10);
  return bits >> 7 & 1 ? -size : size;
}
inline double E5M2Value(unsigned bits) {
  return HalfValue<false>(bits << 8);
}

/// The lowest byte of a register is the first of four neighbours.
inline void MultiplyF8(int line, double value(unsigned), float& c0, float& c1, float& c2, float& c3,
                       unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0,
                       unsigned b1) {
  const unsigned words_a[] = {a0, a1, a2, a3}, words_b[] = {b0, b1};
  double sums[] = {c0, c1, c2, c3}, a[16], b[8];
  for (int i = 0; i < 16; ++i) a[i] = value(words_a[i / 4] >> i % 4 * 8 & 0xffu);
  for (int i = 0; i < 8; ++i) b[i] = value(words_b[i / 4] >> i % 4 * 8 & 0xffu);
  Multiply(line, Tiles::kBytes, sums, a, b);
  c0 = static_cast<float>(sums[0]), c1 = static_cast<float>(sums[1]);
  c2 = static_cast<float>(sums[2]), c3 = static_cast<float>(sums[3]);
}

template <typename T>
T ShuffleXor(int line, unsigned mask, T value, int lanes) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  bits = Shuffle(line, mask, bits, lanes);
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename T>
T SwapValue(int line, T value, int lanes) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  bits = Swap(line, bits, lanes);
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
}  // namespace exh_shim

/// Words of blocks that look back, as printed texts define them for a GPU.
inline void exh_tell(const exh_shim::Tracked<unsigned long long>& to, unsigned long long word) {
  to.at().Tell(word);
}
inline void exh_pause(unsigned) {}
inline unsigned long long exh_hear(const exh_shim::Tracked<unsigned long long>& from) {
  return from.at().Hear();
}

/// The same place in the memory that another block of the cluster shares.
template <typename T>
exh_shim::Tracked<T> exh_in_block(const exh_shim::Tracked<T>& place, int rank) {
  return exh_shim::Tracked<T>(place.at().InBlock(rank));
}

/// Asynchronous copies, as printed texts define them for a GPU: through all caches, …
template <int bytes, typename To, typename From>
void exh_copy_ca(const exh_shim::Tracked<To>& to, const exh_shim::Tracked<From>& from,
                 bool inside = true) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16);
  to.at().CopyFrom(from.at(), bytes, exh_shim::kUnit<To>, inside);
}
/// … and through those that all blocks share, which CUDA has for 16 bytes.
template <int bytes, typename To, typename From>
void exh_copy_cg(const exh_shim::Tracked<To>& to, const exh_shim::Tracked<From>& from,
                 bool inside = true) {
  static_assert(bytes == 16);
  to.at().CopyFrom(from.at(), bytes, exh_shim::kUnit<To>, inside);
}
inline void exh_commit() {
  exh_shim::CommitCopies();
}
template <int groups>
void exh_wait() {
  exh_shim::AwaitCopies(groups);
}

/// Batches of steps of groups of warps, and what makes stores visible to them.
inline void exh_publish() {
  exh_shim::Publish();
}
inline void exh_group_begin() {
  exh_shim::BeginBatch();
}
inline void exh_group_commit() {
  exh_shim::CommitBatch();
}
template <int batches>
void exh_group_wait() {
  exh_shim::AwaitBatches(batches);
}
template <typename T>
unsigned exh_shared_address(const exh_shim::Tracked<T>& place) {
  return place.at().InShared();
}

inline float2 make_float2(float x, float y) {
  return {x, y};
}
inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}
inline uint2 make_uint2(unsigned x, unsigned y) {
  return {x, y};
}
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}

extern "C" float fmaf(float a, float b, float c) noexcept;
extern "C" float fabsf(float x) noexcept;
extern "C" float sqrtf(float x) noexcept;
extern "C" float expf(float x) noexcept;
extern "C" float logf(float x) noexcept;
extern "C" float tanhf(float x) noexcept;
extern "C" float erff(float x) noexcept;
extern "C" float powf(float x, float y) noexcept;
inline float rsqrtf(float x) {
  return 1.0f / sqrtf(x);
}
extern "C" float fmaxf(float a, float b) noexcept;
extern "C" double fma(double a, double b, double c) noexcept;
extern "C" double fabs(double x) noexcept;
extern "C" double sqrt(double x) noexcept;
extern "C" double exp(double x) noexcept;
extern "C" double log(double x) noexcept;
extern "C" double tanh(double x) noexcept;
extern "C" double erf(double x) noexcept;
extern "C" double pow(double x, double y) noexcept;
inline double rsqrt(double x) {
  return 1.0 / sqrt(x);
}
extern "C" double fmax(double a, double b) noexcept;
extern "C" int abs(int x) noexcept;
extern "C" long long llabs(long long x) noexcept;
inline float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}
inline float __int_as_float(int bits) {
  return __builtin_bit_cast(float, bits);
}
inline float __uint_as_float(unsigned bits) {
  return __builtin_bit_cast(float, bits);
}
inline unsigned __float_as_uint(float value) {
  return __builtin_bit_cast(unsigned, value);
}
inline int __float_as_int(float value) {
  return __builtin_bit_cast(int, value);
}
inline long long __double_as_longlong(double value) {
  return __builtin_bit_cast(long long, value);
}
inline double __longlong_as_double(long long bits) {
  return __builtin_bit_cast(double, bits);
}

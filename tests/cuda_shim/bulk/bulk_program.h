// SPDX-License-Identifier: MIT
//
// Programs with bulk copies, written by hand in the style of the printed ones, compiled and run in
// the shim.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/cuda_shim/hand_program.h"
#include "tests/cuda_shim/shim_source.h"
#include "tests/support/compiled_texts.h"

namespace exh_shim {

/// A compiled program of one kernel, whose parameters are a, an input of elements T, c, floats, and
/// map_0, map_1, … of the launch.
template <typename T>
class BulkProgram {
 public:
  BulkProgram(const std::string& body, const exh::kernels::Launch& launch, std::size_t elements,
              std::size_t outputs = kElements)
      : outputs_(outputs),
        compiled_(
            1,
            [&](std::size_t i) {
              return ShimSource({Text(body, launch.maps.size()), launch},
                                {{"a", elements, false, sizeof(T)}, {"c", outputs, true}}, 0, i);
            },
            kPrologue, CompilerFlags()) {}

  Result Run(const std::vector<T>& a, int thread_order) const {
    const auto run = reinterpret_cast<RunFunction>(compiled_.Find(0, "exh_shim_run_0"));
    if (run == nullptr) return {"did not compile: " + compiled_.CompilerError(0), {}, {}};
    // As a device has it.
    alignas(64) static thread_local T values[1 << 16];
    std::copy(a.begin(), a.end(), values);
    Result result;
    result.c.assign(outputs_, -1.0f);
    result.written.resize(outputs_);
    void* const arrays[] = {values, result.c.data()};
    unsigned char* const written[] = {nullptr, result.written.data()};
    char error[256];
    run(arrays, nullptr, written, error, sizeof(error), thread_order);
    result.error = error;
    return result;
  }

 private:
  static std::string Text(const std::string& body, std::size_t num_maps) {
    std::string maps;
    for (std::size_t i = 0; i < num_maps; ++i) {
      maps += ", const __grid_constant__ exh_tensor_map map_" + std::to_string(i);
    }
    return R"(
#ifndef EXH_SHIM
struct alignas(64) exh_tensor_map { unsigned char bytes[128]; };
#endif
extern __shared__ float4 exh_shared[];
extern "C" __global__ void __launch_bounds__(256, 1)
exh_kernel(const )" +
           std::string(sizeof(T) == 2 ? "unsigned short" : "float") +
           "* __restrict__ arg_a, float* __restrict__ arg_c" + maps + R"() {
  const unsigned t = threadIdx.x;
  unsigned char* const exh_bytes = reinterpret_cast<unsigned char*>(exh_shared);
#line 1
)" + body + "}\n";
  }

  std::size_t outputs_;
  exh::kernels::testing::CompiledTexts compiled_;
};

/// `body`, where what stands in it exactly once is something else.
inline std::string Replaced(std::string body, const std::string& what, const std::string& by) {
  const std::size_t at = body.find(what);
  if (at == std::string::npos || body.find(what, at + 1) != std::string::npos) {
    ADD_FAILURE() << "not once: " << what;
    return body;
  }
  return body.replace(at, what.size(), by);
}

/// A tensor of floats, 32 wide and 96 high, of which a kernel adds up tiles of 8 rows: thread t
/// those elements whose number in the tile is t modulo 128.
struct TileSums {
  static constexpr unsigned kTiles = 12, kInTile = 256;

  static exh::kernels::Launch Launch(unsigned threads) {
    return {.grid = 1,
            .threads = threads,
            .shared_bytes = 4 * 1024 + 128,
            .maps = {{.array = 0,
                      .element_bytes = 4,
                      .extents = {32, 8 * kTiles},
                      .strides = {128},
                      .box = {32, 8}}}};
  }
  static std::vector<float> Input() {
    std::vector<float> a;
    for (unsigned i = 0; i < kTiles * kInTile; ++i) a.push_back(static_cast<float>(i * 7 % 1001));
    return a;
  }
  static float Sum(unsigned t) {
    const std::vector<float> a = Input();
    float sum = 0;
    for (unsigned i = t; i < kTiles * kInTile; i += 128) sum += a[i];
    return sum;
  }

  /// A ring of 3 tiles, barriers at byte 4096: one thread of the last 128 fills it, the first 128
  /// take from it. `kRing` makes the barriers, `kFill` and `kTake` are the roles.
  static inline const std::string kRing = R"(
  float* const tiles = reinterpret_cast<float*>(exh_shared);
  unsigned long long* const full = reinterpret_cast<unsigned long long*>(exh_bytes + 4096);
  unsigned long long* const empty = full + 3;
  if (t == 0) {
    for (int slot = 0; slot < 3; ++slot) {
      exh_barrier_init(full + slot, 1);
      exh_barrier_init(empty + slot, 128);
    }
    exh_barriers_made();
  }
  __syncthreads();
)";
  static inline const std::string kFill = R"(
  if (t >= 128) {
    exh_fewer_registers<24>();
    if (t != 160) return;
    for (int tile = 0; tile < 12; ++tile) {
      const int slot = tile % 3;
      exh_await(empty + slot, tile / 3 % 2 ^ 1u);
      exh_expect(full + slot, 1024);
      exh_bulk_copy(tiles + slot * 256, &map_0, full + slot, 0, tile * 8);
    }
    return;
  }
)";
  static inline const std::string kTake = R"(
  exh_more_registers<240>();
  float sum = 0.0f;
  for (int tile = 0; tile < 12; ++tile) {
    const int slot = tile % 3;
    exh_await(full + slot, tile / 3 % 2);
    sum += tiles[slot * 256 + t];
    sum += tiles[slot * 256 + 128 + t];
    exh_arrive(empty + slot);
  }
)";
  static inline const std::string kStore = "arg_c[t] = sum;\n";
  static inline const std::string kRoles = kRing + kFill + kTake + kStore;
};

/// bf16, 64 rows of a first factor and 8 of a second one, each 128 long: a group of warps
/// multiplies them in two steps of 64, which bulk copies bring with the swizzle of 128 bytes.
struct Product {
  static constexpr unsigned kRows = 64, kColumns = 8, kDepth = 128;

  static exh::kernels::Launch Launch() {
    const auto map = [](std::uint32_t rows) {
      return exh::kernels::TensorMap{.array = 0,
                                     .element_bytes = 2,
                                     .extents = {kDepth, kRows + kColumns},
                                     .strides = {2 * kDepth},
                                     .box = {64, rows},
                                     .swizzle_bytes = 128};
    };
    return {.grid = 1,
            .threads = 256,
            .shared_bytes = 2 * (8192 + 1024) + 64,
            .maps = {map(kRows), map(kColumns)}};
  }
  static int Value(unsigned row, unsigned k) { return static_cast<int>(row * 3 + k * 5) % 11 - 5; }
  static std::vector<unsigned short> Input() {
    std::vector<unsigned short> a;
    for (unsigned i = 0; i < (kRows + kColumns) * kDepth; ++i) {
      const auto value = static_cast<float>(Value(i / kDepth, i % kDepth));
      a.push_back(static_cast<unsigned short>(__builtin_bit_cast(unsigned, value) >> 16));
    }
    return a;
  }
  static int Sum(unsigned row, unsigned column) {
    int sum = 0;
    for (unsigned k = 0; k < kDepth; ++k) sum += Value(row, k) * Value(kRows + column, k);
    return sum;
  }
  /// What thread t stores of it: sums 0 and 3 of the PTX ISA.
  static float Stored(unsigned t) {
    const unsigned row = t / 32 * 16 + t % 32 / 4, column = t % 4 * 2;
    return static_cast<float>(Sum(row, column) + 4096 * Sum(row + 8, column + 1));
  }

  static inline const std::string kMake = R"(
  unsigned long long* const full = reinterpret_cast<unsigned long long*>(exh_bytes + 18432);
  unsigned long long* const empty = full + 1;
  if (t == 0) {
    exh_barrier_init(full, 1);
    exh_barrier_init(empty, 128);
    exh_barriers_made();
  }
  __syncthreads();
)";
  static inline const std::string kFill = R"(
  if (t >= 128) {
    if (t == 128) {
      for (int i = 0; i < 2; ++i) {
        exh_await(empty, i ^ 1u);
        exh_expect(full, 8192 + 1024);
        exh_bulk_copy(exh_bytes, &map_0, full, i * 64, 0);
        exh_bulk_copy(exh_bytes + 8192, &map_1, full, i * 64, 64);
      }
    }
    return;
  }
)";
  static inline const std::string kMultiply = R"(
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  const unsigned long long matrix = 1ull << 62 | 64ull << 32 | 1ull << 16;
  for (int i = 0; i < 2; ++i) {
    exh_await(full, i);
    exh_group_begin();
    for (int step = 0; step < 4; ++step) {
      exh_shim::MultiplyInPlace<exh_shim::Factor::kBf16>(__LINE__, false, false, matrix | 2 * step, matrix | 512 + 2 * step, c0, c1, c2, c3);
    }
    exh_group_commit();
    exh_group_wait<0>();
    exh_arrive(empty);
  }
  arg_c[t] = c0 + 4096 * c3;
)";
  static inline const std::string kBody = kMake + kFill + kMultiply;
};

}  // namespace exh_shim

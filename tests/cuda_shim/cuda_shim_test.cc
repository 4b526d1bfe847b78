// SPDX-License-Identifier: MIT
//
// Kernels written by hand in the style of the printed ones: right ones, and each defect that the
// shim must report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/cuda_shim/hand_program.h"

namespace exh_shim {
namespace {

using exh::kernels::Launch;
using ::testing::Each;
using ::testing::HasSubstr;

/// The kernel writes every element of c once, twice that of a, in every order.
void ExpectDoubles(const std::string& body, const Launch& launch) {
  const HandProgram kernel(body, launch);
  for (const int order : kOrders) {
    const Result result = kernel.Run(order);
    ASSERT_EQ(result.error, "") << "order " << order;
    EXPECT_THAT(result.written, Each(1)) << "order " << order;
    for (unsigned i = 0; i < kElements; ++i) EXPECT_EQ(result.c[i], 2.0f * static_cast<float>(i));
  }
}

/// Every order reports an error that holds the text.
void ExpectError(const std::string& body, const Launch& launch, const std::string& text) {
  const HandProgram kernel(body, launch);
  for (const int order : kOrders) {
    EXPECT_THAT(kernel.Run(order).error, HasSubstr(text)) << "order " << order;
  }
}

// Right kernels.

TEST(CudaShim, SharedMemoryAndBarriers) {
  ExpectDoubles(R"(
  float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 0;  // SHARED
  float v_sum = 0.0f;
  #pragma unroll 1
  for (int i = 0; i < 4; ++i) {
    if (t < 8) store4(tmp_a + 4 * t, load4(arg_a + block * 32 + 4 * t));
    __syncthreads();
    v_sum = tmp_a[t] + (i == 0 ? 0.0f : v_sum);  // Each pass adds a[t].
    __syncthreads();
  }
  arg_c[block * 32 + t] = v_sum * s_alpha / 4;
)",
                {.grid = 4, .threads = 32, .shared_bytes = 128});
}

/// A tile by a warp, whose lanes have elements as the PTX ISA says; the other warp has none.
TEST(CudaShim, MatrixUnit) {
  const std::string multiply = R"(
  if (t < 32) {
    const int g = t / 4, q = t % 4;
    double a[8], b[4], c[4];
    for (int i = 0; i < 8; ++i) a[i] = (g + i % 2 * 8) * 3 - (q + i / 2 * 4) * (q + i / 2 * 4);
    for (int i = 0; i < 4; ++i) b[i] = (q + i * 4) * 2 - g * 5;
    for (int i = 0; i < 4; ++i) c[i] = i;
    for (int step = 0; step < 2; ++step) {
      exh_dmma(c[0], c[1], c[2], c[3], a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], b[0], b[1], b[2], b[3]);
    }
    for (int i = 0; i < 4; ++i) arg_c[(g + i / 2 * 8) * 8 + 2 * q + i % 2] = static_cast<float>(c[i]);
  }
)";
  const HandProgram kernel(multiply, {.grid = 1, .threads = 64});
  for (const int order : kOrders) {
    const Result result = kernel.Run(order);
    ASSERT_EQ(result.error, "") << "order " << order;
    for (int row = 0; row < 16; ++row) {
      for (int column = 0; column < 8; ++column) {
        int sum = 0;
        for (int k = 0; k < 16; ++k) sum += (row * 3 - k * k) * (k * 2 - column * 5);
        const int first = row / 8 * 2 + column % 2;
        EXPECT_EQ(result.c[static_cast<std::size_t>(row * 8 + column)],
                  static_cast<float>(first + 2 * sum));
      }
    }
  }
}

/// The same of halves: lanes have neighbours along the depth, two in a register.
TEST(CudaShim, MatrixUnitOfHalves) {
  struct Type {
    const char* name;
    const char* bits;  ///< Of a whole number below 256, which both types have.
  };
  for (const Type& type :
       {Type{"bf16", "f >> 16"},
        Type{"f16", "x == 0 ? 0u : ((f >> 23) - 112u) << 10 | (f >> 13 & 1023u)"}}) {
    const std::string multiply = std::string(R"(
  if (t < 32) {
    const int g = t / 4, q = t % 4;
    const auto bits = [](int x) {
      const float value = x < 0 ? -x : x;
      unsigned f;
      __builtin_memcpy(&f, &value, sizeof f);
      return (x < 0 ? 0x8000u : 0u) | (()") +
                                 type.bits + R"() & 0xffffu);
    };
    const auto pair = [&](int low, int high) { return bits(low) | bits(high) << 16; };
    unsigned a[4], b[2];
    for (int i = 0; i < 4; ++i) {
      const int row = g + i % 2 * 8, k = 2 * q + i / 2 * 8;
      a[i] = pair(row * 3 - k * k, row * 3 - (k + 1) * (k + 1));
    }
    for (int i = 0; i < 2; ++i) {
      const int k = 2 * q + i * 8, column = g;
      b[i] = pair(k * 2 - column * 5, (k + 1) * 2 - column * 5);
    }
    float c[4];
    for (int i = 0; i < 4; ++i) c[i] = i;
    exh_mma_)" + type.name + R"((c[0], c[1], c[2], c[3], a[0], a[1], a[2], a[3], b[0], b[1]);
    for (int i = 0; i < 4; ++i) arg_c[(g + i / 2 * 8) * 8 + 2 * q + i % 2] = c[i];
  }
)";
    const HandProgram kernel(multiply, {.grid = 1, .threads = 64});
    const Result result = kernel.Run(0);
    ASSERT_EQ(result.error, "") << type.name;
    for (int row = 0; row < 16; ++row) {
      for (int column = 0; column < 8; ++column) {
        int sum = row / 8 * 2 + column % 2;
        for (int k = 0; k < 16; ++k) sum += (row * 3 - k * k) * (k * 2 - column * 5);
        EXPECT_EQ(result.c[static_cast<std::size_t>(row * 8 + column)], static_cast<float>(sum));
      }
    }
  }
}

/// The same of bytes: lanes have four neighbours along the depth, which a register holds, and a
/// step is 32 deep.
TEST(CudaShim, MatrixUnitOfBytes) {
  const std::string multiply = R"(
  if (t < 32) {
    const int g = t / 4, q = t % 4;
    unsigned a[4] = {}, b[2] = {};
    for (int i = 0; i < 8; ++i) {
      const int k = 4 * q + i % 4 + i / 4 * 16, at = 8 * (i % 4);
      for (int h = 0; h < 2; ++h) a[i / 4 * 2 + h] |= ((g + 8 * h) * 3 - k & 0xff) << at;
      b[i / 4] |= (k * 3 - g * 9 & 0xff) << at;
    }
    int c[4];
    for (int i = 0; i < 4; ++i) c[i] = i;
    exh_mma_i8(c[0], c[1], c[2], c[3], a[0], a[1], a[2], a[3], b[0], b[1]);
    for (int i = 0; i < 4; ++i) arg_c[(g + i / 2 * 8) * 8 + 2 * q + i % 2] = c[i];
  }
)";
  const HandProgram kernel(multiply, {.grid = 1, .threads = 64});
  const Result result = kernel.Run(0);
  ASSERT_EQ(result.error, "");
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      int sum = row / 8 * 2 + column % 2;
      for (int k = 0; k < 32; ++k) sum += (row * 3 - k) * (k * 3 - column * 9);
      EXPECT_EQ(result.c[static_cast<std::size_t>(row * 8 + column)], static_cast<float>(sum));
    }
  }
}

/// The same of floats of 8 bits: a step is 32 deep.
TEST(CudaShim, MatrixUnitOfF8) {
  struct Type {
    const char* name;
    const char* bits;  ///< Of a whole number that both types have.
  };
  for (const Type& type :
       {Type{"f8e4m3", "((f >> 20) - 960u)"}, Type{"f8e5m2", "((f >> 21) - 448u)"}}) {
    const std::string multiply = std::string(R"(
  if (t < 32) {
    const int g = t / 4, q = t % 4;
    const auto bits = [](int x) {
      const float value = x < 0 ? -x : x;
      unsigned f;
      __builtin_memcpy(&f, &value, sizeof f);
      return x == 0 ? 0u : (x < 0 ? 0x80u : 0u) | )") +
                                 type.bits + R"(;
    };
    const auto four = [&](int factor, int first) {
      unsigned word = 0;
      for (int i = 0; i < 4; ++i) word |= bits((factor * (first + i)) % 7 - 3) << 8 * i;
      return word;
    };
    unsigned a[4], b[2];
    for (int i = 0; i < 4; ++i) a[i] = four(g + i % 2 * 8 + 1, 4 * q + i / 2 * 16);
    for (int i = 0; i < 2; ++i) b[i] = four(g + 3, 4 * q + i * 16);
    float c[4];
    for (int i = 0; i < 4; ++i) c[i] = i;
    exh_mma_)" + type.name + R"((c[0], c[1], c[2], c[3], a[0], a[1], a[2], a[3], b[0], b[1]);
    for (int i = 0; i < 4; ++i) arg_c[(g + i / 2 * 8) * 8 + 2 * q + i % 2] = c[i];
  }
)";
    const HandProgram kernel(multiply, {.grid = 1, .threads = 64});
    const Result result = kernel.Run(0);
    ASSERT_EQ(result.error, "") << type.name;
    for (int row = 0; row < 16; ++row) {
      for (int column = 0; column < 8; ++column) {
        int sum = row / 8 * 2 + column % 2;
        for (int k = 0; k < 32; ++k) sum += ((row + 1) * k % 7 - 3) * ((column + 3) * k % 7 - 3);
        EXPECT_EQ(result.c[static_cast<std::size_t>(row * 8 + column)], static_cast<float>(sum));
      }
    }
  }
}

TEST(CudaShim, MatrixUnitsNeedWholeWarps) {
  const std::string multiply = R"(
  double x = 1, y = 1, z = 1, w = 1;
  if (t % 32 != 7) exh_dmma(x, y, z, w, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
  arg_c[t] = static_cast<float>(x);
)";
  ExpectError(multiply, {.grid = 1, .threads = 64}, "waits, but not thread");
  const std::string alone = R"(
  double x = 1, y = 1, z = 1, w = 1;
  exh_dmma(x, y, z, w, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
  arg_c[t] = static_cast<float>(x);
)";
  ExpectError(alone, {.grid = 1, .threads = 48}, "but not thread 48 of its warp");
}

TEST(CudaShim, GlobalTemporaries) {
  ExpectDoubles(R"(
  float* const tmp_a = exh_global + block * 64ull;  // GLOBAL
  tmp_a[63 - t] = 0.0f;
  tmp_a[63 - t] = __ldg(arg_a + block * 64 + t);
  __syncthreads();
  const float v = __ldca(tmp_a + (63 - t));
  __stcg(arg_c + block * 64 + t, fmaf(s_alpha, v, fmaxf(__int_as_float(0xff800000), 0.0f)));
)",
                {.grid = 2, .threads = 64, .global_bytes = 256});
}

TEST(CudaShim, VectorsAndCacheDirectives) {
  ExpectDoubles(R"(
  float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 8;  // SHARED
  const float4 q = load4_cg(arg_a + 4 * t);
  store4(tmp_a + 4 * t, make_float4(q.x, q.y, q.z, q.w));
  float2 v = load2(tmp_a + 4 * t);
  v.x *= 2.0f, v.y *= s_alpha;
  store2_cs(arg_c + 4 * t, v);
  v = make_float2(tmp_a[4 * t + 2] * s_alpha, __fmaf_rn(tmp_a[4 * t + 3], 2.0f, 0.0f));
  *reinterpret_cast<float2*>(&arg_c[4 * t + 2]) = v;
)",
                {.threads = 32, .shared_bytes = 32 + 512});
}

TEST(CudaShim, TemporariesOfSeveralTypes) {
  ExpectDoubles(R"(
  unsigned short* const tmp_a = reinterpret_cast<unsigned short*>(exh_shared) + 0;
  double* const tmp_b = reinterpret_cast<double*>(exh_shared) + 8;
  signed char* const tmp_c = reinterpret_cast<signed char*>(exh_bytes) + block * 32ull;
  tmp_a[31 - t] = static_cast<unsigned short>(arg_a[block * 32 + t]);
  tmp_b[t] = t < 16 ? tmp_a[31 - t] : 0.5;
  __stcg(tmp_c + (t + 1) % 32, static_cast<signed char>(t < 30 ? 1 : 0));
  __syncthreads();
  union { unsigned short e[8]; uint4 words[1]; } q;
  q.words[0] = *(reinterpret_cast<const uint4*>(tmp_a) + (31 - t) / 8);
  union { signed char e[2]; unsigned short words[1]; } r;
  r.words[0] = __ldcg(reinterpret_cast<const unsigned short*>(tmp_c + t / 2 * 2));
  const float v = q.e[(31 - t) % 8];
  const float one = static_cast<float>((t < 31 && t > 0 ? r.e[t % 2] : 1)) + 0.5f * static_cast<float>(tmp_b[31]);
  arg_c[block * 32 + t] = v * s_alpha * (one - (tmp_b[20] == 0.5 ? 0.25f : 0.0f));
)",
                {.grid = 4, .threads = 32, .shared_bytes = 64 + 256, .global_bytes = 32});
}

TEST(CudaShim, RedundantThreadsThatWriteEqualValues) {
  ExpectDoubles(R"(
  float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 0;
  tmp_a[t / 2] = arg_a[block * 32 + t / 2];
  const float v = s_alpha * tmp_a[t / 2];
  if (t % 2 == 0) arg_c[block * 32 + t / 2] = v;
)",
                {.grid = 4, .threads = 64, .shared_bytes = 128});
}

TEST(CudaShim, ManyThreadsAndBarriers) {
  ExpectDoubles(R"(
  float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 0;
  tmp_a[t] = t < 128 ? arg_a[t] : 0.0f;
  for (int i = 0; i < 40; ++i) {
    __syncthreads();
    const float v = tmp_a[(t + 1) % 1024];
    __syncthreads();
    tmp_a[t] = v;
  }
  __syncthreads();
  if (t < 128) arg_c[t] = s_alpha * tmp_a[(t + 1024 - 40) % 1024];
)",
                {.threads = 1024, .shared_bytes = 4096});
}

TEST(CudaShim, Shuffles) {
  ExpectDoubles(R"(
  const float v = arg_a[block * 64 + (t ^ 5)];
  const float other = __shfl_xor_sync(0xffffffffu, v, 5);  // That of thread t ^ 5: a[t].
  const double again = __shfl_xor_sync(0xffffffffu, __shfl_xor_sync(0xffffffffu, 0.5 * other, 16), 16);
  arg_c[block * 64 + t] = s_alpha * (0.5f * other + static_cast<float>(again));
)",
                {.grid = 2, .threads = 64});
  ExpectDoubles(
      "const float v = arg_a[block * 8 + (t ^ 1)]; "
      "arg_c[block * 8 + t] = s_alpha * __shfl_xor_sync(255u, v, 1);",
      {.grid = 16, .threads = 8});
  // Warps shuffle apart from each other.
  ExpectDoubles(
      "float v = arg_a[block * 64 + (t < 32 ? t ^ 1 : t)];\n"
      "if (t < 32) v = __shfl_xor_sync(0xffffffffu, v, 1);\n"
      "arg_c[block * 64 + t] = s_alpha * v;",
      {.grid = 2, .threads = 64});
}

TEST(CudaShim, ReportsShufflesThatNotAllTakePartIn) {
  const Launch launch = {.threads = 64};
  ExpectError("arg_c[t] = __shfl_xor_sync(0x0000ffffu, 1.0f, 1);", launch, "not all are there");
  ExpectError("arg_c[t] = __shfl_xor_sync(0xffffffffu, 1.0f, 32);", launch, "not all are there");
  ExpectError("if (t < 16) arg_c[t] = __shfl_xor_sync(0xffffffffu, 1.0f, 1);", launch,
              "shuffles, but not thread 16 of its warp");
  ExpectError(
      "float v = 0; if (t < 16) v = __shfl_xor_sync(0xffffffffu, 1.0f, 1);\n"
      "if (t >= 16) v = __shfl_xor_sync(0xffffffffu, 1.0f, 1);\narg_c[t] = v;",
      launch, "shuffles, but not thread");
}

TEST(CudaShim, AShuffleIsNoBarrier) {
  ExpectError(R"(
  float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 0;
  tmp_a[t] = arg_a[t];
  const float v = __shfl_xor_sync(0xffffffffu, 1.0f, 1);
  arg_c[t] = tmp_a[t ^ 1] + v;
)",
              {.threads = 64, .shared_bytes = 256}, "since the start of the block");
}

/// Neither does a matrix unit order what threads do before it and after it: the one that was the
/// first to read is not the only one.
TEST(CudaShim, AMatrixUnitIsNoBarrier) {
  const std::string kernel = R"(
  double x = 1, y = 1, z = 1, w = 1;
  float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 0;
  if (t == $) tmp_a[0] = 2.0f;
  __syncthreads();
  arg_c[t] = tmp_a[0];
  exh_dmma(x, y, z, w, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
  if (t == $) tmp_a[0] = 3.0f;
)";
  for (const char* thread : {"0", "13", "31"}) {
    std::string text = kernel;
    for (std::size_t at = 0; (at = text.find('$')) != text.npos;) text.replace(at, 1, thread);
    ExpectError(text, {.threads = 32, .shared_bytes = 4}, "read since the barrier of line");
  }
}

// Asynchronous copies.

TEST(CudaShim, AsynchronousCopies) {
  ExpectDoubles(R"(
  float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 0;
  const auto from = arg_a + block * 64;
  if (t < 8) exh_copy_cg<16>(tmp_a + 4 * t, from + 4 * t);
  exh_commit();
  exh_copy_ca<4>(tmp_a + 32 + t, from + 32 + t);
  exh_commit();
  exh_wait<1>();
  __syncthreads();
  arg_c[block * 64 + t] = s_alpha * tmp_a[t];
  exh_wait<0>();
  __syncthreads();
  arg_c[block * 64 + 63 - t] = s_alpha * tmp_a[63 - t];
)",
                {.grid = 2, .threads = 32, .shared_bytes = 256});
}

TEST(CudaShim, CopiesFillWithZeros) {
  ExpectDoubles(R"(
  float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 0;
  exh_copy_ca<4>(tmp_a + t, arg_a + 100000 * t, t > 900);
  exh_commit();
  exh_wait<0>();
  arg_c[block * 32 + t] = s_alpha * arg_a[block * 32 + t] + tmp_a[t];
)",
                {.grid = 4, .threads = 32, .shared_bytes = 128});
}

TEST(CudaShim, RedundantThreadsThatCopyTheSame) {
  ExpectDoubles(R"(
  float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 0;
  exh_copy_ca<4>(tmp_a + t / 2, arg_a + block * 32 + t / 2);
  exh_commit();
  exh_wait<0>();
  __syncthreads();
  if (t < 32) arg_c[block * 32 + t] = s_alpha * tmp_a[t];
)",
                {.grid = 4, .threads = 64, .shared_bytes = 128});
}

TEST(CudaShim, ReportsCopiesThatNobodyWaitedFor) {
  const Launch launch = {.threads = 32, .shared_bytes = 256};
  const std::string begin =
      "float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 0;"
      "exh_copy_ca<4>(tmp_a + t, arg_a + t);";
  const std::string pending = "has not waited for";
  ExpectError(begin + "arg_c[t] = tmp_a[t];", launch, pending);
  ExpectError(begin + "__syncthreads(); arg_c[t] = tmp_a[31 - t];", launch, pending);
  // It is in no group yet, or in the latest one.
  ExpectError(begin + "exh_wait<0>(); arg_c[t] = tmp_a[t];", launch, pending);
  ExpectError(begin + "exh_commit(); exh_wait<1>(); arg_c[t] = tmp_a[t];", launch, pending);
  ExpectError(begin + "tmp_a[t] = 0.0f;", launch, pending);
  ExpectError(begin + "exh_copy_ca<4>(tmp_a + t, arg_a + t + 1);", launch, pending);
}

TEST(CudaShim, ReportsRacesOfCopies) {
  const Launch launch = {.threads = 32, .shared_bytes = 256};
  const std::string tmp = "float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 0;";
  const std::string copy = "exh_copy_ca<4>(tmp_a + t, arg_a + t); exh_commit(); exh_wait<0>();";
  // Others do not see what only this thread has waited for.
  ExpectError(tmp + copy + "arg_c[t] = tmp_a[31 - t];", launch, "since the start of the block");
  // Others may still read what was there.
  ExpectError(tmp + "tmp_a[t] = 1.0f; __syncthreads(); arg_c[t] = tmp_a[31 - t];" + copy, launch,
              "thread");
}

TEST(CudaShim, ReportsCopiesToAndFromTheWrongMemory) {
  const Launch launch = {.threads = 1, .shared_bytes = 64};
  const std::string tmp = "float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 0;";
  ExpectError("exh_copy_ca<4>(arg_c, arg_a);", launch, "copies to c[0], which is no shared memory");
  ExpectError(tmp + "exh_copy_ca<4>(tmp_a, tmp_a + 1);", launch, "copies from shared[1]");
  ExpectError(tmp + "exh_copy_ca<4>(tmp_a + 16, arg_a);", launch, "which has 16 elements");
  ExpectError(tmp + "exh_copy_ca<4>(tmp_a, arg_a + 128);", launch, "which has 128 elements");
  ExpectError(tmp + "exh_copy_ca<8>(tmp_a + 1, arg_a);", launch, "not aligned");
  ExpectError(tmp + "exh_copy_cg<16>(tmp_a, arg_a + 2);", launch, "not aligned");
}

// Barriers.

TEST(CudaShim, ReportsAMissingBarrier) {
  const HandProgram kernel(R"(
  float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 0;
  __syncthreads();
  tmp_a[t] = arg_a[t];
  arg_c[t] = tmp_a[t ^ 1];
)",
                           {.threads = 64, .shared_bytes = 256});
  EXPECT_EQ(kernel.Run(0).error,
            "block 0: thread 1 writes shared[1], which thread 0 read since the barrier of line 3");
  EXPECT_EQ(kernel.Run(1).error,
            "block 0: thread 62 writes shared[62], which thread 63 read since the barrier of "
            "line 3");
  EXPECT_THAT(kernel.Run(5).error, HasSubstr("since the barrier of line 3"));
}

TEST(CudaShim, ReportsAReadOfWhatAnotherThreadWrote) {
  const HandProgram kernel(R"(
  float* const tmp_a = exh_global + block * 64ull;
  tmp_a[t] = arg_a[t];
  arg_c[t] = tmp_a[t / 2];
)",
                           {.threads = 64, .global_bytes = 256});
  EXPECT_EQ(kernel.Run(0).error,
            "block 0: thread 1 reads global[0], which thread 0 wrote since the start of the block");
  EXPECT_THAT(kernel.Run(1).error, HasSubstr("read since the start of the block"));
}

TEST(CudaShim, ReportsAReadBeforeTheOwnWrite) {
  ExpectError(R"(
  float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 0;
  if (t == 0) tmp_a[0] = 0.0f;
  __syncthreads();
  tmp_a[0] = tmp_a[0] * 1.0f;
)",
              {.threads = 2, .shared_bytes = 4}, "since the barrier of line 4");
}

TEST(CudaShim, ReportsRacesOfElementsOfSeveralTypes) {
  const Launch launch = {.threads = 64, .shared_bytes = 64};
  // Neighbours write bytes of one word: no race, until a thread reads the word.
  ExpectError(R"(
  signed char* const tmp_a = reinterpret_cast<signed char*>(exh_shared) + 0;
  tmp_a[t] = 1;
  if (t % 4 == 0) arg_c[t] = static_cast<float>(*reinterpret_cast<unsigned*>(tmp_a + t));
)",
              launch, "since the start of the block");
  ExpectError(R"(
  unsigned short* const tmp_a = reinterpret_cast<unsigned short*>(exh_shared) + 0;
  tmp_a[t / 2] = static_cast<unsigned short>(t);
)",
              launch, "with another value");
}

TEST(CudaShim, ReportsDifferentValuesOfOneInterval) {
  const Launch launch = {.threads = 64, .shared_bytes = 4};
  ExpectError("reinterpret_cast<float*>(exh_shared)[0] = arg_a[t];", launch, "with another value");
  // Both threads write the same values in turn: one may see or leave the first of the other.
  ExpectError(R"(
  float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 0;
  tmp_a[0] = 1.0f;
  tmp_a[0] = 2.0f;
)",
              launch, "with another value");
  ExpectError(R"(
  float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 0;
  if (t == 0) tmp_a[0] = 1.0f;
  tmp_a[0] = 2.0f;
)",
              launch, "with another value");
}

TEST(CudaShim, SeedsShuffleTheThreads) {
  // The second thread to run is the one that is reported.
  const HandProgram kernel("reinterpret_cast<float*>(exh_shared)[0] = arg_a[t];",
                           {.threads = 64, .shared_bytes = 4});
  EXPECT_THAT(kernel.Run(0).error, HasSubstr("thread 1 "));
  EXPECT_THAT(kernel.Run(1).error, HasSubstr("thread 62 "));
  std::set<std::string> errors;
  for (int seed = 2; seed < 10; ++seed) errors.insert(kernel.Run(seed).error);
  EXPECT_GT(errors.size(), 4u);
  EXPECT_EQ(kernel.Run(9).error, kernel.Run(9).error);
}

TEST(CudaShim, ReportsABlockInTheSliceOfAnother) {
  ExpectError("exh_global[block * 32 + t] = 1.0f;", {.grid = 2, .threads = 64, .global_bytes = 256},
              "uses too");
}

TEST(CudaShim, ReportsADivergentBarrier) {
  ExpectError(R"(
  if (t < 32) {
    __syncthreads();
  }
)",
              {.grid = 2, .threads = 64},
              "thread 0 waits at the barrier of line 3, but thread 32 has ended");
  ExpectError(R"(
  if (t == 0) {
    __syncthreads();
  } else {
    __syncthreads();
  }
)",
              {.threads = 64},
              "block 0: thread 0 waits at the barrier of line 3, but thread 1 waits at the barrier "
              "of line 5");
}

// Addresses.

TEST(CudaShim, ReportsAccessesOutOfBounds) {
  const Launch launch = {.threads = 64, .shared_bytes = 252, .global_bytes = 16};
  ExpectError(R"(
  float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 0;
  tmp_a[t] = 1.0f;
)",
              launch, "thread 63 writes shared[63], which has 63 elements");
  ExpectError("arg_c[t] = reinterpret_cast<float*>(exh_shared)[int(t) - 60];", launch,
              ", which has 63 elements");
  ExpectError("store4(reinterpret_cast<float*>(exh_shared) + 60, make_float4(0, 0, 0, 0));", launch,
              "writes shared[63], which has 63 elements");
  ExpectError("arg_c[t] = arg_a[127 + t];", launch, ", which has 128 elements");
  ExpectError("arg_c[2 * t + 2] = 0.0f;", launch, "thread 63 writes c[128]");
  ExpectError("exh_global[t] = 0.0f;", launch, ", which has 4 elements");
  ExpectError("exh_global[t] = 0.0f;", {.threads = 64}, "writes outside of all arrays");
  ExpectError("reinterpret_cast<unsigned short*>(exh_shared)[t + 63] = 0;", launch,
              "writes shared[126], which has 126 elements");
  ExpectError("reinterpret_cast<unsigned short*>(arg_c)[t + 192] = 0;", launch,
              "writes 2 bytes of c[");
}

TEST(CudaShim, ReportsMisalignedVectors) {
  const Launch launch = {.threads = 1, .shared_bytes = 256};
  ExpectError("const float4 q = load4(reinterpret_cast<float*>(exh_shared) + 6); arg_c[0] = q.x;",
              launch, "reads 16 bytes at shared[6], which is not aligned to that");
  ExpectError("store4(arg_c + 2, make_float4(0, 0, 0, 0));", launch,
              "writes 16 bytes at c[2], which is not aligned to that");
  ExpectError("const float2 q = load2(arg_a + 1); arg_c[0] = q.x;", launch,
              "reads 8 bytes at a[1], which is not aligned to that");
}

TEST(CudaShim, ReportsLoadsAndStoresOfTheWrongMemory) {
  const Launch launch = {.threads = 1, .shared_bytes = 4};
  ExpectError("__stcg(reinterpret_cast<float*>(exh_shared), 1.0f);", launch,
              "writes shared[0] with a cache directive");
  ExpectError("arg_c[0] = __ldcs(reinterpret_cast<float*>(exh_shared));", launch,
              "reads shared[0] with a cache directive");
  ExpectError("arg_c[1] = __ldg(arg_c);", launch, "reads c[0] with __ldg");
  ExpectError("float* const p = reinterpret_cast<float*>(exh_shared) * 2;", launch,
              "did not compile: kernel_0.cu:1:");
}

// Values.

TEST(CudaShim, UnwrittenTemporariesAreNaNInEveryBlock) {
  const HandProgram kernel(R"(
  float* const tmp_a = reinterpret_cast<float*>(exh_shared) + 0;
  float* const tmp_b = exh_global + block * 4ull;
  arg_c[2 * block] = tmp_a[0];
  arg_c[2 * block + 1] = tmp_b[3];
  __syncthreads();
  tmp_a[0] = 1.0f, tmp_b[3] = 1.0f;
)",
                           {.grid = 3, .threads = 1, .shared_bytes = 4, .global_bytes = 16});
  for (const int order : kOrders) {
    const Result result = kernel.Run(order);
    EXPECT_EQ(result.error, "");
    for (unsigned i = 0; i < 6; ++i) EXPECT_TRUE(std::isnan(result.c[i])) << i;
  }
}

TEST(CudaShim, RegistersHoldNothingBeforeTheyAreWritten) {
  const HandProgram kernel(R"(
  float v_a_0, v_a_1;
  unsigned short v_b;
  int v_c;
  v_a_1 = 2.0f;
  if (t % 4 == 0) v_a_0 = 1.0f;
  if (t % 4 <= 1) {
    v_b = 1;
    v_c = 1;
  }
  arg_c[t] = t % 4 == 3 ? static_cast<float>(v_c + v_b) : t % 4 == 2 ? static_cast<float>(v_b) : v_a_0 + v_a_1;
)",
                           {.threads = 128});
  for (const int order : kOrders) {
    const Result result = kernel.Run(order);
    EXPECT_EQ(result.error, "");
    for (unsigned i = 0; i < kElements; i += 4) {
      EXPECT_EQ(result.c[i], 3.0f) << i;
      EXPECT_TRUE(std::isnan(result.c[i + 1])) << i;
      EXPECT_EQ(result.c[i + 2], 65535.0f) << i;
      EXPECT_NE(result.c[i + 3], 2.0f) << i;
    }
  }
}

TEST(CudaShim, CountsTheWritesOfOutputs) {
  const HandProgram kernel("arg_c[t / 2] = 3.0f;", {.grid = 2, .threads = 128});
  const Result result = kernel.Run(0);
  EXPECT_EQ(result.error, "");
  for (unsigned i = 0; i < kElements; ++i) EXPECT_EQ(result.written[i], i < 64 ? 4 : 0) << i;
  EXPECT_EQ(HandProgram("for (int i = 0; i < 300; ++i) arg_c[5] = 1.0f;", {}).Run(0).written[5],
            255);
}

}  // namespace
}  // namespace exh_shim

// SPDX-License-Identifier: MIT
//
// Programs written by hand in the style of the printed ones, compiled and run in the shim.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/cuda_shim/shim_source.h"
#include "tests/support/compiled_texts.h"

namespace exh_shim {

inline constexpr unsigned kElements = 128;  ///< Of the input a and of the output c.

/// Orders of threads and blocks: ascending, descending and two seeds.
inline constexpr int kOrders[] = {0, 1, 2, 77};

struct Result {
  std::string error;
  std::vector<float> c;
  std::vector<unsigned char> written;  ///< Writes of each element of c.
};

/// A compiled program; its kernels have the parameters a, c, alpha = 2 and exh_bytes, which is
/// `exh_global` of the printed ones.
class HandProgram {
 public:
  /// The statements of exh_kernel, and those of the kernels beside it as they stand in the launch.
  /// What the compiler says, a text that is not empty, stands in the error of every run.
  HandProgram(const std::string& body, const exh::kernels::Launch& launch,
              const std::vector<std::string>& sides = {})
      : compiled_(
            1,
            [&](std::size_t i) {
              std::string text = kHelpers + Text("exh_kernel", body);
              for (std::size_t k = 0; k < sides.size(); ++k) {
                text += Text(launch.sides.at(k).kernel, sides[k]);
              }
              return ShimSource({text, launch}, {{"a", kElements, false}, {"c", kElements, true}},
                                1, i);
            },
            kPrologue, CompilerFlags()) {}

  /// Of an input a[i] = i.
  Result Run(int thread_order) const {
    const auto run = reinterpret_cast<RunFunction>(compiled_.Find(0, "exh_shim_run_0"));
    if (run == nullptr) return {"did not compile: " + compiled_.CompilerError(0), {}, {}};
    alignas(64) float a[kElements], c[kElements];
    for (unsigned i = 0; i < kElements; ++i) a[i] = static_cast<float>(i);
    std::fill_n(c, kElements, -1.0f);
    Result result;
    result.written.resize(kElements);
    void* const arrays[] = {a, c};
    unsigned char* const written[] = {nullptr, result.written.data()};
    const double alpha = 2;
    char error[256];
    run(arrays, &alpha, written, error, sizeof(error), thread_order);
    result.error = error;
    result.c.assign(c, c + kElements);
    return result;
  }

 private:
  static constexpr const char* kHelpers = R"(
static __device__ __forceinline__ float4 load4(const float* p) { return *reinterpret_cast<const float4*>(p); }
static __device__ __forceinline__ float4 load4_cg(const float* p) { return __ldcg(reinterpret_cast<const float4*>(p)); }
static __device__ __forceinline__ float2 load2(const float* p) { return *reinterpret_cast<const float2*>(p); }
static __device__ __forceinline__ void store4(float* p, float4 v) { *reinterpret_cast<float4*>(p) = v; }
static __device__ __forceinline__ void store2_cs(float* p, float2 v) { __stcs(reinterpret_cast<float2*>(p), v); }
extern __shared__ float4 exh_shared[];
)";

  static std::string Text(const std::string& name, const std::string& body) {
    return R"(
extern "C" __global__ void __launch_bounds__(64, 1)
)" + name +
           R"((const float* __restrict__ arg_a, float* __restrict__ arg_c, float s_alpha, unsigned char* __restrict__ exh_bytes) {
  float* const exh_global = reinterpret_cast<float*>(exh_bytes);
  const unsigned t = threadIdx.x;
  const unsigned block = blockIdx.x;
#line 1
)" + body + "}\n";
  }

  exh::kernels::testing::CompiledTexts compiled_;
};

}  // namespace exh_shim

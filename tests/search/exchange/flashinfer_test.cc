// SPDX-License-Identifier: MIT
//
// Definitions of FlashInfer Trace as kernels, and workloads as shapes.
#include "search/exchange/flashinfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

ordered_json Gemm() {
  return ordered_json::parse(R"({"name": "gemm_n64", "op_type": "gemm",
    "axes": {"M": {"type": "var"}, "N": {"type": "const", "value": 64}, "K": {"type": "const", "value": 96}},
    "inputs": {"A": {"shape": ["M", "K"], "dtype": "float16"}, "B": {"shape": ["N", "K"], "dtype": "float16"}},
    "outputs": {"C": {"shape": ["M", "N"], "dtype": "float16"}},
    "reference": "import torch\n\ndef run(A, B):\n    C = torch.matmul(A, B.T)\n    return C"})");
}

ordered_json RmsNorm() {
  return ordered_json::parse(R"({"name": "rmsnorm_h8", "op_type": "rmsnorm",
    "axes": {"batch_size": {"type": "var"}, "h": {"type": "const", "value": 8}},
    "inputs": {"input": {"shape": ["batch_size", "h"], "dtype": "bfloat16"},
               "weight": {"shape": ["h"], "dtype": "bfloat16"}, "eps": {"shape": null, "dtype": "float32"}},
    "outputs": {"output": {"shape": ["batch_size", "h"], "dtype": "bfloat16"}},
    "reference": "import torch\ndef run(input, weight, eps):\n    v = input.to(torch.float32).pow(2).mean(-1, keepdim=True)\n    return input * torch.rsqrt(v + eps) * weight"})");
}

TEST(FlashInfer, DefinitionsBecomeKernels) {
  EXPECT_EQ(KernelOfDefinition(Gemm().dump()).text,
            R"(/// the definition 'gemm_n64' of FlashInfer Trace
kernel gemm_n64
  size M = 512
  size N = 64 in 64..64
  size K = 96 in 96..96
  input A: f16[M, K]
  input B: f16[N, K]
  output C: f16[M, N]
  product[i, j] = sum(p) A[i, p] * B[j, p]
  C[i, j] = product[i, j]
end
)");
  EXPECT_EQ(KernelOfDefinition(RmsNorm().dump()).text,
            R"(/// the definition 'rmsnorm_h8' of FlashInfer Trace
kernel rmsnorm_h8
  size batch_size = 512
  size h = 8 in 8..8
  input input_: bf16[batch_size, h]
  input weight: bf16[h]
  scalar eps = 0.000001
  output output_: bf16[batch_size, h]
  square[i] = (sum(j) cast(f32, input_[i, j]) * cast(f32, input_[i, j])) / h
  scaled[i, j] = cast(f32, input_[i, j]) * rsqrt(square[i] + eps) * cast(f32, weight[j])
  output_[i, j] = cast(bf16, scaled[i, j])
end
)");
  ordered_json known = RmsNorm();
  known["inputs"].erase("eps");
  known["reference"] = "EPS = 1e-5\n" + known["reference"].get<std::string>();
  EXPECT_THAT(KernelOfDefinition(known.dump()).text, HasSubstr("rsqrt(square[i] + 0.00001)"));
}

TEST(FlashInfer, WorkloadsBecomeShapes) {
  const FlashInferKernel kernel = KernelOfDefinition(Gemm().dump());
  EXPECT_EQ(ShapesOfWorkloads(R"({"definition": "gemm_n64", "workload": {"axes": {"M": 32}}}

{"definition": "other", "workload": {"axes": {"Q": 1}}}
{"uuid": "x", "axes": {"M": 7}}
{"definition": "gemm_n64", "workload": {"axes": {"M": 32}}}
)",
                              kernel, "gemm.kernel"),
            "{\"kernel\":\"gemm.kernel\",\"sizes\":{\"M\":32}}\n"
            "{\"kernel\":\"gemm.kernel\",\"sizes\":{\"M\":7}}\n");
  const auto refusal = [&](const std::string& lines) {
    return Thrown<UsageError>([&] { ShapesOfWorkloads(lines, kernel, "gemm.kernel"); });
  };
  EXPECT_THAT(refusal("{\"axes\": {\"M\": 1}}\n{\"axes\": {}}"), HasSubstr("line 2 has no 'M'"));
  EXPECT_THAT(refusal("{\"axes\": {\"M\": 0}}"), HasSubstr("line 1: 'M' is no whole number"));
  EXPECT_THAT(refusal("{"), HasSubstr("line 1"));
  EXPECT_THAT(refusal(""), HasSubstr("no workload of 'gemm_n64'"));
}

TEST(FlashInfer, WhatIsNotKnownIsRefused) {
  const auto refusal = [](const ordered_json& json) {
    return Thrown<UsageError>([&] { KernelOfDefinition(json.dump()); });
  };
  ordered_json gemm = Gemm();
  gemm["op_type"] = "gqa_paged";
  EXPECT_EQ(refusal(gemm), "op_type 'gqa_paged' is not known; gemm and rmsnorm are");
  for (const char* const wrong :
       {"def run(A, B):\n  return torch.relu(torch.matmul(A, B.T))",
        "def run(A, B):\n  return A @ B", "def run(A, B):\n  C = A @ B.T\n  C = C * 2\n  return C",
        "def run(A, B):\n  C = A @ B.T"}) {
    gemm = Gemm();
    gemm["reference"] = wrong;
    EXPECT_THAT(refusal(gemm), HasSubstr("its reference is not known to be C = A * B^T")) << wrong;
  }
  gemm = Gemm();
  gemm["inputs"]["A"]["dtype"] = "float8_e4m3fn";
  EXPECT_THAT(refusal(gemm), HasSubstr("dtype 'float8_e4m3fn' of 'A'"));
  gemm = Gemm();
  gemm["inputs"]["B"]["shape"] = {"K", "N"};
  EXPECT_THAT(refusal(gemm), HasSubstr("is not known"));
  gemm["inputs"]["B"]["shape"] = {"K", "Z"};
  EXPECT_THAT(refusal(gemm), HasSubstr("which is no axis"));
  ordered_json norm = RmsNorm();
  norm["reference"] = norm["reference"].get<std::string>() + " + (1.0 + weight)";
  EXPECT_THAT(refusal(norm), HasSubstr("nothing added to its weight"));
}

}  // namespace
}  // namespace exh::search

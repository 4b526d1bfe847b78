// SPDX-License-Identifier: MIT
//
// Definitions of FlashInfer Trace as kernels, and workloads as shapes.
#include "search/exchange/flashinfer/flashinfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "base/random.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

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

/// A definition whose constant axes, inputs and outputs are said shortly: "x: f32[b, d]".
std::string Defined(const std::string& op_type, const std::string& inputs,
                    const std::string& outputs, const std::string& reference,
                    const ordered_json& constant) {
  ordered_json json = {{"name", op_type + "_test"}, {"op_type", op_type}};
  json["axes"] = ordered_json::object();
  const auto tensors = [&](const std::string& text, const char* key) {
    json[key] = ordered_json::object();
    for (const std::string_view piece : Split(text, ';')) {
      const std::size_t colon = piece.find(':'), open = piece.find('[');
      ordered_json tensor;
      tensor["shape"] = nullptr;
      tensor["dtype"] = Trim(piece.substr(colon + 1, open - colon - 1));
      if (open != std::string_view::npos) {
        tensor["shape"] = ordered_json::array();
        for (const std::string_view axis :
             Split(piece.substr(open + 1, piece.size() - open - 2), ',')) {
          const std::string name(axis);
          tensor["shape"].push_back(name);
          json["axes"][name] = constant.contains(name)
                                   ? ordered_json{{"type", "const"}, {"value", constant[name]}}
                                   : ordered_json{{"type", "var"}};
        }
      }
      json[key][std::string(Trim(piece.substr(0, colon)))] = tensor;
    }
  };
  tensors(inputs, "inputs");
  tensors(outputs, "outputs");
  json["reference"] = "import math\nimport torch\nimport torch.nn.functional as F\n" + reference;
  return json.dump();
}

/// The statements of the kernel alone.
std::string StatementsOf(const std::string& definition) {
  const std::string text = KernelOfDefinition(definition).text;
  std::string statements;
  for (const std::string_view line : Split(text, '\n')) {
    if (line.find(" = ") != std::string_view::npos && !line.starts_with("size ") &&
        !line.starts_with("scalar ")) {
      statements += std::string(line) + "\n";
    }
  }
  return statements;
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
  C[i, j] = sum(k) A[i, k] * B[j, k]
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
  total[i] = sum(j) input_[i, j] * input_[i, j]
  v[i] = total[i] / 8
  output_[i, j] = input_[i, j] * rsqrt(v[i] + eps) * weight[j]
end
)");
}

TEST(FlashInfer, ReferencesAreReadLineByLine) {
  const ordered_json wide = {{"d", 64}};
  EXPECT_EQ(StatementsOf(Defined("softmax", "x: float32[b, d]", "y: float32[b, d]", R"(
@torch.no_grad()
def run(x):
    """What it says."""
    b, d = x.shape
    # Check constants
    assert d == 64
    return torch.softmax(x, dim=-1)
)",
                                 wide)),
            "top[i] = max(j) x[i, j]\n"
            "e[i, j] = exp(x[i, j] - top[i])\n"
            "total[i] = sum(j) e[i, j]\n"
            "y[i, j] = e[i, j] / total[i]\n");
  EXPECT_EQ(StatementsOf(Defined("layernorm", "x: float16[b, d]; w: float16[d]; s: float16[d]",
                                 "y: float16[b, d]", R"(
def run(x, w, s):
    x = x.to(torch.float32)
    mean = x.mean(-1, keepdim=True)
    var = ((x - mean) ** 2).mean(-1, keepdim=True)
    return ((x - mean) / torch.sqrt(var + 1e-5) * w + s).to(torch.float16)
)",
                                 wide)),
            "total[i] = sum(j) x[i, j]\n"
            "mean[i] = total[i] / 64\n"
            "t[i, j] = x[i, j] - mean[i]\n"
            "total_2[i] = sum(j) t[i, j] * t[i, j]\n"
            "var[i] = total_2[i] / 64\n"
            "y[i, j] = (x[i, j] - mean[i]) / sqrt(var[i] + 1e-05) * w[j] + s[j]\n");
  EXPECT_EQ(StatementsOf(Defined("activation", "x: bfloat16[b, two_d]", "y: bfloat16[b, d]", R"(
def run(x):
    d = x.shape[-1] // 2
    gate, up = x[:, :d].float(), x[..., d:].float()
    return (F.silu(gate) * up).to(x.dtype)
)",
                                 {{"d", 48}, {"two_d", 96}})),
            "y[i, j] = x[i, j] / (1 + exp(-x[i, j])) * x[i, j + 48]\n");
  EXPECT_EQ(StatementsOf(
                Defined("embedding", "ids: int64[b]; weight: bfloat16[v, d]", "y: bfloat16[b, d]",
                        "def run(ids, weight):\n    return weight[ids]", {{"v", 1000}, {"d", 64}})),
            "y[i, j] = weight[ids[i], j]\n");
  EXPECT_EQ(StatementsOf(Defined(
                "grouped_gemm", "A: float16[G, M, K]; B: float16[G, K, N]", "C: float16[G, M, N]",
                "def run(A, B):\n    return {'C': torch.bmm(A, B)}", {{"N", 32}, {"K", 48}})),
            "C[i, j, k] = sum(l) A[i, j, l] * B[i, l, k]\n");
  // A minus before a sum, a quotient of a quotient, powers.
  EXPECT_EQ(StatementsOf(Defined("other", "x: float32[b, d]; y: float32[b, d]", "z: float32[b, d]",
                                 "def run(x, y):\n    return -(x - (y - x)) / (x / y) ** 2", wide)),
            "t[i, j] = x[i, j] / y[i, j]\n"
            "z[i, j] = -(x[i, j] - (y[i, j] - x[i, j])) / (t[i, j] * t[i, j])\n");
}

TEST(FlashInfer, HeadsThatShareOneAreADimensionOfTheirOwn) {
  const std::string text =
      KernelOfDefinition(Defined("gqa",
                                 "q: float16[B, Q, H, D]; k: float16[B, KV, G, D]; "
                                 "v: float16[B, KV, G, D]; sm_scale: float32",
                                 "out: float16[B, Q, H, D]; lse: float32[B, Q, H]", R"(
def run(q, k, v, sm_scale):
    group = q.shape[2] // k.shape[2]
    kk = k.float().repeat_interleave(group, dim=2)
    vv = v.float().repeat_interleave(group, dim=2)
    logits = torch.einsum('bihd,bjhd->bhij', q.float(), kk) * sm_scale
    rows = torch.arange(q.shape[1], device=q.device)
    columns = torch.arange(k.shape[1], device=q.device)
    mask = columns[None, :] <= rows[:, None]
    logits = logits.masked_fill(~mask, float('-inf'))
    lse = (torch.logsumexp(logits, dim=-1) / math.log(2.0)).transpose(1, 2)
    out = torch.einsum('bhij,bjhd->bihd', torch.softmax(logits, dim=-1), vv)
    return out.to(torch.float16), lse
)",
                                 {{"H", 8}, {"G", 2}, {"D", 32}}))
          .text;
  EXPECT_EQ(text, R"(/// the definition 'gqa_test' of FlashInfer Trace
kernel gqa_test
  size B = 64
  size Q = 64
  size D = 32 in 32..32
  size KV = 64
  size G = 2 in 2..2
  input q: f16[B, Q, G, 4, D]
  input k: f16[B, KV, G, D]
  input v: f16[B, KV, G, D]
  scalar sm_scale = 0.5
  output out: f16[B, Q, G, 4, D]
  output lse: f32[B, Q, G, 4]
  total[i, j, l, m, n] = sum(o) q[i, m, j, l, o] * k[i, n, j, o]
  logits[i, j, l, m, n] = total[i, j, l, m, n] * sm_scale
  logits_2[i, j, l, m, n] = not n <= m ? -inf : logits[i, j, l, m, n]
  top[i, j, l, m] = max(n) logits_2[i, j, l, m, n]
  e[i, j, l, m, n] = exp(logits_2[i, j, l, m, n] - top[i, j, l, m])
  total_2[i, j, l, m] = sum(n) e[i, j, l, m, n]
  lse[i, m, j, l] = (top[i, j, l, m] + log(total_2[i, j, l, m])) / 0.6931471805599453
  out[i, m, j, l, o] = sum(n) e[i, j, l, m, n] / total_2[i, j, l, m] * v[i, n, j, o]
end
)");
}

TEST(FlashInfer, ConstraintsSayWhatAnAxisIs) {
  ordered_json json = ordered_json::parse(
      Defined("gqa", "q: float32[B, H_qo, D]; k: float32[B, H_kv, D]", "y: float32[B, H_qo, D]",
              "def run(q, k):\n    return q * k.repeat_interleave(4, dim=1)", {{"D", 32}}));
  json["constraints"] = {"H_qo == H_kv * 4"};
  const FlashInferKernel kernel = KernelOfDefinition(json.dump());
  EXPECT_THAT(kernel.text, HasSubstr("input q: f32[B, H_kv, 4, D]"));
  EXPECT_THAT(kernel.text, Not(HasSubstr("size H_qo")));
  EXPECT_EQ(kernel.derived.at("H_qo"), "H_kv * 4");
  json["constraints"] = {"H_qo == qo_indptr[-1].item()"};
  EXPECT_THAT(Thrown<UsageError>([&] { KernelOfDefinition(json.dump()); }),
              HasSubstr("about more than axes"));
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

TEST(FlashInfer, WhatIsNotUnderstoodIsRefused) {
  const auto refusal = [](const std::string& json) {
    return Thrown<UsageError>([&] { KernelOfDefinition(json); });
  };
  ordered_json gemm = Gemm();
  gemm["inputs"]["A"]["dtype"] = "float8_e4m3fnuz";
  EXPECT_THAT(refusal(gemm.dump()), HasSubstr("dtype 'float8_e4m3fnuz' of 'A'"));
  gemm = Gemm();
  gemm["inputs"]["B"]["shape"] = {"K", "N"};
  EXPECT_THAT(refusal(gemm.dump()), HasSubstr("line 4 of its reference"));
  EXPECT_THAT(refusal(gemm.dump()), HasSubstr("do not go together"));
  gemm["inputs"]["B"]["shape"] = {"K", "Z"};
  EXPECT_THAT(refusal(gemm.dump()), HasSubstr("which is no axis"));
  gemm = Gemm();
  gemm["inputs"]["kv_indptr"] = {{"shape", {"M"}}, {"dtype", "int32"}};
  EXPECT_EQ(refusal(gemm.dump()),
            "op_type 'gemm' has rows whose lengths and places are data ('kv_indptr'); a kernel has "
            "sizes that are known before a search");
  const auto reference = [&](const std::string& body) {
    ordered_json json = Gemm();
    json["reference"] = "import torch\ndef run(A, B):\n" + body;
    return refusal(json.dump());
  };
  const std::pair<const char*, const char*> wrong[] = {
      {"    return A @ B", "do not go together"},
      {"    C = A @ B.T", "returns nothing"},
      {"    for i in range(3):\n        A = A\n    return A @ B.T", "'for' is not understood"},
      {"    if A.shape[0] > 3:\n        A = A\n    return A @ B.T", "'if' is not understood"},
      {"    return torch.fft(A) @ B.T", "the function 'fft' is not known"},
      {"    A += B\n    return A @ B.T", "the input 'A' is changed"},
      {"    A[0] = 1\n    return A @ B.T", "is no name"},
      {"    return A @ B.T, A", "returns 2 and the definition has 1 outputs"},
      {"    return A.T @ A", "the shape of 'C'"},
      {"    return undefined @ B.T", "unknown name 'undefined'"},
      {"    return (A @ B.T", "a bracket is not closed"},
      {"    return A @ B.T + 'x", "a text without an end"},
      {"    return A[:, ::0] @ B.T", "a step of less than 1"},
      {"    return A[:3] @ B.T", "only a workload decides"},
      {"    return A.view(-1) @ B.T", "the function 'view' is not known"},
      {"    return (A @ B.T).cos()", "the function 'cos' is not known"},
      {"    return A[:, 0:48].sum(-1, keepdim=True) @ B.T", "a part of an array"},
      {"    return A.sum(5) @ B.T", "dimension 5 of 2"},
      {"    return torch.einsum('ij,jk', A, B.T)", "einsum without '->'"},
      {"    x, y = A\n    return A @ B.T", "several things are expected"},
      {"    A.relu_()\n    return A @ B.T", "gives nothing a name"},
      {"    return A @ B.T if A else B", "is missing before 'if'"},
  };
  for (const auto& [body, why] : wrong) EXPECT_THAT(reference(body), HasSubstr(why)) << body;
  ordered_json none = Gemm();
  none["reference"] = "C = 3";
  EXPECT_THAT(refusal(none.dump()), HasSubstr("has no function 'run'"));
  none["reference"] = "def run(A):\n    return A";
  EXPECT_THAT(refusal(none.dump()), HasSubstr("'run' takes 1 inputs, and there are 2"));
  none["reference"] = "def help(A):\n    return A\ndef run(A, B):\n    return A";
  EXPECT_THAT(refusal(none.dump()), HasSubstr("a function beside 'run'"));
}

TEST(FlashInfer, BrokenReferencesAreNeverMoreThanRefused) {
  Random random(5);
  const std::string whole =
      Gemm()["reference"].get<std::string>() +
      "\n    x = A[:, None, 1:3:2].softmax(dim=-1).mean((0, 1), keepdim=True)";
  constexpr std::string_view kSigns = "()[]{}:;,.@'\"\\#=+-*/%~&| \n\t019aTx_";
  for (int i = 0; i < 3000; ++i) {
    std::string text = whole;
    for (std::size_t change = 1 + random.Below(4); change > 0; --change) {
      const std::size_t at = random.Below(text.size());
      if (random.Below(2) == 0) {
        text[at] = kSigns[random.Below(kSigns.size())];
      } else {
        text.erase(at, 1 + random.Below(6));
      }
      if (text.empty()) text = " ";
    }
    ordered_json json = Gemm();
    json["reference"] = text;
    try {
      KernelOfDefinition(json.dump());
    } catch (const UsageError&) {
    }
  }
}

}  // namespace
}  // namespace exh::search

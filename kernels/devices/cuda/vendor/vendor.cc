// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/vendor/vendor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

namespace exh::kernels::cuda {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;
constexpr int kSuggestions = 16;
constexpr std::uint32_t kThreads = 256;
constexpr double kPatienceNs = 10e9;

const float* Floats(CUdeviceptr address) {
  return reinterpret_cast<const float*>(address);
}
float* Output(CUdeviceptr address) {
  return reinterpret_cast<float*>(address);
}
int Int(std::int64_t value) {
  return static_cast<int>(value);
}

}  // namespace

Vendor::Vendor(const Gpu& gpu, const Timer& timer, CUfunction pack, CUfunction relu)
    : gpu_(gpu), timer_(timer), pack_(pack), relu_(relu), workspace_(gpu, kWorkspaceBytes) {
  CublasOrProblem loaded = LoadCublas();
  if (!loaded.functions) throw GpuError(loaded.problem);
  functions_ = *loaded.functions;
  Check(functions_.cublasCreate(&cublas_), "cublasCreate");
  Check(functions_.cublasSetStream(cublas_, gpu.stream()), "cublasSetStream");
  // One workspace of our own: calls can then be captured into graphs.
  Check(functions_.cublasSetWorkspace(cublas_, Output(workspace_.data()), kWorkspaceBytes),
        "cublasSetWorkspace");
  Check(functions_.cublasSetMathMode(cublas_, kDefaultMath), "cublasSetMathMode");
  Check(functions_.cublasLtCreate(&cublaslt_), "cublasLtCreate");
  int version = 0;
  Check(functions_.cublasGetVersion(cublas_, &version), "cublasGetVersion");
  description_ = fmt::format("cuBLAS {}.{}.{}, CUBLAS_DEFAULT_MATH (fp32, no TF32)",
                             version / 10000, version / 100 % 100, version % 100);
}

void Vendor::Check(cublasStatus_t status, const char* routine) const {
  if (status != 0) throw GpuError(fmt::format("{}: status {}", routine, status));
}

void Vendor::Enqueue(const std::vector<Step>& steps) {
  for (const Step& step : steps) step();
}

void Vendor::Before() const {
  for (const std::vector<Step>& steps : before_) Enqueue(steps);
}

void Vendor::Prepare(const VendorCall& call, const std::vector<std::vector<CUdeviceptr>>& copies,
                     bool lt) {
  before_.assign(copies.size(), {});
  steps_.assign(copies.size(), {});
  scratch_ = Buffer(gpu_, 4 * call.scratch_floats);
  gpu_.Fill(scratch_.data(), 0, call.scratch_floats);
  for (std::size_t copy = 0; copy < copies.size(); ++copy) {
    for (const VendorStep& step : call.before)
      before_[copy].push_back(Make(step, copies[copy], lt));
    for (const VendorStep& step : call.steps) steps_[copy].push_back(Make(step, copies[copy], lt));
  }
}

Vendor::Step Vendor::Make(const VendorStep& s, const std::vector<CUdeviceptr>& arrays, bool lt) {
  const auto address = [&](int array) {
    return array == kScratch ? scratch_.data() : arrays.at(static_cast<std::size_t>(array));
  };
  const CUdeviceptr a = address(s.a), b = address(s.b), c = address(s.c);
  switch (s.op) {
    case VendorStep::Op::kGemm: {
      if (lt) return GemmLt(s, a, b, c);
      const Step product = Gemm(s, a, b, c);
      if (!s.relu) return product;
      const Step relu = Elementwise(relu_, c, c, s.m * s.n * s.batch, 1);
      return [=] {
        product();
        relu();
      };
    }
    case VendorStep::Op::kGemv:
      // Column-major, the matrix is n x m.
      return [=, this] {
        Check(functions_.cublasSgemv(cublas_, kOpT, Int(s.n), Int(s.m), &s.alpha, Floats(a),
                                     Int(s.n), Floats(b), 1, &s.beta, Output(c), 1),
              "cublasSgemv");
      };
    case VendorStep::Op::kAxpy:
      return [=, this] {
        Check(functions_.cublasSaxpy(cublas_, Int(s.m), &s.alpha, Floats(a), 1, Output(c), 1),
              "cublasSaxpy");
      };
    case VendorStep::Op::kCopy:
      return [=, this] {
        gpu_.Check(
            gpu_.cu().cuMemcpyDtoDAsync(c, a, 4 * static_cast<std::size_t>(s.m), gpu_.stream()),
            "cuMemcpyDtoDAsync");
      };
    case VendorStep::Op::kPack:
      return Elementwise(pack_, a, c, s.m, s.stride);
  }
  throw GpuError("an unknown vendor routine");
}

Vendor::Step Vendor::Elementwise(CUfunction function, CUdeviceptr from, CUdeviceptr to,
                                 std::int64_t count, std::int64_t stride) const {
  kernels::Launch launch;
  launch.threads = kThreads;
  launch.grid =
      static_cast<std::uint64_t>(std::max<std::int64_t>(1, (count + kThreads - 1) / kThreads));
  return [=, this]() mutable {
    std::array<void*, 4> arguments = {&from, &to, &count, &stride};
    gpu_.Launch(function, launch, arguments.data());
  };
}

// Row-major c = a * b is column-major c' = b' * a': the operands change places, and what is stored
// as it is here stands transposed there already.
Vendor::Step Vendor::Gemm(const VendorStep& s, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) const {
  const int op_a = s.transpose_a ? kOpT : kOpN, op_b = s.transpose_b ? kOpT : kOpN;
  const int lda = Int(s.transpose_a ? s.m : s.k), ldb = Int(s.transpose_b ? s.k : s.n);
  if (s.batch == 1) {
    return [=, this] {
      Check(functions_.cublasSgemm(cublas_, op_b, op_a, Int(s.n), Int(s.m), Int(s.k), &s.alpha,
                                   Floats(b), ldb, Floats(a), lda, &s.beta, Output(c), Int(s.n)),
            "cublasSgemm");
    };
  }
  return [=, this] {
    Check(functions_.cublasSgemmStridedBatched(
              cublas_, op_b, op_a, Int(s.n), Int(s.m), Int(s.k), &s.alpha, Floats(b), ldb, s.step_b,
              Floats(a), lda, s.step_a, &s.beta, Output(c), Int(s.n), s.step_c, Int(s.batch)),
          "cublasSgemmStridedBatched");
  };
}

Vendor::Step Vendor::GemmLt(const VendorStep& s, CUdeviceptr a, CUdeviceptr b,
                            CUdeviceptr c) const {
  const CublasFunctions& f = functions_;
  cublasLtMatmulDesc_t product = nullptr;
  Check(f.cublasLtMatmulDescCreate(&product, kCompute32F, kReal32F), "cublasLtMatmulDescCreate");
  const auto set = [&](int attribute, int value) {
    Check(f.cublasLtMatmulDescSetAttribute(product, attribute, &value, sizeof value),
          "cublasLtMatmulDescSetAttribute");
  };
  set(kLtTransposeA, s.transpose_b ? kOpT : kOpN);
  set(kLtTransposeB, s.transpose_a ? kOpT : kOpN);
  if (s.relu) set(kLtEpilogue, kLtEpilogueRelu);
  // `rows` x `columns` as they lie in memory, row-major.
  const auto layout = [&](std::int64_t rows, std::int64_t columns, std::int64_t step) {
    cublasLtMatrixLayout_t matrix = nullptr;
    Check(f.cublasLtMatrixLayoutCreate(&matrix, kReal32F, static_cast<std::uint64_t>(columns),
                                       static_cast<std::uint64_t>(rows), columns),
          "cublasLtMatrixLayoutCreate");
    if (s.batch > 1) {
      const int count = Int(s.batch);
      Check(f.cublasLtMatrixLayoutSetAttribute(matrix, kLtBatchCount, &count, sizeof count),
            "cublasLtMatrixLayoutSetAttribute");
      Check(f.cublasLtMatrixLayoutSetAttribute(matrix, kLtBatchStep, &step, sizeof step),
            "cublasLtMatrixLayoutSetAttribute");
    }
    return matrix;
  };
  const auto in_a = s.transpose_a ? layout(s.k, s.m, s.step_a) : layout(s.m, s.k, s.step_a);
  const auto in_b = s.transpose_b ? layout(s.n, s.k, s.step_b) : layout(s.k, s.n, s.step_b);
  const auto out = layout(s.m, s.n, s.step_c);
  cublasLtMatmulPreference_t preference = nullptr;
  Check(f.cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  const std::size_t most = kWorkspaceBytes;
  Check(
      f.cublasLtMatmulPreferenceSetAttribute(preference, kLtMostWorkspaceBytes, &most, sizeof most),
      "cublasLtMatmulPreferenceSetAttribute");
  std::array<cublasLtHeuristicResult, kSuggestions> suggestions{};
  int count = 0;
  Check(f.cublasLtMatmulAlgoGetHeuristic(cublaslt_, product, in_b, in_a, out, out, preference,
                                         kSuggestions, suggestions.data(), &count),
        "cublasLtMatmulAlgoGetHeuristic");
  const auto with = [=, this](const cublasLtAlgo& algorithm) -> Step {
    return [=, this] {
      Check(functions_.cublasLtMatmul(cublaslt_, product, &s.alpha, Floats(b), in_b, Floats(a),
                                      in_a, &s.beta, Floats(c), out, Output(c), out, &algorithm,
                                      Output(workspace_.data()), kWorkspaceBytes, gpu_.stream()),
            "cublasLtMatmul");
    };
  };
  Step best;
  double best_ns = 0;
  for (int i = 0; i < count; ++i) {
    const auto& suggestion = suggestions[static_cast<std::size_t>(i)];
    if (suggestion.state != 0) continue;
    const Step step = with(suggestion.algo);
    double ns = 0;
    for (int run = 0; run < 4; ++run) {
      const auto once = timer_.Once(step, kPatienceNs);
      if (!once) throw GpuError("cublasLtMatmul hangs");
      if (run == 1 || (run > 1 && *once < ns)) ns = *once;  // The first one warms up.
    }
    if (!best || ns < best_ns) {
      best = step;
      best_ns = ns;
    }
  }
  if (!best) throw GpuError("cublasLt suggests nothing for this product");
  return best;
}

}  // namespace exh::kernels::cuda

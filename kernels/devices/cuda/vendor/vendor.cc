// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/vendor/vendor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/devices/cuda/driver/device_programs.h"

namespace exh::kernels::cuda {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;
constexpr int kSuggestions = 16;
constexpr std::uint32_t kThreads = 256;
constexpr double kPatienceNs = 10e9;

const void* In(CUdeviceptr address) {
  return reinterpret_cast<const void*>(address);
}
void* Out(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);
}
template <typename T>
const T* In(CUdeviceptr address) {
  return reinterpret_cast<const T*>(address);
}
template <typename T>
T* Out(CUdeviceptr address) {
  return reinterpret_cast<T*>(address);
}
int Int(std::int64_t value) {
  return static_cast<int>(value);
}

/// cudaDataType.
int RealOf(ir::Type type) {
  switch (type) {
    case ir::Type::kF64:
      return kReal64F;
    case ir::Type::kF32:
      return kReal32F;
    case ir::Type::kF16:
      return kReal16F;
    case ir::Type::kBf16:
      return kReal16Bf;
    default:
      throw GpuError(fmt::format("cuBLAS is not asked for products of {}", ir::WordOf(type)));
  }
}

/// cublasComputeType_t.
int ComputeOf(ir::Type type) {
  return ir::ComputeTypeOf(type) == ir::Type::kF64 ? kCompute64F : kCompute32F;
}

/// A factor in the type that a step computes in, as the library reads it.
class Factor {
 public:
  Factor(ir::Type type, double value) {
    ir::WriteElement(ir::ComputeTypeOf(type), bytes_.data(), value);
  }
  const void* data() const { return bytes_.data(); }
  template <typename T>
  const T* As() const {
    return static_cast<const T*>(data());
  }

 private:
  alignas(double) std::array<std::byte, sizeof(double)> bytes_{};
};

bool IsNarrow(const VendorStep& step) {
  return ir::InfoOf(step.type).is_narrow();
}

/// What stands behind the version of the library.
std::string MathText(const VendorCall& call) {
  for (const VendorStep& step : call.steps) {
    if (IsNarrow(step)) return fmt::format("{} with sums in fp32", ir::WordOf(step.type));
    if (step.type == ir::Type::kF64) return "fp64";
  }
  return "fp32, no TF32";
}

}  // namespace

Vendor::Vendor(const Gpu& gpu, const Timer& timer, const Module& programs)
    : gpu_(gpu), timer_(timer), programs_(programs), workspace_(gpu, kWorkspaceBytes) {
  CublasOrProblem loaded = LoadCublas();
  if (!loaded.functions) throw GpuError(loaded.problem);
  functions_ = *loaded.functions;
  Check(functions_.cublasCreate(&cublas_), "cublasCreate");
  Check(functions_.cublasSetStream(cublas_, gpu.stream()), "cublasSetStream");
  // One workspace of our own: calls can then be captured into graphs.
  Check(functions_.cublasSetWorkspace(cublas_, Out(workspace_.data()), kWorkspaceBytes),
        "cublasSetWorkspace");
  Check(functions_.cublasLtCreate(&cublaslt_), "cublasLtCreate");
  int version = 0;
  Check(functions_.cublasGetVersion(cublas_, &version), "cublasGetVersion");
  version_ = fmt::format("cuBLAS {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
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
  description_ = fmt::format("{}, CUBLAS_DEFAULT_MATH ({})", version_, MathText(call));
  const bool is_narrow = std::ranges::any_of(call.steps, IsNarrow);
  Check(functions_.cublasSetMathMode(cublas_,
                                     is_narrow ? kDefaultMath | kWideReductions : kDefaultMath),
        "cublasSetMathMode");
  scratch_ = DeviceBuffer(gpu_, call.scratch_bytes);
  gpu_.FillBytes(scratch_.data(), 0, call.scratch_bytes);
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
    case VendorStep::Op::kGemm:
      return Product(s, a, b, c, lt);
    case VendorStep::Op::kGemv:
      return Gemv(s, a, b, c, lt);
    case VendorStep::Op::kAxpy:
      return Axpy(s, a, c);
    case VendorStep::Op::kCopy:
      return [=, this] {
        const std::size_t bytes = static_cast<std::size_t>(s.m) * ir::BytesOf(s.type);
        gpu_.Check(gpu_.cu().cuMemcpyDtoDAsync(c, a, bytes, gpu_.stream()), "cuMemcpyDtoDAsync");
      };
    case VendorStep::Op::kPack:
      return Elementwise("exh_pack", s.type, a, c, s.m, s.stride);
  }
  throw GpuError("an unknown vendor routine");
}

Vendor::Step Vendor::Elementwise(const char* program, ir::Type type, CUdeviceptr from,
                                 CUdeviceptr to, std::int64_t count, std::int64_t stride) const {
  kernels::Launch launch;
  launch.threads = kThreads;
  launch.grid =
      static_cast<std::uint64_t>(std::max<std::int64_t>(1, (count + kThreads - 1) / kThreads));
  const CUfunction function = programs_.Function(NameFor(program, type).c_str());
  return [=, this]() mutable {
    std::array<void*, 4> arguments = {&from, &to, &count, &stride};
    gpu_.Launch(function, launch, arguments.data());
  };
}

Vendor::Step Vendor::Product(const VendorStep& s, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c,
                             bool lt) const {
  // Of doubles, cublasLt has products alone.
  const bool fuses = lt && s.type != ir::Type::kF64;
  if (fuses || !s.relu) return lt ? GemmLt(s, a, b, c) : Gemm(s, a, b, c);
  VendorStep alone = s;
  alone.relu = false;
  const Step product = lt ? GemmLt(alone, a, b, c) : Gemm(alone, a, b, c);
  const Step relu = Elementwise("exh_relu", s.type_c, c, c, s.m * s.n * s.batch, 1);
  return [=] {
    product();
    relu();
  };
}

Vendor::Step Vendor::Gemv(const VendorStep& s, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c,
                          bool lt) const {
  if (IsNarrow(s)) {  // There is none for halves: it is a product with one column.
    VendorStep product = s;
    product.k = s.n;
    product.n = 1;
    return Product(product, a, b, c, lt);
  }
  const Factor alpha(s.type, s.alpha), beta(s.type, s.beta);
  // Column-major, the matrix is n x m.
  if (s.type == ir::Type::kF64) {
    return [=, this] {
      Check(functions_.cublasDgemv(cublas_, kOpT, Int(s.n), Int(s.m), alpha.As<double>(),
                                   In<double>(a), Int(s.n), In<double>(b), 1, beta.As<double>(),
                                   Out<double>(c), 1),
            "cublasDgemv");
    };
  }
  return [=, this] {
    Check(functions_.cublasSgemv(cublas_, kOpT, Int(s.n), Int(s.m), alpha.As<float>(), In<float>(a),
                                 Int(s.n), In<float>(b), 1, beta.As<float>(), Out<float>(c), 1),
          "cublasSgemv");
  };
}

Vendor::Step Vendor::Axpy(const VendorStep& s, CUdeviceptr a, CUdeviceptr c) const {
  const Factor alpha(s.type, s.alpha);
  if (s.type == ir::Type::kF32) {
    return [=, this] {
      Check(functions_.cublasSaxpy(cublas_, Int(s.m), alpha.As<float>(), In<float>(a), 1,
                                   Out<float>(c), 1),
            "cublasSaxpy");
    };
  }
  const int type = RealOf(s.type), type_c = RealOf(s.type_c);
  const int compute = RealOf(ir::ComputeTypeOf(s.type));
  return [=, this] {
    Check(functions_.cublasAxpyEx(cublas_, Int(s.m), alpha.data(), compute, In(a), type, 1, Out(c),
                                  type_c, 1, compute),
          "cublasAxpyEx");
  };
}

// Row-major c = a * b is column-major c' = b' * a': the operands change places, and what is stored
// as it is here stands transposed there already.
Vendor::Step Vendor::Gemm(const VendorStep& s, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) const {
  if (s.type != ir::Type::kF32) return GemmOfAnyType(s, a, b, c);
  const int op_a = s.transpose_a ? kOpT : kOpN, op_b = s.transpose_b ? kOpT : kOpN;
  const int lda = Int(s.transpose_a ? s.m : s.k), ldb = Int(s.transpose_b ? s.k : s.n);
  const Factor alpha(s.type, s.alpha), beta(s.type, s.beta);
  if (s.batch == 1) {
    return [=, this] {
      Check(functions_.cublasSgemm(cublas_, op_b, op_a, Int(s.n), Int(s.m), Int(s.k),
                                   alpha.As<float>(), In<float>(b), ldb, In<float>(a), lda,
                                   beta.As<float>(), Out<float>(c), Int(s.n)),
            "cublasSgemm");
    };
  }
  return [=, this] {
    Check(functions_.cublasSgemmStridedBatched(cublas_, op_b, op_a, Int(s.n), Int(s.m), Int(s.k),
                                               alpha.As<float>(), In<float>(b), ldb, s.step_b,
                                               In<float>(a), lda, s.step_a, beta.As<float>(),
                                               Out<float>(c), Int(s.n), s.step_c, Int(s.batch)),
          "cublasSgemmStridedBatched");
  };
}

Vendor::Step Vendor::GemmOfAnyType(const VendorStep& s, CUdeviceptr a, CUdeviceptr b,
                                   CUdeviceptr c) const {
  const int op_a = s.transpose_a ? kOpT : kOpN, op_b = s.transpose_b ? kOpT : kOpN;
  const int lda = Int(s.transpose_a ? s.m : s.k), ldb = Int(s.transpose_b ? s.k : s.n);
  const Factor alpha(s.type, s.alpha), beta(s.type, s.beta);
  const int type = RealOf(s.type), type_c = RealOf(s.type_c), compute = ComputeOf(s.type);
  if (s.batch == 1) {
    return [=, this] {
      Check(functions_.cublasGemmEx(cublas_, op_b, op_a, Int(s.n), Int(s.m), Int(s.k), alpha.data(),
                                    In(b), type, ldb, In(a), type, lda, beta.data(), Out(c), type_c,
                                    Int(s.n), compute, kDefaultAlgorithm),
            "cublasGemmEx");
    };
  }
  return [=, this] {
    Check(functions_.cublasGemmStridedBatchedEx(
              cublas_, op_b, op_a, Int(s.n), Int(s.m), Int(s.k), alpha.data(), In(b), type, ldb,
              s.step_b, In(a), type, lda, s.step_a, beta.data(), Out(c), type_c, Int(s.n), s.step_c,
              Int(s.batch), compute, kDefaultAlgorithm),
          "cublasGemmStridedBatchedEx");
  };
}

Vendor::Step Vendor::GemmLt(const VendorStep& s, CUdeviceptr a, CUdeviceptr b,
                            CUdeviceptr c) const {
  const CublasFunctions& f = functions_;
  cublasLtMatmulDesc_t product = nullptr;
  Check(f.cublasLtMatmulDescCreate(&product, ComputeOf(s.type), RealOf(ir::ComputeTypeOf(s.type))),
        "cublasLtMatmulDescCreate");
  const auto set = [&](int attribute, int value) {
    Check(f.cublasLtMatmulDescSetAttribute(product, attribute, &value, sizeof value),
          "cublasLtMatmulDescSetAttribute");
  };
  set(kLtTransposeA, s.transpose_b ? kOpT : kOpN);
  set(kLtTransposeB, s.transpose_a ? kOpT : kOpN);
  if (s.relu) set(kLtEpilogue, kLtEpilogueRelu);
  // `rows` x `columns` as they lie in memory, row-major.
  const auto layout = [&](ir::Type type, std::int64_t rows, std::int64_t columns,
                          std::int64_t step) {
    cublasLtMatrixLayout_t matrix = nullptr;
    Check(f.cublasLtMatrixLayoutCreate(&matrix, RealOf(type), static_cast<std::uint64_t>(columns),
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
  const auto in_a =
      s.transpose_a ? layout(s.type, s.k, s.m, s.step_a) : layout(s.type, s.m, s.k, s.step_a);
  const auto in_b =
      s.transpose_b ? layout(s.type, s.n, s.k, s.step_b) : layout(s.type, s.k, s.n, s.step_b);
  const auto out = layout(s.type_c, s.m, s.n, s.step_c);
  cublasLtMatmulPreference_t preference = nullptr;
  Check(f.cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  const std::size_t most = kWorkspaceBytes;
  Check(
      f.cublasLtMatmulPreferenceSetAttribute(preference, kLtMostWorkspaceBytes, &most, sizeof most),
      "cublasLtMatmulPreferenceSetAttribute");
  if (IsNarrow(s)) {
    Check(f.cublasLtMatmulPreferenceSetAttribute(preference, kLtReductions, &kLtWideReductions,
                                                 sizeof kLtWideReductions),
          "cublasLtMatmulPreferenceSetAttribute");
  }
  std::array<cublasLtHeuristicResult, kSuggestions> suggestions{};
  int count = 0;
  Check(f.cublasLtMatmulAlgoGetHeuristic(cublaslt_, product, in_b, in_a, out, out, preference,
                                         kSuggestions, suggestions.data(), &count),
        "cublasLtMatmulAlgoGetHeuristic");
  const Factor alpha(s.type, s.alpha), beta(s.type, s.beta);
  const auto with = [=, this](const cublasLtAlgo& algorithm) -> Step {
    return [=, this] {
      Check(functions_.cublasLtMatmul(cublaslt_, product, alpha.data(), In(b), in_b, In(a), in_a,
                                      beta.data(), In(c), out, Out(c), out, &algorithm,
                                      Out(workspace_.data()), kWorkspaceBytes, gpu_.stream()),
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

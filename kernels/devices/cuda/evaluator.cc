// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "kernels/devices/backend.h"
#include "kernels/devices/cuda/gpu_bench.h"
#include "kernels/devices/problem_files.h"
#include "kernels/devices/yardsticks.h"
#include "kernels/library/call_kernel.h"

namespace exh::kernels {
namespace {

/// How the vendor's routines compute on these arrays.
const char* MathText(const ir::Function& function) {
  const auto has = [&](const auto& is) {
    return std::ranges::any_of(function.arrays,
                               [&](const ir::Array& array) { return is(ir::InfoOf(array.type)); });
  };
  if (has([](const ir::TypeInfo& info) { return info.is_float && info.is_narrow(); })) {
    return "halves with sums in fp32";
  }
  return has([](const ir::TypeInfo& info) { return info.type == ir::Type::kF64; })
             ? "fp64"
             : "fp32 without TF32";
}

class CudaEvaluator final : public Evaluator {
 public:
  CudaEvaluator(const Task& task, const EvaluatorOptions& options)
      : task_(task),
        cold_(options.cold),
        bench_(task.function->device, options,
               [&](const std::string& folder) { return WriteProblems(folder, options); }) {}

  Source Emit(const runtime::Candidate& implementation) override {
    return EmitSource(task_, implementation);
  }

  Compiled Compile(const Source& source) override {
    return bench_.Compile(source, source.text, cuda::Optimization::kFull);
  }

  Compiled CompileTrial(const Source& source) override {
    Compiled trial = bench_.Compile(source, source.careful, cuda::Optimization::kQuick);
    // A quick compilation spills where a full one does not.
    if (trial.verdict == Verdict::kSpills && !trial.library.empty()) {
      trial.verdict = Verdict::kCorrect;
    }
    return trial;
  }

  bool compiles_while_measuring() const override { return true; }

  Measurement Try(const Compiled& trial, const Cap& cap) override { return bench_.Try(trial, cap); }

  double first_cap_ns() const override { return kCudaLeastCapNs; }

  Measurement Measure(const Compiled& compiled, const Cap& cap, Effort effort) override {
    return bench_.Measure(compiled, cap, effort);
  }

  Measurement Repeat(const Compiled& compiled, int launches) override {
    return bench_.Repeat(compiled, launches);
  }

  int finalists() const override { return 20; }

  std::vector<Contender> Yardsticks(int jobs) override {
    const Kernel& kernel = *task_.kernel;
    std::vector<Contender> contenders;
    const Source naive = CallKernel(kernel, "NaiveCuda", &Kernel::NaiveCuda, task_.sizes);
    if (!naive.text.empty()) {
      contenders = CompileYardsticks(*this, {{"naive", naive}}, jobs);
    }
    const VendorCall call = CallKernel(kernel, "Vendor", &Kernel::Vendor, task_.sizes);
    if (call.steps.empty()) return contenders;
    Compiled vendor;
    vendor.gpu.emplace().vendor = call;
    contenders.push_back({"cublas", vendor, call.scratch_bytes});
    const auto is_product = [](const VendorStep& step) {
      // Of halves, a matrix times a vector is one, too.
      return step.op == VendorStep::Op::kGemm ||
             (step.op == VendorStep::Op::kGemv && ir::InfoOf(step.type).is_narrow());
    };
    if (std::ranges::any_of(call.steps, is_product)) {
      vendor.gpu->vendor_lt = true;
      contenders.push_back({"cublaslt", vendor, call.scratch_bytes});
    }
    return contenders;
  }

  std::string YardstickText() const override {
    return fmt::format("{}, CUBLAS_DEFAULT_MATH: {}, {} L2", bench_.Conditions(),
                       MathText(*task_.function), cold_ ? "cold" : "warm");
  }

  std::vector<std::string> Notes() const override { return bench_.Notes(); }

  std::map<std::string, std::string, std::less<>> Versions() const override {
    return bench_.Versions();
  }
  std::optional<MeasuredRates> Rates() override { return bench_.Rates(); }

  void Discard(const Compiled& compiled) override { bench_.Discard(compiled); }

 private:
  /// Their files, written side by side: a large one takes seconds. Throws Error, and Interrupted.
  std::vector<std::string> WriteProblems(const std::string& folder,
                                         const EvaluatorOptions& options) const {
    // Where a reference takes seconds, two of them must do.
    const bool has_all = task_.flops <= kCudaMostFlopsOfFourProblems;
    const std::size_t count = has_all ? std::size(kCheckedProblems) : 2;
    std::vector<std::string> files;
    for (std::size_t number = 0; number < count; ++number) {
      files.push_back(folder + "/" + kCheckedProblems[number].name);
    }
    RunInParallel(count, options.jobs, [&](std::size_t number) {
      const CheckedProblem& one = kCheckedProblems[number];
      WriteProblem(task_, one.inputs, files[number], one.seed, options.stop);
      return true;
    });
    return files;
  }

  const Task& task_;
  const bool cold_;
  cuda::GpuBench bench_;
};

}  // namespace

std::unique_ptr<Evaluator> MakeCudaEvaluator(const Task& task, const EvaluatorOptions& options) {
  return std::make_unique<CudaEvaluator>(task, options);
}

}  // namespace exh::kernels

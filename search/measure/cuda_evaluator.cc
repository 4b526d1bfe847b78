// SPDX-License-Identifier: MIT
#include "search/measure/cuda_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/cuda/compile_pool.h"
#include "kernels/cuda/device_programs.h"
#include "kernels/cuda/driver.h"
#include "kernels/cuda/gpu_pool.h"
#include "kernels/library/call_kernel.h"
#include "search/log/decisions.h"
#include "search/measure/evaluator_files.h"
#include "search/measure/references.h"

namespace exh::search {
namespace {

using kernels::Verdict;

[[noreturn]] void Missing(const std::string& why) {
  throw Error(
      fmt::format("{}\n  --device cpu runs without a GPU; search doctor says what is missing, and "
                  "how to get it",
                  why));
}

/// What did not come about because nobody waits for it is not missing.
void EndIfStopped(const StopToken* stop) {
  if (IsStopped(stop)) throw Interrupted("stopped before the GPU was ready");
}

kernels::cuda::CompilePoolOptions PoolOptions(const Problem& problem, const std::string& folder,
                                              const EvaluatorOptions& evaluator) {
  kernels::cuda::CompilePoolOptions options;
  options.command = {ThisProgram(), kCompileCuda};
  options.folder = folder + "/cubin";
  options.cache = kernels::cuda::CubinCache::DefaultFolder();
  options.architecture = problem.device.architecture;
  options.workers = evaluator.jobs;
  options.stop = evaluator.stop;
  return options;
}

/// What candidates are checked with, in the order in which it is used.
struct CheckedProblem {
  const char* name;
  kernels::Inputs inputs;
  std::uint64_t seed;
};
constexpr CheckedProblem kProblems[] = {
    {"uniform", kernels::Inputs::kUniform, kernels::kTimedSeed},
    {"whole", kernels::Inputs::kWholeNumbers, kernels::kTimedSeed},
    {"other", kernels::Inputs::kUniform, kernels::kOtherSeed},
    {"special", kernels::Inputs::kSpecial, kernels::kTimedSeed},
};

class CudaEvaluator final : public Evaluator {
 public:
  CudaEvaluator(const Problem& problem, const EvaluatorOptions& options)
      : problem_(problem), compilers_(PoolOptions(problem, scratch_.path(), options)) {
    const auto driver = kernels::cuda::Driver::Load(kernels::cuda::Driver::LibraryNames());
    if (!driver.driver) Missing(driver.problem);
    if (driver.driver->Devices().empty()) Missing("the driver shows no GPU");
    const kernels::cuda::CompiledKernel programs =
        compilers_.Compile(kernels::cuda::DeviceProgramsSource());
    EndIfStopped(options.stop);
    if (programs.verdict != Verdict::kCorrect) Missing(programs.why);

    kernels::cuda::RunSetup setup;
    setup.drivers = kernels::cuda::Driver::LibraryNames();
    setup.programs = programs.cubin;
    setup.ordinal = options.gpu;
    setup.cold = cold_ = options.cold;
    setup.problems = WriteProblems(options.jobs);
    kernels::cuda::GpuPoolLimits limits;
    limits.stop = options.stop;
    runners_.emplace(std::vector<std::string>{ThisProgram(), kRunCuda}, setup, 1, limits);
    const std::string why = runners_->Start();
    EndIfStopped(options.stop);
    if (!why.empty()) Missing(why);
  }

  kernels::Source Emit(const runtime::Candidate& implementation) override {
    return kernels::EmitSource(problem_.task, implementation);
  }

  kernels::Compiled Compile(const kernels::Source& source) override {
    return CompileText(source, source.text, kernels::cuda::Optimization::kFull);
  }

  kernels::Compiled CompileTrial(const kernels::Source& source) override {
    kernels::Compiled trial =
        CompileText(source, source.careful, kernels::cuda::Optimization::kQuick);
    // A quick compilation spills where a full one does not.
    if (trial.verdict == Verdict::kSpills && !trial.library.empty()) {
      trial.verdict = Verdict::kCorrect;
    }
    return trial;
  }

  bool compiles_while_measuring() const override { return true; }

  kernels::Measurement Try(const kernels::Compiled& trial, double cap_ns) override {
    kernels::cuda::RunRequest request;
    request.cubin = trial.library;
    request.launch = trial.launch;
    request.cap_ns = std::max(cap_ns, kCudaLeastCapNs);
    request.give_up_ns = kCudaCareFactor * request.cap_ns;
    return runners_->Run(request);
  }

  kernels::Measurement Measure(const kernels::Compiled& compiled, double cap_ns,
                               Effort effort) override {
    if (compiled.verdict != Verdict::kCorrect) {
      kernels::Measurement failure;
      failure.verdict = compiled.verdict;
      failure.why = compiled.why;
      return failure;
    }
    kernels::cuda::RunRequest request;
    request.cubin = compiled.library;
    request.vendor = compiled.vendor;
    request.vendor_lt = compiled.vendor_lt;
    request.launch = compiled.launch;
    request.cap_ns = std::max(cap_ns, kCudaLeastCapNs);
    request.stop_ns = cap_ns / kCudaSlowFactor * kCudaStopFactor;
    request.full = effort != Effort::kQuick;
    if (effort == Effort::kAudit) request.audit_ns = 1e9 * kAuditSeconds;
    if (effort != Effort::kQuick) {
      request.batch_ns = 2e6;
      request.cap_ns = request.patience_ns = 10e9;  // A yardstick is waited for.
    }
    return runners_->Run(request);
  }

  int finalists() const override { return 20; }

  std::vector<Contender> Yardsticks(int jobs) override {
    using kernels::CallKernel, kernels::Kernel;
    const Kernel& kernel = *problem_.kernel;
    std::vector<Contender> contenders;
    const kernels::Source naive =
        CallKernel(kernel, "NaiveCuda", &Kernel::NaiveCuda, problem_.sizes);
    if (!naive.text.empty()) {
      contenders = CompileYardsticks(*this, {{"naive", naive}}, jobs);
    }
    const kernels::VendorCall call = CallKernel(kernel, "Vendor", &Kernel::Vendor, problem_.sizes);
    if (call.steps.empty()) return contenders;
    kernels::Compiled vendor;
    vendor.vendor = call;
    contenders.push_back({"cublas", vendor});
    const auto is_product = [](const kernels::VendorStep& step) {
      return step.op == kernels::VendorStep::Op::kGemm;
    };
    if (std::ranges::any_of(call.steps, is_product)) {
      vendor.vendor_lt = true;
      contenders.push_back({"cublaslt", vendor});
    }
    return contenders;
  }

  std::string YardstickText() const override {
    return fmt::format("{}, driver {}, CUBLAS_DEFAULT_MATH: fp32 without TF32, {} L2",
                       runners_->ready().gpu, runners_->ready().driver, cold_ ? "cold" : "warm");
  }

  std::optional<kernels::DeviceRates> Rates() override {
    kernels::cuda::RunRequest request;
    request.rates = true;
    request.patience_ns = 10e9;
    const kernels::cuda::RunAnswer answer = runners_->Ask(request);
    if (answer.measurement.verdict != Verdict::kCorrect) throw Error(answer.measurement.why);
    return answer.rates;
  }

  void Discard(const kernels::Compiled& compiled) override {
    // What the cache keeps is not ours to remove.
    if (!compiled.library.starts_with(scratch_.path())) return;
    std::error_code ignored;
    std::filesystem::remove(compiled.library, ignored);
  }

 private:
  /// Their files, written side by side: a large one takes seconds. Throws Error.
  std::vector<std::string> WriteProblems(int jobs) const {
    // Where a reference takes seconds, two of them must do.
    const bool has_all = problem_.task.flops <= kCudaMostFlopsOfFourProblems;
    const std::size_t count = has_all ? std::size(kProblems) : 2;
    std::vector<std::string> files;
    for (std::size_t number = 0; number < count; ++number) {
      files.push_back(scratch_.path() + "/" + kProblems[number].name);
    }
    RunInParallel(count, jobs, [&](std::size_t number) {
      const CheckedProblem& one = kProblems[number];
      WriteProblem(problem_.task, one.inputs, files[number], one.seed);
      return true;
    });
    return files;
  }

  /// Registers that a thread of a block can have.
  std::uint64_t MostRegisters(const kernels::codegen::Launch& launch) const {
    constexpr std::uint32_t kUnit = 8;  // They are given out in so many.
    const kernels::ir::Device& device = problem_.device;
    if (device.max_registers == 0) return ~std::uint64_t{0};
    const std::uint32_t share = device.block_registers / std::max(1u, launch.threads);
    return std::min(device.max_registers, share / kUnit * kUnit);
  }

  kernels::Compiled CompileText(const kernels::Source& source, const std::string& text,
                                kernels::cuda::Optimization optimization) {
    kernels::Compiled compiled;
    compiled.launch = source.launch;
    compiled.shape = source.shape;
    if (const std::uint64_t most = MostRegisters(source.launch); source.least_registers > most) {
      compiled.verdict = Verdict::kSpills;
      compiled.why = fmt::format("{} values live through a loop, a thread has {} registers",
                                 source.least_registers, most);
      return compiled;
    }
    // Comments are most of a text, and would be carried to the compiler's process for nothing.
    const kernels::cuda::CompiledKernel kernel =
        compilers_.Compile(WithoutComments(text), optimization);
    compiled.verdict = kernel.verdict;
    compiled.why = kernel.why;
    compiled.source = text;
    compiled.registers = kernel.resources.registers;
    compiled.library = kernel.cubin;
    compiled.compile_ms = kernel.compile_ms;
    return compiled;
  }

  const Problem& problem_;
  ScratchFolder scratch_;
  kernels::cuda::CompilePool compilers_;
  std::optional<kernels::cuda::GpuPool> runners_;
  bool cold_ = false;
};

}  // namespace

std::unique_ptr<Evaluator> MakeCudaEvaluator(const Problem& problem,
                                             const EvaluatorOptions& options) {
  return std::make_unique<CudaEvaluator>(problem, options);
}

}  // namespace exh::search

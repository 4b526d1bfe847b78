// SPDX-License-Identifier: MIT
#include "search/cuda_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "kernels/cuda/compile_pool.h"
#include "kernels/cuda/device_programs.h"
#include "kernels/cuda/driver.h"
#include "kernels/cuda/gpu_pool.h"
#include "search/error.h"
#include "search/evaluator_files.h"
#include "search/references.h"

namespace exh::search {
namespace {

using kernels::Verdict;

constexpr std::uint64_t kMostRegisters = 255;  ///< Of a thread, on every GPU since sm_35.

[[noreturn]] void Missing(const std::string& why) {
  throw Error(
      fmt::format("{}\n  --device cpu runs without a GPU; search doctor says what is missing, and "
                  "how to get it",
                  why));
}

kernels::cuda::CompilePoolOptions PoolOptions(const Problem& problem, const std::string& folder,
                                              int jobs) {
  kernels::cuda::CompilePoolOptions options;
  options.command = {ThisProgram(), kCompileCuda};
  options.folder = folder + "/cubin";
  options.cache = kernels::cuda::CubinCache::DefaultFolder();
  options.architecture = problem.device.architecture;
  options.workers = jobs;
  return options;
}

class CudaEvaluator final : public Evaluator {
 public:
  CudaEvaluator(const Problem& problem, const EvaluatorOptions& options)
      : problem_(problem), compilers_(PoolOptions(problem, scratch_.path(), options.jobs)) {
    const auto driver = kernels::cuda::Driver::Load(kernels::cuda::Driver::LibraryNames());
    if (!driver.driver) Missing(driver.problem);
    if (driver.driver->Devices().empty()) Missing("the driver shows no GPU");
    const kernels::cuda::CompiledKernel programs =
        compilers_.Compile(kernels::cuda::DeviceProgramsSource());
    if (programs.verdict != Verdict::kCorrect) Missing(programs.why);

    kernels::cuda::RunSetup setup;
    setup.drivers = kernels::cuda::Driver::LibraryNames();
    setup.problems = {scratch_.path() + "/uniform", scratch_.path() + "/whole"};
    setup.programs = programs.cubin;
    setup.ordinal = options.gpu;
    setup.cold = cold_ = options.cold;
    WriteProblem(problem.task, kernels::Inputs::kUniform, setup.problems[0]);
    WriteProblem(problem.task, kernels::Inputs::kWholeNumbers, setup.problems[1]);
    runners_.emplace(std::vector<std::string>{ThisProgram(), kRunCuda}, setup);
    if (const std::string why = runners_->Start(); !why.empty()) Missing(why);
  }

  kernels::Source Emit(const runtime::Candidate& implementation) override {
    return kernels::EmitSource(problem_.task, implementation);
  }

  kernels::Compiled Compile(const kernels::Source& source) override {
    kernels::Compiled compiled;
    if (source.least_registers > kMostRegisters) {
      compiled.verdict = Verdict::kSpills;
      compiled.why = fmt::format("{} values live through a loop, a thread has {} registers",
                                 source.least_registers, kMostRegisters);
      return compiled;
    }
    const kernels::cuda::CompiledKernel kernel = compilers_.Compile(source.text);
    compiled.verdict = kernel.verdict;
    compiled.why = kernel.why;
    compiled.source = source.text;
    compiled.launch = source.launch;
    compiled.shape = source.shape;
    compiled.registers = kernel.resources.registers;
    compiled.library = kernel.cubin;
    compiled.compile_ms = kernel.compile_ms;
    if (kernel.verdict != Verdict::kCorrect || source.careful.empty()) return compiled;
    // For a try it does not matter whether it spills.
    compiled.careful = compilers_.Compile(source.careful).cubin;
    return compiled;
  }

  bool compiles_while_measuring() const override { return true; }

  kernels::Measurement Measure(const kernels::Compiled& compiled, double cap_ns,
                               Effort effort) override {
    const bool was_tried = compiled.careful.empty() || tried_.contains(compiled.careful);
    if (was_tried || effort == Effort::kFinal) return MeasurePlain(compiled, cap_ns, effort);
    kernels::cuda::RunRequest request;
    request.cubin = compiled.careful;
    request.launch = compiled.launch;
    request.cap_ns = std::max(cap_ns, kCudaLeastCapNs);
    request.give_up_ns = kCudaCareFactor * request.cap_ns;
    const kernels::Measurement careful = runners_->Run(request);
    if (careful.verdict != Verdict::kCorrect) return careful;
    tried_.insert(compiled.careful);
    return MeasurePlain(compiled, cap_ns, effort);
  }

  int finalists() const override { return 20; }

  std::vector<Contender> Yardsticks(int jobs) override {
    const kernels::Kernel& kernel = *problem_.kernel;
    std::vector<Contender> contenders;
    if (const kernels::Source naive = kernel.NaiveCuda(problem_.sizes); !naive.text.empty()) {
      contenders = CompileYardsticks(*this, {{"naive", naive}}, jobs);
    }
    const kernels::VendorCall call = kernel.Vendor(problem_.sizes);
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
    for (const std::string& file : {compiled.library, compiled.careful}) {
      // What the cache keeps is not ours to remove.
      if (!file.starts_with(scratch_.path())) continue;
      std::error_code ignored;
      std::filesystem::remove(file, ignored);
    }
  }

 private:
  kernels::Measurement MeasurePlain(const kernels::Compiled& compiled, double cap_ns,
                                    Effort effort) {
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
    request.whole_numbers = effort == Effort::kFinal || shapes_.insert(compiled.shape).second;
    if (effort == Effort::kFinal) {
      request.batch_ns = 2e6;
      request.cap_ns = request.patience_ns = 10e9;  // A yardstick is waited for.
    }
    return runners_->Run(request);
  }

  const Problem& problem_;
  ScratchFolder scratch_;
  kernels::cuda::CompilePool compilers_;
  std::optional<kernels::cuda::GpuPool> runners_;
  bool cold_ = false;
  std::set<std::string> tried_;   ///< Careful cubins that ended in time.
  std::set<std::string> shapes_;  ///< Those that were checked in full.
};

}  // namespace

std::unique_ptr<Evaluator> MakeCudaEvaluator(const Problem& problem,
                                             const EvaluatorOptions& options) {
  return std::make_unique<CudaEvaluator>(problem, options);
}

}  // namespace exh::search

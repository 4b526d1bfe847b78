// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/evaluator.h"

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
#include "base/system/process.h"
#include "kernels/devices/backend.h"
#include "kernels/devices/cuda/driver/device_programs.h"
#include "kernels/devices/cuda/driver/driver.h"
#include "kernels/devices/cuda/pools/compile_pool.h"
#include "kernels/devices/cuda/pools/gpu_pool.h"
#include "kernels/devices/problem_files.h"
#include "kernels/devices/yardsticks.h"
#include "kernels/library/call_kernel.h"

namespace exh::kernels {
namespace {

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

cuda::CompilePoolOptions PoolOptions(const Task& task, const std::string& folder,
                                     const EvaluatorOptions& evaluator) {
  cuda::CompilePoolOptions options;
  options.command = {ThisProgram(), kCompileCuda};
  options.folder = folder + "/cubin";
  options.cache = cuda::CubinCache::DefaultFolder();
  options.architecture = task.function->device.architecture;
  options.workers = evaluator.jobs;
  options.stop = evaluator.stop;
  return options;
}

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

/// What candidates are checked with, in the order in which it is used.
struct CheckedProblem {
  const char* name;
  Inputs inputs;
  std::uint64_t seed;
};
constexpr CheckedProblem kProblems[] = {
    {"uniform", Inputs::kUniform, kTimedSeed},
    {"whole", Inputs::kWholeNumbers, kTimedSeed},
    {"other", Inputs::kUniform, kOtherSeed},
    {"special", Inputs::kSpecial, kTimedSeed},
};

class CudaEvaluator final : public Evaluator {
 public:
  CudaEvaluator(const Task& task, const EvaluatorOptions& options)
      : task_(task), compilers_(PoolOptions(task, scratch_.path(), options)) {
    const auto driver = cuda::Driver::Load(cuda::Driver::LibraryNames());
    if (!driver.driver) Missing(driver.problem);
    if (driver.driver->Devices().empty()) Missing("the driver shows no GPU");
    const cuda::CompiledKernel programs = compilers_.Compile(cuda::DeviceProgramsSource());
    EndIfStopped(options.stop);
    if (programs.verdict != Verdict::kCorrect) Missing(programs.why);

    cuda::RunSetup setup;
    setup.drivers = cuda::Driver::LibraryNames();
    setup.programs = programs.cubin;
    setup.ordinal = options.gpu;
    setup.cold = cold_ = options.cold;
    setup.problems = WriteProblems(options.jobs);
    cuda::GpuPoolLimits limits;
    limits.stop = options.stop;
    std::vector<std::string> command = options.under;
    command.insert(command.end(), {ThisProgram(), kRunCuda});
    runners_.emplace(std::move(command), setup, 1, limits);
    const std::string why = runners_->Start();
    EndIfStopped(options.stop);
    if (!why.empty()) Missing(why);
  }

  Source Emit(const runtime::Candidate& implementation) override {
    return EmitSource(task_, implementation);
  }

  Compiled Compile(const Source& source) override {
    return CompileText(source, source.text, cuda::Optimization::kFull);
  }

  Compiled CompileTrial(const Source& source) override {
    Compiled trial = CompileText(source, source.careful, cuda::Optimization::kQuick);
    // A quick compilation spills where a full one does not.
    if (trial.verdict == Verdict::kSpills && !trial.library.empty()) {
      trial.verdict = Verdict::kCorrect;
    }
    return trial;
  }

  bool compiles_while_measuring() const override { return true; }

  Measurement Try(const Compiled& trial, const Cap& cap) override {
    cuda::RunRequest request;
    request.cubin = trial.library;
    request.launch = trial.gpu->launch;
    request.cap_ns = std::max(cap.ns, kCudaLeastCapNs);
    request.give_up_ns = kCudaCareFactor * request.cap_ns;
    if (cap.best_ns >= kCudaPartFromNs) request.worth_ns = request.give_up_ns;
    return runners_->Run(request);
  }

  double first_cap_ns() const override { return kCudaLeastCapNs; }

  Measurement Measure(const Compiled& compiled, const Cap& cap, Effort effort) override {
    if (compiled.verdict != Verdict::kCorrect) return Failure(compiled);
    cuda::RunRequest request = RequestOf(compiled);
    request.cap_ns = std::max(cap.ns, kCudaLeastCapNs);
    request.stop_ns = kCudaStopFactor * cap.best_ns;
    if (effort == Effort::kQuick && cap.best_ns >= kCudaPartFromNs) {
      request.worth_ns = request.stop_ns;
    }
    request.full = effort != Effort::kQuick;
    if (effort == Effort::kAudit) request.audit_ns = 1e9 * kAuditSeconds;
    if (effort != Effort::kQuick) {
      request.batch_ns = 2e6;
      request.cap_ns = request.patience_ns = kWaitNs;  // A yardstick is waited for.
    }
    return runners_->Run(request);
  }

  Measurement Repeat(const Compiled& compiled, int launches) override {
    if (compiled.verdict != Verdict::kCorrect) return Failure(compiled);
    cuda::RunRequest request = RequestOf(compiled);
    request.cap_ns = request.patience_ns = kWaitNs;
    request.launches = launches;
    return runners_->Run(request);
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
    return fmt::format("{}, driver {}, CUBLAS_DEFAULT_MATH: {}, {} L2", runners_->ready().gpu,
                       runners_->ready().driver, MathText(*task_.function),
                       cold_ ? "cold" : "warm");
  }

  std::optional<MeasuredRates> Rates() override {
    cuda::RunRequest request;
    request.rates = true;
    request.patience_ns = kWaitNs;
    const cuda::RunAnswer answer = runners_->Ask(request);
    if (answer.measurement.verdict != Verdict::kCorrect) throw Error(answer.measurement.why);
    return answer.rates;
  }

  void Discard(const Compiled& compiled) override {
    // What the cache keeps is not ours to remove.
    if (!compiled.library.starts_with(scratch_.path())) return;
    std::error_code ignored;
    std::filesystem::remove(compiled.library, ignored);
  }

 private:
  /// For what nobody wants to be without.
  static constexpr double kWaitNs = 10e9;

  /// Of what is not compiled.
  static Measurement Failure(const Compiled& compiled) {
    Measurement failure;
    failure.verdict = compiled.verdict;
    failure.why = compiled.why;
    return failure;
  }

  static cuda::RunRequest RequestOf(const Compiled& compiled) {
    cuda::RunRequest request;
    request.cubin = compiled.library;
    request.vendor = compiled.gpu->vendor;
    request.vendor_lt = compiled.gpu->vendor_lt;
    request.launch = compiled.gpu->launch;
    return request;
  }

  /// Their files, written side by side: a large one takes seconds. Throws Error.
  std::vector<std::string> WriteProblems(int jobs) const {
    // Where a reference takes seconds, two of them must do.
    const bool has_all = task_.flops <= kCudaMostFlopsOfFourProblems;
    const std::size_t count = has_all ? std::size(kProblems) : 2;
    std::vector<std::string> files;
    for (std::size_t number = 0; number < count; ++number) {
      files.push_back(scratch_.path() + "/" + kProblems[number].name);
    }
    RunInParallel(count, jobs, [&](std::size_t number) {
      const CheckedProblem& one = kProblems[number];
      WriteProblem(task_, one.inputs, files[number], one.seed);
      return true;
    });
    return files;
  }

  /// Registers that a thread of a block can have.
  std::uint64_t MostRegisters(const GpuKernel& kernel) const {
    constexpr std::uint32_t kUnit = 8;  // They are given out in so many.
    const ir::Device& device = task_.function->device;
    if (device.max_registers == 0) return ~std::uint64_t{0};
    const std::uint32_t threads = kernel.launch.threads * kernel.min_blocks;
    const std::uint32_t share = device.block_registers / std::max(1u, threads);
    return std::min(device.max_registers, share / kUnit * kUnit);
  }

  Compiled CompileText(const Source& source, const std::string& text,
                       cuda::Optimization optimization) {
    const GpuKernel kernel = source.gpu.value_or(GpuKernel());
    Compiled compiled;
    GpuCode& code = compiled.gpu.emplace();
    code.launch = kernel.launch;
    if (const std::uint64_t most = MostRegisters(kernel); kernel.least_registers > most) {
      compiled.verdict = Verdict::kSpills;
      compiled.why = fmt::format("{} values live through a loop, a thread has {} registers",
                                 kernel.least_registers, most);
      return compiled;
    }
    // Comments are most of a text, and would be carried to the compiler's process for nothing.
    const cuda::CompiledKernel built = compilers_.Compile(WithoutComments(text), optimization);
    compiled.verdict = built.verdict;
    compiled.why = built.why;
    compiled.source = text;
    code.registers = built.resources.registers;
    compiled.library = built.cubin;
    compiled.compile_ms = built.compile_ms;
    return compiled;
  }

  const Task& task_;
  ScratchFolder scratch_;
  cuda::CompilePool compilers_;
  std::optional<cuda::GpuPool> runners_;
  bool cold_ = false;
};

}  // namespace

std::unique_ptr<Evaluator> MakeCudaEvaluator(const Task& task, const EvaluatorOptions& options) {
  return std::make_unique<CudaEvaluator>(task, options);
}

}  // namespace exh::kernels

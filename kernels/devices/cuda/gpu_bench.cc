// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/gpu_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "base/system/process.h"
#include "kernels/devices/cuda/driver/cublas_version.h"
#include "kernels/devices/cuda/driver/device_programs.h"
#include "kernels/devices/cuda/driver/driver.h"
#include "kernels/devices/cuda/evaluator.h"
#include "kernels/devices/cuda/known_answers.h"

namespace exh::kernels::cuda {
namespace {

/// For what nobody wants to be without.
constexpr double kWaitNs = 10e9;

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

CompilePoolOptions PoolOptions(const ir::Device& device, const std::string& folder,
                               const EvaluatorOptions& evaluator) {
  CompilePoolOptions options;
  options.command = {ThisProgram(), kCompileCuda};
  options.folder = folder + "/cubin";
  options.cache =
      evaluator.cache.empty() ? CubinCache::DefaultFolder() : evaluator.cache + "/cubin";
  options.architecture = device.architecture;
  options.workers = evaluator.jobs;
  options.stop = evaluator.stop;
  return options;
}

/// Of what is not compiled.
Measurement Failure(const Compiled& compiled) {
  Measurement failure;
  failure.verdict = compiled.verdict;
  failure.why = compiled.why;
  return failure;
}

RunRequest RequestOf(const Compiled& compiled) {
  RunRequest request;
  request.cubin = compiled.library;
  request.vendor = compiled.gpu->vendor;
  request.vendor_lt = compiled.gpu->vendor_lt;
  request.launch = compiled.gpu->launch;
  return request;
}

/// Registers that a thread of a block can have.
std::uint64_t MostRegisters(const ir::Device& device, const GpuKernel& kernel) {
  constexpr std::uint32_t kUnit = 8;  // They are given out in so many.
  if (device.max_registers == 0) return ~std::uint64_t{0};
  const std::uint32_t threads = kernel.launch.threads * kernel.min_blocks;
  const std::uint32_t share = device.block_registers / std::max(1u, threads);
  return std::min(device.max_registers, share / kUnit * kUnit);
}

}  // namespace

GpuBench::GpuBench(const ir::Device& device, const EvaluatorOptions& options,
                   const WriteProblems& write, int spares)
    : device_(device), compilers_(PoolOptions(device, scratch_.path(), options)) {
  const auto driver = Driver::Load(Driver::LibraryNames());
  if (!driver.driver) Missing(driver.problem);
  if (driver.driver->Devices().empty()) Missing("the driver shows no GPU");
  const CompiledKernel programs = compilers_.Compile(DeviceProgramsSource());
  EndIfStopped(options.stop);
  if (programs.verdict != Verdict::kCorrect) Missing(programs.why);

  compilers_.Heed(
      KnownAnswersOf(compilers_.compiler(), device.architecture, options.gpu, options.stop));
  EndIfStopped(options.stop);

  RunSetup setup;
  setup.drivers = Driver::LibraryNames();
  setup.programs = programs.cubin;
  setup.ordinal = options.gpu;
  setup.cold = options.cold;
  setup.problems = write(scratch_.path());
  GpuPoolLimits limits;
  limits.stop = options.stop;
  std::vector<std::string> command = options.under;
  command.insert(command.end(), {ThisProgram(), kRunCuda});
  std::vector<int> gpus = {options.gpu};
  gpus.insert(gpus.end(), options.more_gpus.begin(), options.more_gpus.end());
  for (const int gpu : gpus) {
    setup.ordinal = gpu;
    runners_.emplace_back(command, setup, spares, limits);
  }
  // Contexts and gigabytes of inputs take seconds: side by side.
  std::vector<std::string> why(gpus.size());
  RunInParallel(gpus.size(), static_cast<int>(gpus.size()), [&](std::size_t index) {
    why[index] = runners_[index].Start();
    return true;
  });
  EndIfStopped(options.stop);
  for (std::size_t index = 0; index < gpus.size(); ++index) {
    if (why[index].empty()) continue;
    Missing(gpus.size() == 1 ? why[index] : fmt::format("gpu {}: {}", gpus[index], why[index]));
  }
}

std::string GpuBench::SetProblems(const std::vector<std::string>& files) {
  for (GpuPool& runner : runners_) {
    if (std::string why = runner.SetProblems(files); !why.empty()) return why;
  }
  return "";
}

std::string GpuBench::Conditions() const {
  return fmt::format("{}, driver {}", runners_.front().ready().gpu,
                     runners_.front().ready().driver);
}

std::map<std::string, std::string, std::less<>> GpuBench::Versions() const {
  return {{"compiler", compilers_.compiler()},
          {"cublas", FindCublas().version},
          {"driver", runners_.front().ready().driver}};
}

Compiled GpuBench::Compile(const Source& source, const std::string& text,
                           Optimization optimization) {
  const GpuKernel kernel = source.gpu.value_or(GpuKernel());
  Compiled compiled;
  GpuCode& code = compiled.gpu.emplace();
  code.launch = kernel.launch;
  if (const std::uint64_t most = MostRegisters(device_, kernel); kernel.least_registers > most) {
    compiled.verdict = Verdict::kSpills;
    compiled.why = fmt::format("{} values live through a loop, a thread has {} registers",
                               kernel.least_registers, most);
    return compiled;
  }
  // Comments are most of a text, and would be carried to the compiler's process for nothing.
  const CompiledKernel built = compilers_.Compile(WithoutComments(text), optimization);
  compiled.verdict = built.verdict;
  compiled.why = built.why;
  compiled.source = text;
  code.registers = built.resources.registers;
  compiled.library = built.cubin;
  compiled.compile_ms = built.compile_ms;
  return compiled;
}

Measurement GpuBench::Try(const Compiled& trial, const Cap& cap, std::size_t gpu) {
  RunRequest request;
  request.cubin = trial.library;
  request.launch = trial.gpu->launch;
  request.cap_ns = std::max(cap.ns, kCudaLeastCapNs);
  request.give_up_ns = kCudaCareFactor * request.cap_ns;
  if (cap.best_ns >= kCudaPartFromNs) request.worth_ns = request.give_up_ns;
  return runners_[gpu].Run(request);
}

Measurement GpuBench::Measure(const Compiled& compiled, const Cap& cap, Effort effort,
                              std::size_t gpu) {
  if (compiled.verdict != Verdict::kCorrect) return Failure(compiled);
  RunRequest request = RequestOf(compiled);
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
  return runners_[gpu].Run(request);
}

Measurement GpuBench::Repeat(const Compiled& compiled, int launches) {
  if (compiled.verdict != Verdict::kCorrect) return Failure(compiled);
  RunRequest request = RequestOf(compiled);
  request.cap_ns = request.patience_ns = kWaitNs;
  request.launches = launches;
  return runners_[used_].Run(request);
}

MeasuredRates GpuBench::Rates() {
  RunRequest request;
  request.rates = true;
  request.patience_ns = kWaitNs;
  const RunAnswer answer = runners_[used_].Ask(request);
  if (answer.measurement.verdict != Verdict::kCorrect) throw Error(answer.measurement.why);
  return answer.rates;
}

void GpuBench::Discard(const Compiled& compiled) const {
  // What the cache keeps is not ours to remove.
  if (!compiled.library.starts_with(scratch_.path())) return;
  std::error_code ignored;
  std::filesystem::remove(compiled.library, ignored);
}

}  // namespace exh::kernels::cuda

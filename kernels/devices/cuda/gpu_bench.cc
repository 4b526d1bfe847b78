// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/gpu_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "base/system/process.h"
#include "kernels/devices/cuda/counters/ncu.h"
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
    : device_(device),
      stop_(options.stop),
      gpus_({options.gpu}),
      compilers_(PoolOptions(device, scratch_.path(), options)) {
  const auto driver = Driver::Load(Driver::LibraryNames());
  if (!driver.driver) Missing(driver.problem);
  if (driver.driver->Devices().empty()) Missing("the driver shows no GPU");
  const CompiledKernel programs = compilers_.Compile(DeviceProgramsSource());
  EndIfStopped(options.stop);
  if (programs.verdict != Verdict::kCorrect) Missing(programs.why);

  compilers_.Heed(
      KnownAnswersOf(compilers_.compiler(), device.architecture, options.gpu, options.stop));
  EndIfStopped(options.stop);

  setup_.drivers = Driver::LibraryNames();
  setup_.programs = programs.cubin;
  setup_.ordinal = options.gpu;
  setup_.cold = options.cold;
  setup_.problems = write(scratch_.path());
  GpuPoolLimits limits;
  limits.stop = options.stop;
  std::vector<std::string> command = options.under;
  command.insert(command.end(), {ThisProgram(), kRunCuda});
  gpus_.insert(gpus_.end(), options.more_gpus.begin(), options.more_gpus.end());
  for (const int gpu : gpus_) {
    RunSetup setup = setup_;
    setup.ordinal = gpu;
    runners_.emplace_back(command, setup, spares, limits);
  }
  // Contexts and gigabytes of inputs take seconds: side by side.
  std::vector<std::string> why(gpus_.size());
  RunInParallel(gpus_.size(), static_cast<int>(gpus_.size()), [&](std::size_t index) {
    why[index] = runners_[index].Start();
    return true;
  });
  EndIfStopped(options.stop);
  for (std::size_t index = 0; index < gpus_.size(); ++index) {
    if (why[index].empty()) continue;
    Missing(gpus_.size() == 1 ? why[index] : fmt::format("gpu {}: {}", gpus_[index], why[index]));
  }
}

std::string GpuBench::SetProblems(const std::vector<std::string>& files) {
  setup_.problems = files;
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

CounterReading GpuBench::Counters(const Compiled& compiled) {
  constexpr int kMostTries = 4;      // Each leaves counters out that this GPU does not have.
  constexpr double kAnswerS = 600;   // Every launch is repeated for each few counters.
  constexpr double kToWriteS = 120;  // What it found, at its end.
  if (compiled.verdict != Verdict::kCorrect) return {"", Failure(compiled).why, {}};
  const std::string ncu = FindNcu();
  if (ncu.empty()) {
    return {"",
            "Nsight Compute is not here: no `ncu` on PATH, nor in /usr/local/cuda/bin; it comes "
            "with the CUDA toolkit (package cuda-nsight-compute)",
            {}};
  }
  NcuQuestion question;
  question.launch = compiled.gpu->launch;
  question.cold = setup_.cold;
  question.file = scratch_.path() + "/ncu.csv";
  RunRequest request = RequestOf(compiled);
  request.cap_ns = request.patience_ns = kWaitNs;
  // One that is checked, one that warms up, and the one that is counted.
  request.launches = 2;
  question.runs = 2;
  RunSetup setup = setup_;
  setup.ordinal = gpus_[used_];
  GpuPoolLimits limits;
  limits.answer_s = kAnswerS;
  limits.stop = stop_;
  for (int tries = 1;; ++tries) {
    std::error_code ignored;
    std::filesystem::remove(question.file, ignored);
    std::vector<std::string> command = NcuCommand(ncu, question);
    command.insert(command.end(), {ThisProgram(), kRunCuda});
    GpuPool pool(command, setup, /*spares=*/0, limits);
    const Measurement run = pool.Run(request);
    pool.End(kToWriteS);
    std::ifstream file(question.file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const NcuOutput output = ParseNcu(text);
    const std::set<std::string> unknown = UnknownCounters(output);
    question.without.insert(unknown.begin(), unknown.end());
    if (!unknown.empty() && tries < kMostTries) continue;
    CounterReading reading = ReadingOf(output);
    if (!output.launches.empty() || !output.errors.empty()) return reading;
    return {"", fmt::format("{}: {}", VerdictName(run.verdict), run.why), {}};
  }
}

void GpuBench::Discard(const Compiled& compiled) const {
  // What the cache keeps is not ours to remove.
  if (!compiled.library.starts_with(scratch_.path())) return;
  std::error_code ignored;
  std::filesystem::remove(compiled.library, ignored);
}

}  // namespace exh::kernels::cuda

// SPDX-License-Identifier: MIT
#include "kernels/devices/cpu/evaluator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/numbers.h"
#include "base/system/process.h"
#include "base/system/scratch_folder.h"
#include "kernels/counters/counters.h"
#include "kernels/cpu/compile.h"
#include "kernels/cpu/compiler_probe.h"
#include "kernels/cpu/problem_bench.h"
#include "kernels/cpu/problem_set.h"
#include "kernels/cpu/run.h"
#include "kernels/devices/yardsticks.h"
#include "kernels/ir/elements.h"
#include "kernels/library/call_kernel.h"

namespace exh::kernels {
namespace {

cpu::CompilerOptions InFolder(const std::string& folder, const StopToken* stop) {
  cpu::CompilerOptions options;
  options.directory = folder;
  options.keep_source = false;
  options.stop = stop;
  options.known = cpu::AskCompiler(options);
  options.flags.insert(options.flags.end(), {"-isystem", EXH_EIGEN_INCLUDE});
  return options;
}

/// How long the whole process may take: start, one checked run and a batch. What is fifty times
/// slower than the cap is not worth waiting for; nor, where nothing is known yet, what is far
/// slower than a naive loop nest. A yardstick is waited for. The start is generous: on a busy
/// machine it must not cost a fast candidate its life. (When the run ends, its token ends the
/// process, too.)
double TimeoutSeconds(double cap_ns, Effort effort, double flops) {
  constexpr double kFinal = 120, kStart = 2, kFirstStart = 4, kUnknown = 30;
  constexpr double kNaiveRate = 2e8, kNaiveRuns = 8;  // FLOP/s, with all its runs.
  if (effort != Effort::kQuick) return kFinal;
  if (cap_ns > 0) return kStart + 50 * cap_ns * 1e-9;
  if (flops == 0) return kUnknown;
  return kFirstStart + kNaiveRuns * flops / kNaiveRate;
}

/// What an effort asks of a bench.
cpu::CheckCare CareOf(Effort effort) {
  cpu::CheckCare care;
  care.is_full = effort != Effort::kQuick;
  care.only_times = effort == Effort::kAgain;
  if (effort == Effort::kAudit) care.repeats_ms = 1e3 * kAuditSeconds;
  return care;
}

class CpuEvaluator final : public Evaluator, public CountsRuns {
 public:
  CpuEvaluator(std::unique_ptr<const Workload> workload, const StopToken* stop)
      : workload_(std::move(workload)),
        stop_(stop),
        compiler_(InFolder(scratch_.path(), stop)),
        problems_(Problems()) {
    RequireCompiler();
  }

  std::string Take(std::unique_ptr<const Workload> workload) override {
    problems_.reset();  // Those of the other one are not made any further.
    workload_ = std::move(workload);
    problems_ = Problems();
    return "";
  }

  Source Emit(const runtime::Candidate& implementation) override {
    return workload_->Emit(implementation);
  }

  Compiled Compile(const Source& source) override {
    using Patience = cpu::HostCompiler::Patience;
    if (auto refused = NotCompiled(source)) return *std::move(refused);
    return compiler_.Compile(source.text, waits_ ? Patience::kAllTime : Patience::kUsual);
  }

  std::uint64_t most_text_bytes() const override { return kCpuMostTextBytes; }

  bool IsReady(double seconds) override { return problems_->IsReady(seconds); }

  // With more of them the seconds of the finals would be too few rounds for each.
  int finalists() const override { return 8; }

  Measurement Measure(const Compiled& compiled, const Cap& cap, Effort effort) override {
    if (compiled.verdict != Verdict::kCorrect) {
      Measurement failure;
      failure.verdict = compiled.verdict;
      failure.why = compiled.why;
      return failure;
    }
    cpu::CpuRunRequest request = RequestOf(compiled, effort, cap.ns);
    cpu::CheckCare care = CareOf(effort);
    {
      const std::lock_guard lock(mutex_);
      const auto yardstick = yardsticks_.find(compiled.library);
      request.is_yardstick = yardstick != yardsticks_.end();
      care.special = !request.is_yardstick || yardstick->second;
    }
    const Measurement measured = problems_->Measure(request, care);
    const std::lock_guard lock(mutex_);
    if (kernel_error_) std::rethrow_exception(kernel_error_);
    return measured;
  }

  CounterReading Counters(const Compiled& compiled) override {
    CounterReading reading;
    cpu::CpuRunRequest request = RequestOf(compiled, Effort::kAgain, 0);
    request.counters = &reading;
    const Measurement measured = problems_->Measure(request, CareOf(Effort::kAgain));
    if (measured.verdict == Verdict::kCorrect) return reading;
    return {"", fmt::format("{}: {}", VerdictName(measured.verdict), measured.why), {}};
  }

  std::vector<Contender> Yardsticks(int jobs) override {
    waits_ = true;  // Eigen's headers take their time.
    const std::vector<NamedSource> sources = workload_->Yardsticks(ir::Dialect::kCpp);
    std::vector<Contender> contenders = CompileYardsticks(*this, sources, jobs);
    waits_ = false;
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      yardsticks_[contenders[i].compiled.library] = sources[i].is_ours;
    }
    return contenders;
  }

  /// Measured, once for each number of bytes.
  double CopyNs(std::uint64_t bytes) override {
    const std::uint64_t count = std::max<std::uint64_t>(1, bytes / 2 / sizeof(float));
    const auto [known, is_new] = copies_.try_emplace(count, 0);
    if (is_new) known->second = MeasureCopy(count);
    return known->second;
  }

  std::string Conditions() const override {
    const std::uint32_t threads = workload_->device().threads;
    return fmt::format("{} {}, {}", threads, threads == 1 ? "thread" : "threads", CompilerCall());
  }

  std::string YardstickText() const override {
    const std::string what = workload_->YardstickText();
    return what + (what.empty() ? "" : ", ") + Conditions();
  }

  std::vector<std::string> Notes() const override { return compiler_.options().known.Notes(); }
  std::map<std::string, std::string, std::less<>> Versions() const override {
    auto versions = workload_->Versions(ir::Dialect::kCpp);
    versions["compiler"] = compiler_.options().known.compiler;
    return versions;
  }

  void Discard(const Compiled& compiled) override { compiler_.Discard(compiled); }

 private:
  std::unique_ptr<cpu::ProblemBench> Problems() {
    return std::make_unique<cpu::ProblemBench>(
        [this](const CheckedProblem& one) { return MakeOne(one); }, server_, stop_);
  }

  cpu::CpuRunRequest RequestOf(const Compiled& compiled, Effort effort, double cap_ns) const {
    cpu::CpuRunRequest request;
    request.library = compiled.library;
    request.threads = static_cast<int>(workload_->device().threads);
    request.cap_ns = cap_ns;
    request.timeout_s = TimeoutSeconds(cap_ns, effort, workload_->flops());
    return request;
  }

  double MeasureCopy(std::uint64_t count) {
    constexpr std::uint64_t kFew = 1 << 15;  // Threads would take longer.
    const ir::Elements input(ir::Type::kF32, count);
    const std::vector<double> zeros(count, 0);
    cpu::Problem problem;
    problem.arrays.push_back(
        {.name = "x", .values = input.bytes(), .reference = {}, .tolerance = {}});
    problem.arrays.push_back(
        {.name = "y", .is_output = true, .values = {}, .reference = zeros, .tolerance = zeros});
    cpu::ProblemSet problems(problem, 1);
    if (!problems.error().empty() || !problems.Add(problem, "").empty()) return 0;
    const Compiled copy = Compile(fmt::format(
        "extern \"C\" void exh_run(void* const* arrays, const double*, int threads) {{\n"
        "  const float* __restrict__ x = static_cast<const float*>(arrays[0]);\n"
        "  float* __restrict__ y = static_cast<float*>(arrays[1]);\n"
        "{}  for (long i = 0; i < {}; ++i) y[i] = x[i];\n}}\n",
        count < kFew ? "" : "#pragma omp parallel for simd num_threads(threads)\n", count));
    if (copy.verdict != Verdict::kCorrect) return 0;
    cpu::CpuRunRequest request;
    request.library = copy.library;
    request.threads = static_cast<int>(workload_->device().threads);
    const Measurement measured = cpu::RunCandidate(request, problems, server_, stop_);
    Discard(copy);
    return measured.verdict == Verdict::kCorrect ? measured.best_ns : 0;
  }

  std::optional<cpu::MadeProblem> MakeOne(const CheckedProblem& one) {
    try {
      return workload_->MakeProblem(one, stop_);
    } catch (const KernelError&) {
      const std::lock_guard lock(mutex_);
      kernel_error_ = std::current_exception();
      throw;
    }
  }

  std::unique_ptr<const Workload> workload_;
  const StopToken* const stop_;
  ScratchFolder scratch_;
  cpu::HostCompiler compiler_;
  std::atomic<bool> waits_ = false;         ///< For compilers, whatever is usual.
  mutable std::mutex mutex_;                ///< Of what follows.
  std::map<std::string, bool> yardsticks_;  ///< Their libraries: NamedSource::is_ours.
  std::exception_ptr kernel_error_;         ///< What is wrong in the kernel itself ends a run.
  std::map<std::uint64_t, double> copies_;  ///< By elements.
  cpu::ForkServer server_{{ThisProgram(), kRunCandidate}};
  /// The last, for it may be at work when this ends.
  std::unique_ptr<cpu::ProblemBench> problems_;
};

}  // namespace

std::unique_ptr<Evaluator> MakeCpuEvaluator(std::unique_ptr<const Workload> workload,
                                            const StopToken* stop) {
  return std::make_unique<CpuEvaluator>(std::move(workload), stop);
}

std::string CompilerName() {
  return cpu::CompilerOptions().compiler;
}

std::string CompilerPath() {
  return FindProgram(CompilerName());
}

std::string CompilerCall() {
  const cpu::CompilerOptions options;
  return fmt::format("{} {}", options.compiler, fmt::join(options.flags, " "));
}

std::string CompilerVersion() {
  ProcessRequest request;
  request.argv = {CompilerPath(), "--version"};
  if (request.argv.front().empty()) return "";
  request.timeout_s = 10;
  const ProcessResult result = RunProcess(request);
  return result.ok() ? std::string(Trim(result.out.substr(0, result.out.find('\n')))) : "";
}

void RequireCompiler() {
  if (!CompilerPath().empty()) return;
  throw Error(fmt::format("no C++ compiler: '{0}' is not on PATH (Debian: apt install {0})",
                          CompilerName()));
}

}  // namespace exh::kernels

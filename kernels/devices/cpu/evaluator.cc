// SPDX-License-Identifier: MIT
#include "kernels/devices/cpu/evaluator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "base/system/process.h"
#include "kernels/cpu/compile.h"
#include "kernels/cpu/compiler_probe.h"
#include "kernels/cpu/problem_bench.h"
#include "kernels/cpu/run.h"
#include "kernels/derived/calls/blas_source.h"
#include "kernels/derived/calls/onednn_source.h"
#include "kernels/devices/backend.h"
#include "kernels/devices/problem_files.h"
#include "kernels/devices/yardsticks.h"
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
  constexpr double kFinal = 120, kStart = 2, kFirstStart = 4;
  constexpr double kNaiveRate = 2e8, kNaiveRuns = 8;  // FLOP/s, with all its runs.
  if (effort != Effort::kQuick) return kFinal;
  if (cap_ns > 0) return kStart + 50 * cap_ns * 1e-9;
  return kFirstStart + kNaiveRuns * flops / kNaiveRate;
}

}  // namespace

cpu::Care CareOf(Effort effort) {
  cpu::Care care;
  care.is_full = effort != Effort::kQuick;
  care.only_times = effort == Effort::kAgain;
  if (effort == Effort::kAudit) care.repeats_ms = 1e3 * kAuditSeconds;
  return care;
}

namespace {

/// Of the headers that yardsticks are compiled with: "3.4.0"; empty where they do not say it.
std::string EigenVersion() {
  std::ifstream file(EXH_EIGEN_INCLUDE "/Eigen/src/Core/util/Macros.h");
  std::string version, line;
  for (const std::string part :
       {"EIGEN_WORLD_VERSION", "EIGEN_MAJOR_VERSION", "EIGEN_MINOR_VERSION"}) {
    const std::string define = "#define " + part + " ";
    while (std::getline(file, line) && !line.starts_with(define)) {
    }
    if (!file) return "";
    version += (version.empty() ? "" : ".") + std::string(Trim(line.substr(define.size())));
  }
  return version;
}

class CpuEvaluator final : public Evaluator {
 public:
  CpuEvaluator(const Task& task, const StopToken* stop)
      : task_(task),
        compiler_(InFolder(scratch_.path(), stop)),
        stop_(stop),
        problems_([this](const CheckedProblem& one) { return MakeOne(one); }, server_, stop) {
    RequireCompiler();
  }

  Source Emit(const runtime::Candidate& implementation) override {
    return EmitSource(task_, implementation);
  }

  Compiled Compile(const Source& source) override {
    using Patience = cpu::Compiler::Patience;
    return compiler_.Compile(source.text, waits_ ? Patience::kAllTime : Patience::kUsual);
  }

  /// A compiler takes 5 to 50 ms for each thousand characters: up to 8 s.
  std::uint64_t most_text_bytes() const override { return 160'000; }

  bool IsReady(double seconds) override { return problems_.IsReady(seconds); }

  Measurement Measure(const Compiled& compiled, const Cap& cap, Effort effort) override {
    if (compiled.verdict != Verdict::kCorrect) {
      Measurement failure;
      failure.verdict = compiled.verdict;
      failure.why = compiled.why;
      return failure;
    }
    cpu::RunRequest request;
    request.library = compiled.library;
    request.threads = static_cast<int>(task_.function->device.threads);
    request.cap_ns = cap.ns;
    request.timeout_s = TimeoutSeconds(cap.ns, effort, task_.flops);
    cpu::Care care = CareOf(effort);
    request.is_yardstick = IsYardstick(compiled);
    care.special = !request.is_yardstick;
    const Measurement measured = problems_.Measure(request, care);
    const std::lock_guard lock(mutex_);
    if (kernel_error_) std::rethrow_exception(kernel_error_);
    return measured;
  }

  std::vector<Contender> Yardsticks(int jobs) override {
    const Kernel& kernel = *task_.kernel;
    const Parameters& sizes = task_.sizes;
    waits_ = true;  // Eigen's headers take their time.
    std::vector<NamedSource> sources = {
        {"naive", CallKernel(kernel, "NaiveSource", &Kernel::NaiveSource, sizes)},
        {"eigen", CallKernel(kernel, "EigenSource", &Kernel::EigenSource, sizes),
         CallKernel(kernel, "EigenWorkspace", &Kernel::EigenWorkspace, sizes)}};
    const VendorCall call = CallKernel(kernel, "Vendor", &Kernel::Vendor, sizes);
    for (const auto& [name, library] : {std::pair("openblas", derived::BlasLibrary::kOpenBlas),
                                        std::pair("onednn", derived::BlasLibrary::kOneDnn)}) {
      sources.push_back(
          {name, derived::BlasSource(call, *task_.function, library), call.scratch_bytes});
    }
    // What is no product of matrices, one library may know all the same.
    if (sources.back().source.text.empty()) {
      sources.back() = {"onednn", derived::OneDnnSource(*task_.function)};
    }
    std::erase_if(sources, [](const NamedSource& known) { return known.source.text.empty(); });
    std::vector<Contender> contenders = CompileYardsticks(*this, sources, jobs);
    waits_ = false;
    const std::lock_guard lock(mutex_);
    for (const Contender& contender : contenders) yardsticks_.insert(contender.compiled.library);
    return contenders;
  }

  std::string YardstickText() const override {
    const std::uint32_t threads = task_.function->device.threads;
    return fmt::format("{} {}, {}", threads, threads == 1 ? "thread" : "threads", CompilerCall());
  }

  std::vector<std::string> Notes() const override { return compiler_.options().known.Notes(); }
  std::map<std::string, std::string, std::less<>> Versions() const override {
    return {{"compiler", compiler_.options().known.compiler}, {"eigen", EigenVersion()}};
  }

  void Discard(const Compiled& compiled) override { compiler_.Discard(compiled); }

 private:
  std::optional<cpu::MadeProblem> MakeOne(const CheckedProblem& one) {
    try {
      auto data =
          std::make_shared<const ProblemData>(MakeProblem(task_, one.seed, one.inputs, stop_));
      if (data->empty()) return std::nullopt;  // There was no time for it.
      return cpu::MadeProblem{ViewOf(task_, *data), data};
    } catch (const KernelError&) {
      const std::lock_guard lock(mutex_);
      kernel_error_ = std::current_exception();
      throw;
    }
  }

  /// Libraries have their own ideas of NaN, and are no candidates.
  bool IsYardstick(const Compiled& compiled) const {
    const std::lock_guard lock(mutex_);
    return yardsticks_.count(compiled.library) > 0;
  }

  const Task& task_;
  ScratchFolder scratch_;
  cpu::Compiler compiler_;
  const StopToken* stop_;
  std::atomic<bool> waits_ = false;   ///< For compilers, whatever is usual.
  mutable std::mutex mutex_;          ///< Of what follows.
  std::set<std::string> yardsticks_;  ///< Their libraries.
  std::exception_ptr kernel_error_;   ///< What is wrong in the kernel itself ends a run.
  cpu::ForkServer server_{{ThisProgram(), kRunCandidate}};
  cpu::ProblemBench problems_;  ///< The last, for it may be at work when this ends.
};

}  // namespace

std::unique_ptr<Evaluator> MakeCpuEvaluator(const Task& task, const StopToken* stop) {
  return std::make_unique<CpuEvaluator>(task, stop);
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

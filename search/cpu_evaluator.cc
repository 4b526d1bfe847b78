// SPDX-License-Identifier: MIT
#include "search/cpu_evaluator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/cpu/compile.h"
#include "kernels/cpu/process.h"
#include "kernels/cpu/run.h"
#include "search/error.h"
#include "search/evaluator_files.h"
#include "search/references.h"

namespace exh::search {
namespace {

kernels::cpu::CompilerOptions InFolder(const std::string& folder, const kernels::StopToken* stop) {
  kernels::cpu::CompilerOptions options;
  options.directory = folder;
  options.keep_source = false;
  options.stop = stop;
  options.flags.insert(options.flags.end(), {"-isystem", EXH_EIGEN_INCLUDE});
  return options;
}

/// How long the whole process may take: start, one checked run and a batch. What is fifty times
/// slower than the cap is not worth waiting for; a yardstick is waited for. The start is generous:
/// on a busy machine it must not cost a fast candidate its life.
double TimeoutSeconds(double cap_ns, Effort effort) {
  constexpr double kFinal = 120, kFirst = 10, kStart = 2;
  if (effort == Effort::kFinal) return kFinal;
  return cap_ns > 0 ? std::min(kFirst, kStart + 50 * cap_ns * 1e-9) : kFirst;
}

class CpuEvaluator final : public Evaluator {
 public:
  CpuEvaluator(const Problem& problem, const kernels::StopToken* stop)
      : problem_(problem),
        problem_file_(scratch_.path() + "/problem"),
        compiler_(InFolder(scratch_.path(), stop)),
        stop_(stop),
        runner_{ThisProgram(), kRunCandidate} {
    RequireCompiler();
    WriteProblem(problem.task, kernels::Inputs::kUniform, problem_file_);
  }

  kernels::Source Emit(const runtime::Candidate& implementation) override {
    return kernels::EmitSource(problem_.task, implementation);
  }

  kernels::Compiled Compile(const kernels::Source& source) override {
    return compiler_.Compile(source.text);
  }

  kernels::Measurement Measure(const kernels::Compiled& compiled, double cap_ns,
                               Effort effort) override {
    if (compiled.verdict != kernels::Verdict::kCorrect) {
      kernels::Measurement failure;
      failure.verdict = compiled.verdict;
      failure.why = compiled.why;
      return failure;
    }
    kernels::cpu::RunRequest request;
    request.library = compiled.library;
    request.problem = problem_file_;
    request.threads = static_cast<int>(problem_.device.threads);
    request.cap_ns = cap_ns;
    if (effort == Effort::kFinal) request.batch_ms = 10;
    request.timeout_s = TimeoutSeconds(cap_ns, effort);
    return kernels::cpu::RunCandidate(request, runner_, stop_);
  }

  std::vector<Contender> Yardsticks(int jobs) override {
    const kernels::Kernel& kernel = *problem_.kernel;
    return CompileYardsticks(*this,
                             {{"naive", kernel.NaiveSource(problem_.sizes)},
                              {"eigen", kernel.EigenSource(problem_.sizes)}},
                             jobs);
  }

  std::string YardstickText() const override {
    const std::uint32_t threads = problem_.device.threads;
    return fmt::format("{} {}, {}", threads, threads == 1 ? "thread" : "threads", CompilerCall());
  }

  void Discard(const kernels::Compiled& compiled) override { compiler_.Discard(compiled); }

 private:
  const Problem& problem_;
  ScratchFolder scratch_;
  std::string problem_file_;
  kernels::cpu::Compiler compiler_;
  const kernels::StopToken* stop_;
  std::vector<std::string> runner_;
};

}  // namespace

std::unique_ptr<Evaluator> MakeCpuEvaluator(const Problem& problem,
                                            const kernels::StopToken* stop) {
  return std::make_unique<CpuEvaluator>(problem, stop);
}

std::string CompilerName() {
  return kernels::cpu::CompilerOptions().compiler;
}

std::string CompilerPath() {
  return kernels::cpu::FindProgram(CompilerName());
}

std::string CompilerCall() {
  const kernels::cpu::CompilerOptions options;
  return fmt::format("{} {}", options.compiler, fmt::join(options.flags, " "));
}

void RequireCompiler() {
  if (!CompilerPath().empty()) return;
  throw Error(fmt::format("no C++ compiler: '{0}' is not on PATH (Debian: apt install {0})",
                          CompilerName()));
}

}  // namespace exh::search
